// A run of any length as the stream of records that the collector would hand to analysis: made
// piece by piece, the same for the same description, never stored as a whole.
//
// Two threads take turns of 200 launches (forward, backward); of a hundred operations 93 are
// kernels (one of them communication, on a stream of its own), 4 copies, 3 sets. A step is a
// thousand operations, or one of each name; at its end the host waits for the device. Nothing marks
// steps. The collector looks every 10 ms: calls, full activity buffers, a tick. Every 250 ms a
// flush delivers what has ended.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "record/api.h"
#include "record/record.h"

namespace gapscope::bench {

struct StreamSpec {
  bool busy = true;         // kernels outlast their launches: operations queue up, gaps are short
  bool in_order = true;     // false: what one flush delivers comes in any order
  bool host = false;        // thread samples, garbage collections, overheads
  std::uint32_t names = 1;  // distinct kernels
  std::string name() const;
};

// Records one behind the other.
struct Block {
  std::vector<std::uint64_t> words;
  std::size_t records = 0;

  void clear() {
    words.clear();
    records = 0;
  }
  void add(const RecordHeader& record);
  template <typename F>
  void for_each(F&& f) const {
    for (std::size_t at = 0; at < words.size();) {
      const auto& record = *reinterpret_cast<const RecordHeader*>(&words[at]);
      f(record);
      at += record.size_bytes / sizeof(std::uint64_t);
    }
  }
};

class Stream {
 public:
  explicit Stream(const StreamSpec& spec);

  // What one flush delivers, its tick included. The first block also has the names.
  void next(Block* block);
  // Everything that is still to come, and the final tick.
  void last(Block* block);

 private:
  struct Pending {
    std::int64_t end_ns;
    alignas(8) unsigned char record[sizeof(KernelRecord)];
  };

  void define_names(Block* block);
  void one_launch();
  void call(ApiId api, std::int64_t begin_ns, Expects expects);
  void operation(std::uint32_t what, std::int64_t launched_ns);
  template <typename T>
  void pend(T record, std::int64_t start_ns, std::int64_t end_ns, std::uint32_t stream);
  void wait_for_queue();
  void wait_for_device();
  void drain();
  void host_evidence();
  void deliver(std::int64_t ended_before_ns);
  void tick(TickKind kind);
  void shuffle(Block* block);
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }

  // Of the operation to come, in its step.
  std::uint32_t place() const { return static_cast<std::uint32_t>(launches_ % step_); }

  StreamSpec spec_;
  std::uint32_t step_;  // operations
  std::mt19937_64 random_{1};
  std::int64_t now_ns_ = 1'700'000'000'000'000'000;
  std::int64_t drained_ns_ = now_ns_;
  std::int64_t flushed_ns_ = now_ns_;
  std::int64_t collected_ns_ = now_ns_;  // the last garbage collection
  std::int64_t free_ns_[3] = {0, 0, 0};  // when each stream's last operation ends
  std::vector<std::int64_t> queue_;      // ends of the last operations: a full launch queue waits
  std::uint32_t thread_ = 0;
  std::uint32_t correlation_id_ = 0;
  std::uint64_t launches_ = 0;
  Block* out_ = nullptr;
  Block calls_;  // since the last drain
  std::vector<Pending> pending_;
};

}  // namespace gapscope::bench
