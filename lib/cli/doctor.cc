#include "cli/doctor.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/doctor_checks.h"
#include "fmt/format.h"

namespace gapscope::cli {
namespace {

// What one trial settles: whether tracing is permitted, whether this libcupti works.
Finding recording(const TrialAnswer& trial) {
  if (trial.error.empty()) {
    return {"recording", Finding::Verdict::ok,
            absl::StrCat("one copy to the GPU was recorded, with ", trial.cupti_path), ""};
  }
  return {"recording", Finding::Verdict::fails,
          absl::StrCat("one copy to the GPU was not recorded: ", trial.error),
          "what it says; GAPSCOPE_VERBOSE=1 tells more"};
}

}  // namespace

std::vector<Finding> examine(const Machine& machine) {
  std::vector<Finding> out;
  const DriverAnswer driver = machine.ask_driver();
  out.push_back(check_driver(machine, driver));
  if (driver.error.empty()) out.push_back(check_devices(machine, driver));
  const bool gpu = driver.error.empty() && driver.init_result == 0 && driver.devices > 0;
  const CuptiAnswer cupti = find_cupti(machine);
  out.push_back(check_cupti(cupti, driver));
  out.push_back(check_library(machine));
  const bool can_try = gpu && cupti.error.empty() && out.back().verdict != Finding::Verdict::fails;
  const TrialAnswer trial =
      can_try ? machine.try_recording(machine.library, cupti.path) : TrialAnswer{"not tried", ""};
  if (driver.error.empty())
    out.push_back(check_permission(machine, can_try && trial.error.empty()));
  out.push_back(check_injection(machine));
  out.push_back(check_nvtx(machine));
  out.push_back(check_glibc(machine));
  for (const auto& check : {check_conda, check_container}) {
    if (auto finding = check(machine)) out.push_back(*std::move(finding));
  }
  if (can_try) out.push_back(recording(trial));
  return out;
}

bool any_fails(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.verdict == Finding::Verdict::fails;
  });
}

std::string doctor_text(const std::vector<Finding>& findings) {
  std::string text;
  std::size_t failing = 0;
  for (const Finding& finding : findings) {
    const bool fails = finding.verdict == Finding::Verdict::fails;
    failing += fails ? 1 : 0;
    const char* word = fails ? "FAIL" : finding.verdict == Finding::Verdict::note ? "note" : "ok";
    absl::StrAppend(&text, fmt::format("{:<5} {:<22} {}", word, finding.subject, finding.what),
                    finding.remedy.empty() ? "" : absl::StrCat("; remedy: ", finding.remedy), "\n");
  }
  if (failing == 0) return text + "Nothing was found that would keep gapscope from working.\n";
  return text +
         fmt::format("{} of {} would keep gapscope from working.\n", failing, findings.size());
}

}  // namespace gapscope::cli
