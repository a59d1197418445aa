// boost::lockfree::spsc_queue, one a producer.
#include <boost/lockfree/spsc_queue.hpp>

#include "paced.h"

namespace gapscope::bench {
namespace {

template <typename Record>
class BoostQueues {
 public:
  BoostQueues(std::size_t producers, std::size_t capacity) {
    for (std::size_t p = 0; p < producers; ++p) {
      queues_.push_back(std::make_unique<boost::lockfree::spsc_queue<Record>>(capacity));
    }
  }
  bool push(std::size_t p, const Record& r) { return queues_[p]->push(r); }
  std::size_t drain() {
    std::size_t n = 0;
    std::uint64_t sum = 0;
    for (auto& q : queues_) n += q->consume_all([&](const Record& r) { sum += look_at(r); });
    benchmark::DoNotOptimize(sum);
    return n;
  }

 private:
  std::vector<std::unique_ptr<boost::lockfree::spsc_queue<Record>>> queues_;
};

const bool added = add_queue([] { add_all_sizes<BoostQueues>("boost_spsc"); });

}  // namespace
}  // namespace gapscope::bench
