// Evidence around a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

namespace gapscope {

// The first entry of a deque ordered by begin that can reach time_ns, going back from the end as
// long as begins lie after it and one entry more: entries of one kind and thread do not nest.
template <typename T>
auto from_time(const std::deque<T>& entries, std::int64_t time_ns) {
  auto at = std::lower_bound(entries.begin(), entries.end(), time_ns,
                             [](const T& e, std::int64_t t) { return e.begin_ns < t; });
  for (int back = 0; back < 4 && at != entries.begin(); ++back) --at;
  return at;
}

}  // namespace gapscope
