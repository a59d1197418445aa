#include "analysis/iterations_levels.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "analysis/iterations_marks.h"

namespace gapscope {

double SymbolSketch::difference(const SymbolSketch& other) const {
  if (length + other.length == 0) return 0;
  std::uint64_t apart = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    apart +=
        counts[i] > other.counts[i] ? counts[i] - other.counts[i] : other.counts[i] - counts[i];
  }
  return static_cast<double>(apart) / static_cast<double>(length + other.length);
}

namespace {

using Rules = LevelRules;

// The segments between a level's marks.
struct Segments {
  std::vector<std::uint8_t> classes;  // bit set of SymbolClass
  std::vector<bool> alike;
  SymbolSketch typical;
  double coverage = 0;
  std::size_t distinct = 0;

  bool has_class(std::size_t i, SymbolClass c) const {
    return (classes[i] >> static_cast<int>(c) & 1) != 0;
  }
  // Share of the alike segments that have the class.
  double share(SymbolClass c) const {
    std::size_t of = 0, has = 0;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (!alike[i]) continue;
      ++of;
      if (has_class(i, c)) ++has;
    }
    return of == 0 ? 0 : static_cast<double>(has) / static_cast<double>(of);
  }
};

SymbolSketch sketch_of(absl::Span<const IterationSymbol> segment, bool fine) {
  SymbolSketch sketch;
  for (const IterationSymbol& s : segment) sketch.add(s.id(fine), s.weight());
  return sketch;
}

absl::Span<const IterationSymbol> segment_of(absl::Span<const IterationSymbol> piece,
                                             const MarkedLevel& level, std::size_t i) {
  return piece.subspan(level.marks[i], level.marks[i + 1] - level.marks[i]);
}

// Median counts of evenly chosen segments.
SymbolSketch typical_sketch(absl::Span<const IterationSymbol> piece, const MarkedLevel& level) {
  constexpr std::size_t kSamples = 65;
  const std::size_t last = level.marks.size() - 1;
  const std::size_t stride = (last - level.first + kSamples - 1) / kSamples;
  std::vector<SymbolSketch> samples;
  for (std::size_t i = last; i-- > level.first;) {
    if ((last - 1 - i) % stride == 0) {
      samples.push_back(sketch_of(segment_of(piece, level, i), level.anchor.fine));
    }
  }
  SymbolSketch typical;
  std::vector<std::uint32_t> counts(samples.size());
  for (std::size_t b = 0; b < SymbolSketch::kBuckets; ++b) {
    for (std::size_t i = 0; i < samples.size(); ++i) counts[i] = samples[i].counts[b];
    const auto middle = counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2);
    std::nth_element(counts.begin(), middle, counts.end());
    typical.counts[b] = *middle;
    typical.length += *middle;
  }
  return typical;
}

std::size_t distinct_symbols(absl::Span<const IterationSymbol> segment, bool fine) {
  std::vector<std::uint16_t> ids;
  for (const IterationSymbol& s : segment) ids.push_back(s.id(fine));
  std::sort(ids.begin(), ids.end());
  return static_cast<std::size_t>(std::unique(ids.begin(), ids.end()) - ids.begin());
}

Segments cut(absl::Span<const IterationSymbol> piece, const MarkedLevel& level) {
  Segments segments;
  segments.typical = typical_sketch(piece, level);
  double alike = 0;
  for (std::size_t i = level.first; i + 1 < level.marks.size(); ++i) {
    const auto segment = segment_of(piece, level, i);
    std::uint8_t classes = 0;
    for (const IterationSymbol& s : segment) {
      classes |= static_cast<std::uint8_t>(1u << static_cast<int>(s.symbol_class));
    }
    const SymbolSketch sketch = sketch_of(segment, level.anchor.fine);
    segments.classes.push_back(classes);
    segments.alike.push_back(sketch.difference(segments.typical) <= Rules::kAlike);
    if (segments.alike.back()) alike += sketch.length;
  }
  segments.coverage = level.span <= 0 ? 0 : alike / level.span;
  segments.distinct =
      distinct_symbols(segment_of(piece, level, level.marks.size() - 2), level.anchor.fine);
  return segments;
}

// Each segment has optimiser kernels, or every k-th has.
bool has_optimiser(const Segments& segments) {
  std::vector<std::size_t> with;
  for (std::size_t i = 0; i < segments.classes.size(); ++i) {
    if (segments.has_class(i, SymbolClass::optimiser)) with.push_back(i);
  }
  if (with.size() < 3) return false;
  std::vector<std::size_t> distances;
  for (std::size_t i = 1; i < with.size(); ++i) distances.push_back(with[i] - with[i - 1]);
  std::vector<std::size_t> sorted = distances;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2),
                   sorted.end());
  const std::size_t k = sorted[sorted.size() / 2];
  if (k > Rules::kMaxAccumulation) return false;
  const auto even = static_cast<double>(std::count(distances.begin(), distances.end(), k));
  return even >= Rules::kContains * static_cast<double>(distances.size()) &&
         with.front() <= 2 * k && with.back() + 2 * k >= segments.classes.size();
}

bool long_enough(const MarkedLevel& level, const Segments& segments) {
  if (segments.share(SymbolClass::graph) >= Rules::kContains) return true;
  const bool copies = segments.share(SymbolClass::htod) >= Rules::kContains;
  if (level.period < (copies ? Rules::kMinCopyPeriod : Rules::kMinPeriod)) return false;
  return segments.share(SymbolClass::kernel) >= Rules::kContains;
}

std::optional<IterationLevel> choose(absl::Span<const IterationSymbol> piece, bool fine) {
  std::vector<MarkedLevel> levels = marked_levels(piece, fine);
  std::vector<Segments> segments;
  for (const MarkedLevel& level : levels) segments.push_back(cut(piece, level));
  const auto result = [&](std::size_t i) {
    return IterationLevel{levels[i].anchor, levels[i].period, levels[i].span, segments[i].coverage,
                          segments[i].typical};
  };
  const auto explains = [&](std::size_t i) {
    return segments[i].coverage >= Rules::kCoverage && long_enough(levels[i], segments[i]);
  };
  const auto recent = piece.subspan(piece.size() / 2);
  const bool optimiser = std::any_of(recent.begin(), recent.end(), [](const IterationSymbol& s) {
    return s.symbol_class == SymbolClass::optimiser;
  });
  if (optimiser) {
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (explains(i) && has_optimiser(segments[i])) return result(i);
    }
    return std::nullopt;
  }
  for (const SymbolClass c :
       {SymbolClass::htod, SymbolClass::sync, SymbolClass::idle, SymbolClass::graph}) {
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (explains(i) && segments[i].share(c) >= Rules::kContains) return result(i);
    }
  }
  if (piece.size() < Rules::kPlainLength) return std::nullopt;
  for (std::size_t i = levels.size(); i-- > 0;) {
    if (explains(i) && levels[i].period >= Rules::kPlainPeriod &&
        segments[i].distinct >= Rules::kPlainDistinct) {
      return result(i);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<IterationLevel> find_iteration_level(absl::Span<const IterationSymbol> piece) {
  auto level = choose(piece, false);
  return level ? level : choose(piece, true);
}

}  // namespace gapscope
