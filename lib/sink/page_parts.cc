// The arithmetic that several sections share.
#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "report/per_step.h"
#include "sink/figures.h"
#include "sink/page.h"

namespace gapscope::sink {
namespace {

constexpr std::int64_t kFewOperations = 100;
constexpr double kTinyShare = 0.0005;

// "kernels: GEMM 62 %, norm 24 %", of the time of all kernels, summed over streams.
std::string compute_evidence(const report::Device& device) {
  double all = 0;
  for (const report::Family& family : device.families) all += static_cast<double>(family.total_ns);
  std::string text;
  for (std::size_t i = 0; i < device.families.size() && i < 2; ++i) {
    const auto ns = static_cast<double>(device.families[i].total_ns);
    if (!(all > 0) || ns / all < 0.05) break;
    absl::StrAppend(&text, i > 0 ? ", " : "kernels: ", device.families[i].name, " ",
                    percent(ns, all, 0));
  }
  return text;
}

// "HtoD pageable, 6.82 GB at 4.1 GB/s"
std::string copy_evidence(const report::Device& device) {
  const auto longest = std::max_element(
      device.copies.begin(), device.copies.end(),
      [](const auto& a, const auto& b) { return a.time.total_ns < b.time.total_ns; });
  if (longest == device.copies.end() || longest->time.total_ns <= 0) return "";
  const std::string& memory = longest->source == "device" ? longest->destination : longest->source;
  const auto size = static_cast<double>(longest->bytes);
  if (longest->direction == "set") return absl::StrCat("memset, ", bytes(size));
  return absl::StrCat(longest->direction, memory.empty() ? "" : " ", memory, ", ", bytes(size),
                      " at ", rate(size, static_cast<double>(longest->time.total_ns)), " GB/s");
}

// What a cause means, where its entry holds no evidence of its own.
std::string usual_evidence(const std::string& cause) {
  static constexpr std::pair<std::string_view, std::string_view> kTexts[] = {
      {"launch-bound", "next operation not yet launched"},
      {"spacing", "next operation already queued"},
      {"dependency", "launched, waiting for other work"},
      {"profiler", "CUPTI's own work"},
      {"unattributed", "none of the causes fits"}};
  for (const auto& [name, text] : kTexts)
    if (cause == name) return std::string(text);
  return "";
}

// Idle rows that would read 0.0 % become one, so that the column still adds up.
void merge_tiny(double window, std::vector<Part>& parts) {
  const auto tiny = [window](const Part& part) {
    return part.kind == Part::Kind::idle && part.ns < kTinyShare * window;
  };
  if (std::count_if(parts.begin(), parts.end(), tiny) < 2) return;
  Part merged{Part::Kind::idle, "other causes", 0, ""};
  for (const Part& part : parts) {
    if (!tiny(part)) continue;
    merged.ns += part.ns;
    absl::StrAppend(&merged.evidence, merged.evidence.empty() ? "" : ", ", part.label);
  }
  parts.erase(std::remove_if(parts.begin(), parts.end(), tiny), parts.end());
  if (merged.ns > 0) parts.push_back(std::move(merged));
}

// The idle rows: by cause where causes are known, else by what the gaps alone tell.
void add_idle_parts(const report::Device& device, std::vector<Part>& parts) {
  constexpr auto kIdle = Part::Kind::idle;
  for (const report::Cause& cause : device.causes) {
    parts.push_back(
        {kIdle, cause.cause == "spacing" ? "spacing < 5 us" : cause.cause,
         static_cast<double>(cause.idle_ns),
         cause.evidence.empty() ? usual_evidence(cause.cause) : cause.evidence.front().text});
  }
  if (!device.causes.empty()) return merge_tiny(static_cast<double>(device.time.window_ns), parts);
  const auto idle = static_cast<double>(device.time.idle_ns);
  const double bound = std::min(static_cast<double>(device.launch_bound_ns), idle);
  const double spacing = std::min(static_cast<double>(device.spacing_ns), idle - bound);
  const auto add = [&](const char* label, double ns, const char* evidence) {
    if (ns > 0) parts.push_back({kIdle, label, ns, evidence});
  };
  add("idle, unlaunched", bound, "next operation not yet launched");
  add("spacing < 5 us", spacing, "idle, next operation already queued");
  add("idle, other", idle - bound - spacing, "next operation queued, or its launch unknown");
}

}  // namespace

Page::Page(const report::Report& full_report, const TextOptions& text_options)
    : report(full_report),
      scope(report::shown_scope(full_report)),
      options(text_options),
      steady(full_report.steady.has_value()),
      steps(report::steps_shown(full_report)),
      step_word(absl::StartsWith(full_report.steps.source, "detected") ? "iter" : "step"),
      window_word(steady ? "steady window" : "window") {}

std::vector<Part> time_parts(const report::Device& device) {
  const report::TimeSplit& time = device.time;
  std::vector<Part> parts;
  parts.push_back({Part::Kind::compute, "compute", static_cast<double>(time.compute_ns),
                   compute_evidence(device)});
  if (time.comm_exposed_ns != 0) {
    parts.push_back({Part::Kind::communication, "exposed comm",
                     static_cast<double>(time.comm_exposed_ns),
                     "communication, no compute beside it"});
  }
  parts.push_back({Part::Kind::copy, "copy only", static_cast<double>(time.copy_only_ns),
                   copy_evidence(device)});
  add_idle_parts(device, parts);
  if (time.unknown_ns != 0) {
    parts.push_back({Part::Kind::unknown, "unknown", static_cast<double>(time.unknown_ns),
                     "launched, but no device record came"});
  }
  for (Part& part : parts) part.ns = std::max(part.ns, 0.0);
  return parts;
}

std::vector<Part> summed_parts(const std::vector<const report::Device*>& devices) {
  std::vector<Part> sum;
  for (const report::Device* device : devices) {
    for (const Part& part : time_parts(*device)) {
      const auto same = std::find_if(sum.begin(), sum.end(),
                                     [&](const Part& other) { return other.label == part.label; });
      if (same != sum.end()) {
        same->ns += part.ns;
      } else {
        sum.push_back({part.kind, part.label, part.ns, ""});
      }
    }
  }
  std::stable_sort(sum.begin(), sum.end(), [](const Part& a, const Part& b) {
    return a.kind != b.kind ? a.kind < b.kind : a.ns > b.ns;
  });
  return sum;
}

std::vector<const report::Device*> full_devices(const report::Scope& scope) {
  std::vector<const report::Device*> full;
  for (const report::Device& device : scope.devices) {
    if (scope.devices.size() == 1 || device.operations >= kFewOperations) full.push_back(&device);
  }
  return full;
}

std::string device_title(const report::Device& device) {
  return absl::StrCat("GPU ", device.device, device.name.empty() ? "" : " ",
                      absl::StripPrefix(device.name, "NVIDIA "));
}

std::string bound_text(const Page& page, const Canvas& canvas, const report::Advice& advice) {
  if (!(advice.after_ms < advice.before_ms)) return "what it wins is not known here";
  const Unit unit = unit_for(std::max(advice.before_ms, 0.0) * 1e6);
  const double scale = 1e6 / unit.ns;
  const int decimals = advice.before_ms * scale < 9.995 ? 2 : 1;
  return absl::StrCat(fixed(advice.before_ms * scale, decimals), " ", canvas.arrow(), " ",
                      fixed(advice.after_ms * scale, decimals), " ", unit.name,
                      page.steps > 0 ? "/" : "", page.steps > 0 ? page.step_word : "", " at best");
}

std::string bound_factor(const report::Advice& advice) {
  if (!(advice.after_ms > 0) || !(advice.before_ms > advice.after_ms)) return "";
  return fixed(advice.before_ms / advice.after_ms, 2) + "x";
}

}  // namespace gapscope::sink
