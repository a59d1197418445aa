// When operations run: in order within a stream, never before their call. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace fake_cupti {

struct Span {
  std::uint64_t start_ns;
  std::uint64_t end_ns;
};

class Timeline {
 public:
  // Places an operation at the end of its stream or overlap_ns before it, at earliest_ns at the
  // earliest.
  Span place(std::uint32_t context, std::uint32_t stream, std::uint64_t earliest_ns,
             std::uint64_t duration_ns, std::uint64_t overlap_ns = 0);
  // When the last operation of a stream, a context or everything ends; 0 if there was none.
  std::uint64_t stream_end(std::uint32_t context, std::uint32_t stream) const;
  std::uint64_t context_end(std::uint32_t context) const;
  std::uint64_t end() const;
  // The wall clock was stepped, and what is still queued with it.
  void shift(std::int64_t step_ns);

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> ends_;
};

}  // namespace fake_cupti
