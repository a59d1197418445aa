// Families and the hottest kernels.
#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "sink/figures.h"
#include "sink/page.h"
#include "sink/table.h"

namespace gapscope::sink {
namespace {

constexpr std::size_t kTopKernels = 10;
constexpr std::size_t kTopFamilies = 6;

double average(const report::Distribution& time) {
  return time.count > 0 ? static_cast<double>(time.total_ns) / static_cast<double>(time.count) : 0;
}

// The unit in which the shortest of the listed averages still shows digits.
Unit unit_for_averages(const std::vector<report::Kernel>& kernels, std::size_t shown) {
  double least = 1e18;
  for (std::size_t i = 0; i < shown; ++i) least = std::min(least, average(kernels[i].time));
  return unit_for(least);
}

// Shares of the compute time: every shown kernel alone, the other kernels alone, and the time in
// which something ran beside a kernel. Communication kernels have no part in compute.
struct Shares {
  std::vector<std::int64_t> tenths;
  double others_ns = 0;
  double beside_ns = 0;
};

Shares shares_of(const report::Device& device, std::size_t shown) {
  Shares shares;
  std::vector<double> parts;
  double alone = 0;
  for (std::size_t i = 0; i < device.kernels.size(); ++i) {
    const report::Kernel& kernel = device.kernels[i];
    const double ns = kernel.communication ? 0 : static_cast<double>(kernel.alone_ns);
    alone += ns;
    if (i < shown) {
      parts.push_back(ns);
    } else {
      shares.others_ns += ns;
    }
  }
  shares.beside_ns = std::max(static_cast<double>(device.time.compute_ns) - alone, 0.0);
  parts.push_back(shares.others_ns);
  parts.push_back(shares.beside_ns);
  shares.tenths = percent_tenths(parts);
  return shares;
}

// The short name may itself have been cut; the whole one is cut better here.
const std::string& shown_name(const report::Kernel& kernel) {
  const std::string_view name = kernel.name;
  if (name.size() <= 3 || name.substr(name.size() - 3) != "...") return kernel.name;
  const std::string_view kept = name.substr(0, name.size() - 3);
  return kernel.full_name.compare(0, kept.size(), kept) == 0 ? kernel.full_name : kernel.name;
}

// "25 reg": the occupancy in percent and what limits it. A launch of less than one wave cannot even
// reach it.
std::string occupancy_cell(const report::Kernel& kernel) {
  if (!kernel.occupancy || kernel.occupancy->max_warps == 0) return "-";
  static constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"registers", "reg"}, {"shared memory", "smem"}, {"clusters", "cluster"},
      {"blocks", "blocks"}, {"barriers", "bar"},
  };
  const report::Occupancy& occupancy = *kernel.occupancy;
  std::string cell = fixed(occupancy.warps / occupancy.max_warps * 100, 0);
  if (occupancy.waves < 1) return cell + " grid";
  if (cell == "100") return cell;
  for (const auto& [name, word] : kShort) {
    if (absl::StrContains(occupancy.limiter, name)) return absl::StrCat(cell, " ", word);
  }
  return cell;
}

std::string waves_cell(const report::Kernel& kernel) {
  return kernel.occupancy ? fixed(kernel.occupancy->waves, kernel.occupancy->waves < 10 ? 1 : 0)
                          : std::string("-");
}

}  // namespace

void write_families(const report::Device& device, Canvas& canvas) {
  std::vector<std::pair<std::string, double>> shown;
  double other = 0;
  double all = 0;
  for (const report::Family& family : device.families) {
    const auto ns = std::max(static_cast<double>(family.total_ns), 0.0);
    all += ns;
    if (shown.size() < kTopFamilies && family.name != "other" && ns > 0) {
      shown.emplace_back(family.name, ns);
    } else {
      other += ns;
    }
  }
  if (!(all > 0)) return;
  if (other > 0) shown.emplace_back("other", other);
  std::vector<double> shares;
  for (const auto& [name, ns] : shown) shares.push_back(ns / all * 100);
  const std::vector<std::int64_t> whole = apportion(shares, 100, 0);
  std::string text;
  for (std::size_t i = 0; i < shown.size(); ++i)
    absl::StrAppend(&text, i > 0 ? ", " : "", shown[i].first, " ", whole[i], i == 0 ? " %" : "");
  canvas.folded("Families", text + "  (% of kernel time, summed over streams)");
}

void write_kernels(const report::Device& device, Canvas& canvas) {
  const std::size_t shown = std::min(kTopKernels, device.kernels.size());
  if (shown == 0) return;
  const auto names = std::max(static_cast<double>(device.kernel_names),
                              static_cast<double>(device.kernels.size()));
  const auto compute = static_cast<double>(device.time.compute_ns);
  const Unit sum_unit = unit_for(compute);
  const Unit unit = unit_for_averages(device.kernels, shown);
  const Shares shares = shares_of(device, shown);
  const auto share = [&](std::size_t i) {
    return compute > 0 ? scaled_fixed(shares.tenths[i], 1) : std::string("-");
  };
  const int decimals = compute / sum_unit.ns < 9.995 ? 3 : 2;
  const auto sum = [&](double ns) { return fixed(ns / sum_unit.ns, decimals); };
  const auto one = [&](double ns) { return fixed(ns / unit.ns, 1); };

  Table table(Table::Fold::name);
  table.column("%", Table::Align::right);
  table.column(absl::StrCat("alone ", sum_unit.name), Table::Align::right);
  table.column("calls", Table::Align::right);
  table.column(absl::StrCat("avg ", unit.name), Table::Align::right);
  table.column("med", Table::Align::right, 3);
  table.column("max", Table::Align::right, 1);
  table.column("occ %", Table::Align::left, 2);
  table.column("waves", Table::Align::right, 4);
  table.column("name", Table::Align::left);
  const bool occupancy = std::any_of(device.kernels.begin(), device.kernels.begin() + shown,
                                     [](const auto& k) { return k.occupancy.has_value(); });
  if (!occupancy) {
    table.hide(6);
    table.hide(7);
  }
  for (std::size_t i = 0; i < shown; ++i) {
    const report::Kernel& kernel = device.kernels[i];
    table.row({kernel.communication ? "-" : share(i), sum(static_cast<double>(kernel.alone_ns)),
               count(kernel.time.count), one(average(kernel.time)),
               one(static_cast<double>(kernel.time.p50_ns)),
               one(static_cast<double>(kernel.time.max_ns)), occupancy_cell(kernel),
               waves_cell(kernel), shown_name(kernel)});
  }
  if (shares.others_ns > 0)
    table.row({share(shown), sum(shares.others_ns), "", "", "", "", "", "", "(all other kernels)"},
              Style::faint);
  if (shares.beside_ns > 0)
    table.row(
        {share(shown + 1), sum(shares.beside_ns), "", "", "", "", "", "", "(several ops at once)"},
        Style::faint);
  canvas.blank();
  canvas.folded("Kernels", absl::StrCat("top ", shown, " of ", fixed(names, 0),
                                        "; % = time alone on the GPU / compute",
                                        occupancy ? "; occ = warps that fit / warp slots" : ""));
  table.print(canvas, 2);
}

}  // namespace gapscope::sink
