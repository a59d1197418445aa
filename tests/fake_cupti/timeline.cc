#include "timeline.h"

#include <algorithm>

namespace fake_cupti {

Span Timeline::place(std::uint32_t context, std::uint32_t stream, std::uint64_t earliest_ns,
                     std::uint64_t duration_ns, std::uint64_t overlap_ns) {
  std::lock_guard lock(mutex_);
  std::uint64_t& end = ends_[{context, stream}];
  const std::uint64_t free_from = end > overlap_ns ? end - overlap_ns : 0;
  const Span span{std::max(free_from, earliest_ns), std::max(free_from, earliest_ns) + duration_ns};
  end = std::max(end, span.end_ns);
  return span;
}

std::uint64_t Timeline::stream_end(std::uint32_t context, std::uint32_t stream) const {
  std::lock_guard lock(mutex_);
  const auto it = ends_.find({context, stream});
  return it == ends_.end() ? 0 : it->second;
}

std::uint64_t Timeline::context_end(std::uint32_t context) const {
  std::lock_guard lock(mutex_);
  std::uint64_t latest = 0;
  for (const auto& [key, end] : ends_) {
    if (key.first == context) latest = std::max(latest, end);
  }
  return latest;
}

std::uint64_t Timeline::end() const {
  std::lock_guard lock(mutex_);
  std::uint64_t latest = 0;
  for (const auto& [key, end] : ends_) latest = std::max(latest, end);
  return latest;
}

void Timeline::shift(std::int64_t step_ns) {
  std::lock_guard lock(mutex_);
  for (auto& [key, end] : ends_) end += static_cast<std::uint64_t>(step_ns);
}

}  // namespace fake_cupti
