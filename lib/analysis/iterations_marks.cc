#include "analysis/iterations_marks.h"

#include <algorithm>
#include <cmath>

namespace gapscope {
namespace {

using Rules = LevelRules;

// Places of every symbol and of every burst's begin.
struct Places {
  IterationAnchor anchor;
  std::vector<std::uint32_t> at;
};

std::vector<Places> places_of(absl::Span<const IterationSymbol> piece, bool fine) {
  constexpr std::size_t kLists = SymbolTable::kMaxSymbols + kSymbolClasses;
  std::vector<Places> places(kLists);
  for (std::size_t s = 0; s < kLists; ++s) {
    IterationAnchor& anchor = places[s].anchor;
    anchor.fine = fine;
    anchor.burst = s >= SymbolTable::kMaxSymbols;
    if (anchor.burst) {
      anchor.symbol_class = static_cast<SymbolClass>(s - SymbolTable::kMaxSymbols);
    } else {
      anchor.symbol = static_cast<std::uint16_t>(s);
    }
  }
  for (std::uint32_t i = 0; i < piece.size(); ++i) {
    const IterationSymbol& s = piece[i];
    Places& own = places[s.id(fine)];
    own.anchor.symbol_class = s.symbol_class;
    if (s.weight() > 0) own.at.push_back(i);
    if (s.begins) {
      places[SymbolTable::kMaxSymbols + static_cast<std::size_t>(s.symbol_class)].at.push_back(i);
    }
  }
  return places;
}

// Whether those places are even over most of the piece.
bool even_level(const Places& places, const std::vector<std::uint32_t>& position,
                MarkedLevel& level) {
  const auto& at = places.at;
  if (at.size() < Rules::kMinMarks) return false;
  std::vector<std::uint32_t> distances(at.size() - 1);
  for (std::size_t i = 0; i + 1 < at.size(); ++i) {
    distances[i] = position[at[i + 1]] - position[at[i]];
  }
  std::vector<std::uint32_t> sorted = distances;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  const double period = *middle;
  const double slack = period * Rules::kTolerance + (period < 8 ? 0 : 2);
  const auto even = [&](std::uint32_t d) { return std::abs(d - period) <= slack; };
  std::size_t first = 0;
  while (first + 3 <= distances.size() &&
         !(even(distances[first]) && even(distances[first + 1]) && even(distances[first + 2]))) {
    ++first;
  }
  if (first + Rules::kMinMarks > at.size()) return false;
  const std::uint32_t end = position.back();
  const double tail = end - position[at.back()];
  level.span = end - position[at[first]];
  const bool many_graphs =
      places.anchor.symbol_class == SymbolClass::graph && at.size() >= first + Rules::kManyGraphs;
  if (level.span * 2 < end && !many_graphs) return false;
  if (tail <= period + slack) level.span -= tail;
  double covered = 0;
  for (std::size_t i = first; i < distances.size(); ++i) {
    if (even(distances[i])) covered += distances[i];
  }
  level.even = level.span <= 0 ? 0 : covered / level.span;
  if (period < 1 || level.even < Rules::kCoverage) return false;
  level.anchor = places.anchor;
  level.first = first;
  level.period = period;
  return true;
}

// A higher one is a better place for an iteration to begin.
int rank(const IterationAnchor& anchor) {
  switch (anchor.symbol_class) {
    case SymbolClass::htod:
      return 4;
    case SymbolClass::sync:
      return 3;
    case SymbolClass::graph:
      return 2;
    case SymbolClass::kernel:
      return anchor.burst ? 0 : 1;
    default:
      return 0;
  }
}

bool better(const MarkedLevel& a, const MarkedLevel& b) {
  if (std::abs(a.even - b.even) > 0.02) return a.even > b.even;
  if (rank(a.anchor) != rank(b.anchor)) return rank(a.anchor) > rank(b.anchor);
  return a.even > b.even;
}

}  // namespace

std::vector<MarkedLevel> marked_levels(absl::Span<const IterationSymbol> piece, bool fine) {
  std::vector<std::uint32_t> position(piece.size() + 1);
  for (std::size_t i = 0; i < piece.size(); ++i) position[i + 1] = position[i] + piece[i].weight();
  std::vector<Places> places = places_of(piece, fine);
  // Only a graph launch makes a short repetition worth looking at.
  const bool graphs = std::any_of(piece.begin(), piece.end(), [](const IterationSymbol& s) {
    return s.symbol_class == SymbolClass::graph;
  });
  std::vector<MarkedLevel> found;
  for (Places& p : places) {
    MarkedLevel level;
    if (!even_level(p, position, level)) continue;
    if (!graphs && level.period < Rules::kMinCopyPeriod) continue;
    level.marks = std::move(p.at);
    found.push_back(std::move(level));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const MarkedLevel& a, const MarkedLevel& b) { return a.period < b.period; });
  std::vector<MarkedLevel> levels;
  double from = 0;
  for (MarkedLevel& level : found) {
    if (levels.empty() || level.period > from * (1 + Rules::kTolerance)) {
      from = level.period;
      levels.push_back(std::move(level));
    } else if (better(level, levels.back())) {
      levels.back() = std::move(level);
    }
  }
  return levels;
}

}  // namespace gapscope
