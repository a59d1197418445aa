#include "sink/diff_text.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "sink/canvas.h"
#include "sink/figures.h"
#include "sink/safe_text.h"
#include "sink/table.h"

namespace gapscope::sink {
namespace {

constexpr std::size_t kTopChanges = 10;
constexpr int kDecimals = 2;
constexpr double kScale = 100;  // 10^kDecimals

// What every section needs to print times in the same unit.
struct Sheet {
  const report::Diff& diff;
  Unit unit;
  const char* per;  // "/step" or ""
  Canvas& canvas;

  std::string in(double ns) const { return fixed(ns / unit.ns, kDecimals); }
  std::string change(double ns) const {
    const std::string text = in(ns);
    return ns > 0 && text != "0.00" ? "+" + text : text;
  }
  std::string unit_text() const { return absl::StrCat(unit.name, per); }
};

std::string relative(double change, double before) {
  if (!(before > 0)) return "-";
  return absl::StrCat(change > 0 ? "+" : "", percent(change, before));
}

std::string run_text(const report::Report& report, double steps) {
  return absl::StrCat(report.process.command.empty() ? "?" : short_command(report.process.command),
                      "  pid ", report.process.pid, steps > 0 ? "  " : "",
                      steps > 0 ? fixed(steps, 0) + " steps" : "");
}

const char* row_label(const std::string& label) {
  return label == "spacing" ? "spacing < 5 us" : label.c_str();
}

void write_total(const Sheet& sheet) {
  const report::Diff& diff = sheet.diff;
  const report::Change& change = diff.per_step ? diff.step : diff.total;
  const double by = change.change_ns();
  const bool real = !diff.per_step || diff.beyond_noise(by);
  std::string text = absl::StrCat(sheet.in(change.before_ns), " ", sheet.canvas.arrow(), " ",
                                  sheet.in(change.after_ns), " ", sheet.unit.name, ", ",
                                  sheet.change(by), " (", relative(by, change.before_ns), ")");
  if (diff.per_step) {
    absl::StrAppend(&text, real ? ", beyond" : ", within", " the noise of ",
                    duration(diff.noise_ns));
  }
  sheet.canvas.folded(diff.per_step ? "STEP" : "RUN", text,
                      !real || by == 0 ? Style::plain
                      : by < 0         ? Style::good
                                       : Style::bad);
}

// Changes are rounded so that they add up to the total's; old and new are rounded by themselves.
std::vector<std::string> change_cells(const Sheet& sheet, double total) {
  std::vector<double> rises;
  std::vector<double> falls;
  for (const report::PartChange& part : sheet.diff.parts) {
    const double by = part.time.change_ns() / sheet.unit.ns;
    rises.push_back(std::max(by, 0.0));
    falls.push_back(std::max(-by, 0.0));
  }
  double risen = 0;
  for (const double rise : rises) risen += rise;
  // What rose and what fell are apportioned apart, such that their difference is the total.
  const double rounded_total = std::round(total / sheet.unit.ns * kScale) / kScale;
  const double rounded_rise = std::round(risen * kScale) / kScale;
  const auto up = apportion(rises, rounded_rise, kDecimals);
  const auto down = apportion(falls, rounded_rise - rounded_total, kDecimals);
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < up.size(); ++i) {
    const std::int64_t by = up[i] - down[i];
    cells.push_back(absl::StrCat(by > 0 ? "+" : "", scaled_fixed(by, kDecimals)));
  }
  return cells;
}

void write_parts(const Sheet& sheet) {
  const report::Diff& diff = sheet.diff;
  const double by = diff.total.change_ns();
  const std::vector<std::string> changes = change_cells(sheet, by);
  Table table;
  table.column(sheet.unit_text(), Table::Align::left, 0, 16);
  table.column("before", Table::Align::right, 0, 8);
  table.column("after", Table::Align::right, 0, 8);
  table.column("change", Table::Align::right, 0, 8);
  table.column("", Table::Align::left);
  for (std::size_t i = 0; i < diff.parts.size(); ++i) {
    const report::PartChange& part = diff.parts[i];
    const bool small = diff.per_step && !diff.beyond_noise(part.time.change_ns());
    std::string note = part.idle ? "idle" : "";
    if (small) absl::StrAppend(&note, note.empty() ? "" : ", ", "within noise");
    table.row({row_label(part.label), sheet.in(part.time.before_ns), sheet.in(part.time.after_ns),
               changes[i], std::move(note)},
              small ? Style::faint : Style::plain);
  }
  table.row({"total", sheet.in(diff.total.before_ns), sheet.in(diff.total.after_ns),
             sheet.change(by), ""},
            Style::label);
  sheet.canvas.blank();
  table.print(sheet.canvas, 0);
}

void write_promises(const Sheet& sheet) {
  if (sheet.diff.promises.empty()) return;
  sheet.canvas.blank();
  const char* label = "Promised";
  for (const report::Promise& promise : sheet.diff.promises) {
    std::string text = absl::StrCat(promise.text, ": at best ", sheet.in(promise.promised_ns), " ",
                                    sheet.unit_text());
    if (promise.known) {
      absl::StrAppend(&text, "; ", row_label(promise.cause),
                      promise.won_ns < 0 ? " lost " : " won ", sheet.in(std::fabs(promise.won_ns)));
    }
    if (promise.still_given) absl::StrAppend(&text, "; still advised");
    sheet.canvas.folded(label, text);
    label = "";
  }
}

const char* fate_text(report::KernelFate fate) {
  switch (fate) {
    case report::KernelFate::added:
      return "new";
    case report::KernelFate::gone:
      return "gone";
    case report::KernelFate::slower:
      return "slower";
    case report::KernelFate::faster:
      return "faster";
    case report::KernelFate::more_calls:
      return "more calls";
    case report::KernelFate::fewer_calls:
      return "fewer calls";
  }
  return "";
}

void write_kernels(const Sheet& sheet) {
  const report::Diff& diff = sheet.diff;
  if (diff.kernels.empty() && diff.kernels_same == 0) return;
  sheet.canvas.blank();
  const std::size_t shown = std::min(kTopChanges, diff.kernels.size());
  sheet.canvas.folded("Kernels",
                      absl::StrCat(diff.kernels.size(), " changed, ", diff.kernels_same, " did not",
                                   shown < diff.kernels.size() ? "; the largest changes:" : ""));
  if (shown == 0) return;
  Table table(Table::Fold::name);
  table.column(absl::StrCat("change us", sheet.per), Table::Align::right);
  table.column("", Table::Align::left);
  table.column("avg us before", Table::Align::right, 1);
  table.column("after", Table::Align::right);
  table.column("name", Table::Align::left);
  const auto us = [](double ns) { return ns > 0 ? fixed(ns / 1e3, 1) : std::string("-"); };
  for (std::size_t i = 0; i < shown; ++i) {
    const report::KernelChange& kernel = diff.kernels[i];
    const double by = kernel.time.change_ns();
    table.row({absl::StrCat(by > 0 ? "+" : "", fixed(by / 1e3, 1)), fate_text(kernel.fate),
               us(kernel.average.before_ns), us(kernel.average.after_ns), kernel.name});
  }
  table.print(sheet.canvas, 2);
}

}  // namespace

std::string diff_to_text(const report::Diff& diff, const report::Report& before,
                         const report::Report& after, const TextOptions& options) {
  Canvas canvas(options);
  const report::Change& whole = diff.per_step ? diff.step : diff.total;
  const Sheet sheet{diff, unit_for(std::max(whole.before_ns, whole.after_ns)),
                    diff.per_step ? "/step" : "", canvas};
  canvas.folded("before", run_text(before, diff.steps_before));
  canvas.folded("after", run_text(after, diff.steps_after));
  write_total(sheet);
  if (diff.parts.empty()) {
    canvas.folded("", "no GPU time in either report");
  } else {
    write_parts(sheet);
  }
  write_promises(sheet);
  write_kernels(sheet);
  if (!diff.notes.empty() || diff.per_step) canvas.blank();
  if (diff.per_step) {
    canvas.folded("Noise", "2 standard errors of the mean step; separate runs may differ by more",
                  Style::faint);
  }
  const char* label = "Notes";
  for (const std::string& note : diff.notes) {
    canvas.folded(label, note);
    label = "";
  }
  return canvas.take();
}

std::string gates_to_text(const std::vector<report::GateResult>& gates,
                          const TextOptions& options) {
  Canvas canvas(options);
  for (const report::GateResult& gate : gates)
    canvas.folded(gate.failed ? "FAIL" : "PASS", gate.message,
                  gate.failed ? Style::bad : Style::good);
  return canvas.take();
}

}  // namespace gapscope::sink
