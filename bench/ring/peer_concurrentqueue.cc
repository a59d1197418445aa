// moodycamel::ConcurrentQueue, one for all, with a token a producer; try_enqueue, so that it never
// allocates.
#include <concurrentqueue/concurrentqueue.h>

#include "paced.h"

namespace gapscope::bench {
namespace {

template <typename Record>
class OneConcurrentQueue {
 public:
  OneConcurrentQueue(std::size_t producers, std::size_t capacity)
      : queue_(capacity * producers, producers, 0), consumer_(queue_), batch_(256) {
    for (std::size_t p = 0; p < producers; ++p) {
      tokens_.push_back(std::make_unique<moodycamel::ProducerToken>(queue_));
    }
  }
  bool push(std::size_t p, const Record& r) { return queue_.try_enqueue(*tokens_[p], r); }
  std::size_t drain() {
    std::size_t n = 0;
    std::uint64_t sum = 0;
    while (const std::size_t got =
               queue_.try_dequeue_bulk(consumer_, batch_.data(), batch_.size())) {
      for (std::size_t i = 0; i < got; ++i) sum += look_at(batch_[i]);
      n += got;
    }
    benchmark::DoNotOptimize(sum);
    return n;
  }

 private:
  moodycamel::ConcurrentQueue<Record> queue_;
  moodycamel::ConsumerToken consumer_;
  std::vector<std::unique_ptr<moodycamel::ProducerToken>> tokens_;
  std::vector<Record> batch_;
};

const bool added = add_queue([] { add_all_sizes<OneConcurrentQueue>("moodycamel_cq"); });

}  // namespace
}  // namespace gapscope::bench
