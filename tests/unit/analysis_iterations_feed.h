// Writes the launches of made-up programs to an IterationFinder and keeps what it says.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/iterations.h"

namespace gapscope::test {

class LoopFeed {
 public:
  // Kernels are known by number; those from kOptimiser on are an optimiser's.
  static constexpr std::uint32_t kOptimiser = 100000;

  void kernel(std::uint32_t name, std::uint32_t grid = 1, std::int64_t ns = 10'000) {
    Operation op;
    op.kind = RecordKind::kernel;
    op.name = name;
    op.grid[0] = grid;
    run(op, ns, name >= kOptimiser);
  }
  void kernels(std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) kernel(first + i);
  }
  void copy(CopyDirection direction) {
    Operation op;
    op.kind = RecordKind::copy;
    op.copy_key = copy_key(direction, MemoryKind::pinned, MemoryKind::device);
    run(op, 10'000, false);
  }
  void htod() { copy(CopyDirection::htod); }
  void dtoh() { copy(CopyDirection::dtoh); }
  void sync() { note(finder.synchronised(now)); }
  void finish() { note(finder.finish()); }
  void pause(std::int64_t ns) { now += ns; }
  // A launch of a graph of so many kernels.
  void graph(std::uint32_t id, int kernels = 20) {
    ++correlation_;
    for (int i = 0; i < kernels; ++i) {
      Operation op;
      op.kind = RecordKind::kernel;
      op.name = 50 + static_cast<std::uint32_t>(i);
      op.graph_id = id;
      op.correlation_id = correlation_;
      run(op, 10'000, false);
    }
  }
  // .item()
  void item() {
    dtoh();
    sync();
  }

  // Call where an iteration of the program begins.
  void truth() { begins.push_back(now); }

  // Of the iterations found, the share that holds exactly one begin of the program's own.
  double agreement() const {
    if (begins.size() < 3) return 0;
    std::size_t good = 0, all = 0;
    for (std::size_t i = 1; i < marks.size(); ++i) {
      if (marks[i].resumes) continue;
      ++all;
      std::size_t inside = 0;  // true begins within
      for (const std::int64_t begin : begins) {
        if (begin > marks[i - 1].device_ns && begin <= marks[i].device_ns) ++inside;
      }
      // Where the program ends, another iteration would begin.
      if (now > marks[i - 1].device_ns && now <= marks[i].device_ns) ++inside;
      if (inside == 1) ++good;
    }
    return all == 0 ? 0 : static_cast<double>(good) / static_cast<double>(all);
  }
  double found_share() const {
    return static_cast<double>(finder.iterations()) / static_cast<double>(begins.size());
  }

  IterationFinder finder;
  std::int64_t now = 1'000'000'000;
  std::vector<std::int64_t> begins;
  std::vector<IterationBoundary> marks;
  int loops = 0;

 private:
  void run(Operation op, std::int64_t ns, bool optimiser) {
    if (op.graph_id == 0) op.correlation_id = ++correlation_;
    op.start_ns = now;
    op.end_ns = now + ns;
    op.launch.start_ns = now - 5'000;
    now += ns;
    note(finder.operation(op, optimiser));
  }
  void note(IterationFinder::Found found) {
    if (found == IterationFinder::Found::nothing) return;
    if (found == IterationFinder::Found::loop) {
      marks.clear();
      ++loops;
    }
    marks.insert(marks.end(), finder.boundaries().begin(), finder.boundaries().end());
  }
  std::uint32_t correlation_ = 0;
};

}  // namespace gapscope::test
