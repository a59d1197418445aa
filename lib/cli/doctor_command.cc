#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/command.h"
#include "cli/doctor.h"
#include "cli/doctor_system.h"
#include "cli/output.h"

namespace gapscope::cli {
namespace {

int doctor(const Environment& environment) {
  const std::vector<Finding> findings = examine(this_machine(environment));
  if (const absl::Status status = write_stdout(doctor_text(findings)); !status.ok()) {
    print_error(status.message());
    return kBadOutput;
  }
  return any_fails(findings) ? kWouldFail : kOk;
}

}  // namespace

void add_doctor(CLI::App& app, const Environment& environment, Action& action) {
  CLI::App* command =
      app.add_subcommand("doctor", "What would keep gapscope from working here, and the remedy");
  command->footer(
      "Looks at the driver, the GPUs, libcupti, the permission to profile, the library, the\n"
      "variables, glibc, conda and the container, and where all is well records one copy to the\n"
      "GPU. A line each: ok, note (ranges or files may be missing), FAIL with its remedy. Run it\n"
      "where the program is to run: in its container, its environment, its batch job.\n\n"
      "Exit codes: 0 nothing would fail; 1 something would; 4 the result cannot be written.");
  command->callback(
      [&environment, &action] { action = [&environment] { return doctor(environment); }; });
}

}  // namespace gapscope::cli
