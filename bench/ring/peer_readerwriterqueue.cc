// moodycamel::ReaderWriterQueue, one a producer; try_enqueue, so that it never allocates.
#include <readerwriterqueue/readerwriterqueue.h>

#include "paced.h"

namespace gapscope::bench {
namespace {

template <typename Record>
class ReaderWriterQueues {
 public:
  ReaderWriterQueues(std::size_t producers, std::size_t capacity) {
    for (std::size_t p = 0; p < producers; ++p) {
      queues_.push_back(std::make_unique<moodycamel::ReaderWriterQueue<Record>>(capacity));
    }
  }
  bool push(std::size_t p, const Record& r) { return queues_[p]->try_enqueue(r); }
  std::size_t drain() {
    std::size_t n = 0;
    std::uint64_t sum = 0;
    for (auto& q : queues_) {
      for (; const Record* r = q->peek(); ++n) {
        sum += look_at(*r);
        q->pop();
      }
    }
    benchmark::DoNotOptimize(sum);
    return n;
  }

 private:
  std::vector<std::unique_ptr<moodycamel::ReaderWriterQueue<Record>>> queues_;
};

const bool added = add_queue([] { add_all_sizes<ReaderWriterQueues>("moodycamel_rwq"); });

}  // namespace
}  // namespace gapscope::bench
