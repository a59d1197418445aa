// Symbols that come at even distances, grouped by that distance.
//
// Thread-safe: no state.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "analysis/iterations_levels.h"

namespace gapscope {

struct MarkedLevel {
  IterationAnchor anchor;
  std::vector<std::uint32_t> marks;  // its places in the piece
  std::size_t first = 0;             // of marks: from there on they are even
  double period = 0;                 // median distance
  double span = 0;                   // symbols from the first mark to the end, or the last mark
  double even = 0;                   // share of the span in even distances
};

// Ascending by period; of each level the best anchor.
std::vector<MarkedLevel> marked_levels(absl::Span<const IterationSymbol> piece, bool fine);

}  // namespace gapscope
