// Waits, CPU/GPU overlap, findings and advice.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "sink/figures.h"
#include "sink/page.h"

namespace gapscope::sink {
namespace {

constexpr std::size_t kTopWaits = 3;
constexpr double kLeastShare = 0.005;  // of the window; the longest is shown in any case

}  // namespace

void write_waits(const Page& page, Canvas& canvas) {
  const char* label = "Waits";
  const auto window = static_cast<double>(page.scope.overlap.window_ns);
  std::size_t shown = 0;
  for (const report::Wait& wait : page.scope.waits) {
    const bool matters = static_cast<double>(wait.total_ns) > kLeastShare * window;
    if (wait.total_ns <= 0 || shown == kTopWaits || (shown > 0 && !matters)) continue;
    ++shown;
    const auto total = static_cast<double>(wait.total_ns);
    const Unit unit = unit_for(total);
    const int decimals = unit.ns < 1e9 ? 1 : 2;
    const std::vector<std::int64_t> parts =
        apportion({static_cast<double>(wait.gpu_busy_ns) / unit.ns,
                   static_cast<double>(wait.gpu_idle_ns) / unit.ns},
                  total / unit.ns, decimals);
    canvas.folded(label, absl::StrCat(wait.name, " ", fixed(total / unit.ns, decimals), " ",
                                      unit.name, ": GPU busy in ", scaled_fixed(parts[0], decimals),
                                      " of it, idle in ", scaled_fixed(parts[1], decimals)));
    label = "";
  }
}

void write_overlap(const Page& page, Canvas& canvas) {
  const report::Overlap& overlap = page.scope.overlap;
  const std::vector<double> parts = {
      static_cast<double>(overlap.both_ns), static_cast<double>(overlap.gpu_only_ns),
      static_cast<double>(overlap.cpu_only_ns), static_cast<double>(overlap.neither_ns)};
  if (std::none_of(parts.begin(), parts.end(), [](double ns) { return ns > 0; })) return;
  const std::vector<std::int64_t> tenths = percent_tenths(parts);
  const double cpu = parts[0] + parts[2];
  canvas.folded("CPU/GPU",
                absl::StrCat("both ", scaled_fixed(tenths[0], 1), " %, GPU only ",
                             scaled_fixed(tenths[1], 1), ", CPU only ", scaled_fixed(tenths[2], 1),
                             ", neither ", scaled_fixed(tenths[3], 1), "  (of window)"));
  canvas.folded("", absl::StrCat("overlap ", percent(parts[0], cpu), " = both / (both + CPU only)",
                                 overlap.basis.empty() ? "" : "; CPU = ", overlap.basis));
}

void write_findings(const Page& page, const report::Device& device, Canvas& canvas) {
  if (device.findings.empty()) return;
  canvas.blank();
  const char* label = "Findings";
  for (const report::Finding& finding : device.findings) {
    std::string text = finding.finding;
    if (finding.ns > 0)
      absl::StrAppend(
          &text, " ", duration(static_cast<double>(finding.ns)), " = ",
          percent(static_cast<double>(finding.ns), static_cast<double>(device.time.window_ns)),
          " of the ", page.window_word);
    if (!finding.text.empty()) absl::StrAppend(&text, ": ", finding.text);
    canvas.folded(label, text);
    label = "";
  }
}

void write_advice(const Page& page, Canvas& canvas) {
  if (page.report.advice.empty()) return;
  canvas.blank();
  canvas.line("What to try (bounds do not add)", Style::label);
  int number = 0;
  for (const report::Advice& advice : page.report.advice) {
    std::string bound = bound_text(page, canvas, advice);
    if (const std::string factor = bound_factor(advice); !factor.empty())
      absl::StrAppend(&bound, ", ", factor);
    canvas.folded(absl::StrCat("         ", ++number), absl::StrCat(advice.text, ": ", bound));
    if (!advice.source.empty())
      canvas.folded("", absl::StrCat("source: ", advice.source), Style::faint);
  }
  canvas.folded("     Check",
                "rerun, then `gapscope diff` prints what each bound promised and "
                "what it won");
}

}  // namespace gapscope::sink
