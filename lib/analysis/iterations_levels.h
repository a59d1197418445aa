// In a piece of a symbol sequence: which repetition is the loop that a person would call a step?
//
// Every symbol that comes at even distances (counted in symbols) marks a repetition; those of about
// the same distance are one level: a layer, an iteration, ten iterations with a log line. A level
// explains the piece when the segments between its marks are alike and cover it. Of the levels that
// do, the iteration is
//   1. where optimiser kernels run: the shortest whose segments have one each, or one in every k
//      (gradient accumulation);
//   2. else the shortest whose segments all have a host-to-device copy; else a wait or a
//      device-to-host copy; else a pause of the device; else a graph launch;
//   3. else the longest, of at least kPlainPeriod symbols and kPlainDistinct different ones, in a
//      piece of at least kPlainLength symbols.
// Never one of less than kMinPeriod symbols (kMinCopyPeriod where each has a host-to-device copy),
// unless it launches a graph. No level, no iterations.
//
// Thread-safe: no state.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "analysis/iterations_symbols.h"

namespace gapscope {

// Which symbols mark the begin of an iteration.
struct IterationAnchor {
  bool burst = false;  // where a burst of that class begins; else at that symbol
  SymbolClass symbol_class = SymbolClass::kernel;
  std::uint16_t symbol = 0;
  bool fine = false;  // symbols are told apart by grid
  bool at(const IterationSymbol& s) const {
    return burst ? s.begins && s.symbol_class == symbol_class : s.id(fine) == symbol;
  }
};

// How often which symbol occurs, roughly.
struct SymbolSketch {
  static constexpr std::size_t kBuckets = 64;
  std::array<std::uint32_t, kBuckets> counts{};
  std::uint32_t length = 0;
  void add(std::uint16_t symbol, std::uint32_t weight) {
    counts[(symbol * 40503u >> 6) % kBuckets] += weight;
    length += weight;
  }
  // 0: the same, 1: nothing in common.
  double difference(const SymbolSketch& other) const;
};

struct IterationLevel {
  IterationAnchor anchor;
  double period = 0;  // in symbols
  double span = 0;    // symbols of the piece that it covers, at its end
  double coverage = 0;
  SymbolSketch typical;
};

struct LevelRules {
  static constexpr std::size_t kMinMarks = 5;
  // A level covers the last half of the piece at least; so many launches of a graph need not: one
  // stands for many kernels.
  static constexpr std::size_t kManyGraphs = 16;
  static constexpr double kMinPeriod = 8;
  static constexpr double kMinCopyPeriod = 4;
  static constexpr double kTolerance = 0.1;    // of distances
  static constexpr double kAlike = 0.15;       // of segments: difference from the typical one
  static constexpr double kCoverage = 0.85;    // of the piece
  static constexpr double kContains = 0.9;     // of the segments
  static constexpr int kMaxAccumulation = 64;  // iterations per optimiser step
  static constexpr double kPlainPeriod = 16;
  static constexpr std::size_t kPlainDistinct = 6;
  static constexpr std::size_t kPlainLength = 16384;
};

// O(piece): a few milliseconds for 65,536 symbols.
std::optional<IterationLevel> find_iteration_level(absl::Span<const IterationSymbol> piece);

}  // namespace gapscope
