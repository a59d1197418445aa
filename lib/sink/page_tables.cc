// Copies, longest gaps, calls, ranges.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "sink/figures.h"
#include "sink/page.h"
#include "sink/safe_text.h"
#include "sink/table.h"

namespace gapscope::sink {
namespace {

constexpr std::size_t kTopRanges = 10;

struct Category {
  std::string name;
  double calls = 0;
  double total_ns = 0;
  double blocking_ns = 0;
  double max_ns = 0;
  double failed = 0;
  const report::HostCall* longest = nullptr;
};

std::vector<Category> by_category(const std::vector<report::HostCall>& calls) {
  std::vector<Category> categories;
  for (const report::HostCall& call : calls) {
    auto at = std::find_if(categories.begin(), categories.end(),
                           [&](const Category& c) { return c.name == call.category; });
    if (at == categories.end()) at = categories.insert(at, Category{call.category});
    at->calls += static_cast<double>(call.time.count);
    at->total_ns += static_cast<double>(call.time.total_ns);
    at->blocking_ns += static_cast<double>(call.blocking_ns);
    at->max_ns = std::max(at->max_ns, static_cast<double>(call.time.max_ns));
    at->failed += static_cast<double>(call.failed);
    if (at->longest == nullptr || call.time.total_ns > at->longest->time.total_ns)
      at->longest = &call;
  }
  std::stable_sort(categories.begin(), categories.end(),
                   [](const Category& a, const Category& b) { return a.total_ns > b.total_ns; });
  return categories;
}

// "pageable -> device", "device" for a set.
std::string memory_text(const report::Copy& copy, const Canvas& canvas) {
  if (copy.source.empty() || copy.destination.empty()) return copy.source + copy.destination;
  return absl::StrCat(copy.source, " ", canvas.arrow(), " ", copy.destination);
}

// "before -> after", each name with half of the room that the other columns leave.
std::string neighbours(const report::LongGap& gap, std::size_t room, const Canvas& canvas) {
  const std::size_t each = (room - 4) / 2;
  const auto name = [&](const std::string& text) {
    return folded_name(printable(text, canvas.utf8()), each, canvas.utf8());
  };
  return absl::StrCat(name(gap.before), " ", canvas.arrow(), " ", name(gap.after));
}

}  // namespace

void write_copies(const report::Device& device, Canvas& canvas) {
  if (device.copies.empty()) return;
  Table table;
  table.column("direction", Table::Align::left);
  table.column("count", Table::Align::right);
  table.column("bytes", Table::Align::right);
  table.column("GB/s", Table::Align::right, 0, 6);
  table.column("time", Table::Align::right);
  table.column("hidden", Table::Align::right);
  table.column("memory", Table::Align::left);
  for (const report::Copy& copy : device.copies) {
    const auto total = static_cast<double>(copy.time.total_ns);
    const auto size = static_cast<double>(copy.bytes);
    table.row({copy.direction == "set" ? "memset" : copy.direction, count(copy.time.count),
               bytes(size), rate(size, total), duration(total),
               percent(static_cast<double>(copy.hidden_ns), total, 0), memory_text(copy, canvas)});
  }
  canvas.blank();
  canvas.folded("Copies", "time summed over streams; hidden = share of it while a kernel ran");
  table.print(canvas, 2);
}

void write_longest_gaps(const report::Device& device, Canvas& canvas) {
  if (device.gaps.longest.empty()) return;
  const bool causes = std::any_of(device.gaps.longest.begin(), device.gaps.longest.end(),
                                  [](const auto& gap) { return !gap.cause.empty(); });
  double last = 0;
  for (const report::LongGap& gap : device.gaps.longest)
    last = std::max(last, static_cast<double>(gap.at_ns));
  const Unit unit = unit_for(last);
  Table table;
  table.column(absl::StrCat("at ", unit.name), Table::Align::right, 0, 8);
  table.column("length", Table::Align::right, 0, 8);
  table.column("cause", Table::Align::left);
  table.column(absl::StrCat("before ", canvas.arrow(), " after"), Table::Align::left);
  for (const report::LongGap& gap : device.gaps.longest) {
    table.row({fixed(static_cast<double>(gap.at_ns) / unit.ns, 3),
               duration(static_cast<double>(gap.length_ns)), cut(gap.cause, 18, canvas.utf8()),
               neighbours(gap, canvas.width() - (causes ? 44 : 24), canvas)});
  }
  if (!causes) table.hide(2);
  canvas.blank();
  canvas.folded("Longest", "idle gaps; at = after the first operation");
  table.print(canvas, 2);
}

void write_calls(const Page& page, Canvas& canvas) {
  const std::vector<Category> categories = by_category(page.scope.host_calls);
  if (categories.empty()) return;
  const Unit unit = unit_for(categories.front().total_ns);
  Table table;
  table.column("category", Table::Align::left);
  table.column("calls", Table::Align::right);
  table.column(absl::StrCat("total ", unit.name), Table::Align::right);
  table.column("blocking", Table::Align::right, 1);
  table.column("avg", Table::Align::right);
  table.column("max", Table::Align::right, 2);
  table.column("mostly", Table::Align::left);
  for (const Category& category : categories) {
    std::string mostly = category.longest->name;
    if (category.failed > 0) absl::StrAppend(&mostly, ", ", fixed(category.failed, 0), " failed");
    table.row({category.name, fixed(category.calls, 0), fixed(category.total_ns / unit.ns, 2),
               fixed(category.blocking_ns / unit.ns, 2),
               category.calls > 0 ? duration(category.total_ns / category.calls) : "-",
               duration(category.max_ns), std::move(mostly)});
  }
  canvas.blank();
  canvas.folded("Calls", "CUDA calls, summed over threads; blocking = part of it spent waiting");
  table.print(canvas, 2);
}

void write_ranges(const Page& page, Canvas& canvas) {
  const auto& ranges = page.scope.ranges;
  if (ranges.empty()) return;
  double longest = 0;
  for (const report::Range& range : ranges)
    longest = std::max(longest, static_cast<double>(range.host_ns));
  const Unit unit = unit_for(longest);
  const auto in = [&](std::int64_t ns) { return fixed(static_cast<double>(ns) / unit.ns, 2); };
  Table table(Table::Fold::middle);
  table.column("calls", Table::Align::right);
  table.column(absl::StrCat("host ", unit.name), Table::Align::right);
  table.column(absl::StrCat("GPU ", unit.name), Table::Align::right);
  table.column("idle in it", Table::Align::right);
  table.column("kernels", Table::Align::right, 1);
  table.column("range", Table::Align::left);
  for (std::size_t i = 0; i < std::min(kTopRanges, ranges.size()); ++i) {
    const report::Range& range = ranges[i];
    table.row({count(range.calls), in(range.host_ns), in(range.device_union_ns), in(range.idle_ns),
               count(range.kernels),
               absl::StrCat(range.path, range.via_thread ? " (via thread)" : "")});
  }
  canvas.blank();
  canvas.folded("Ranges", absl::StrCat(std::min(kTopRanges, ranges.size()), " of ", ranges.size(),
                                       "; GPU = union of the operations launched in the range"));
  table.print(canvas, 2);
}

}  // namespace gapscope::sink
