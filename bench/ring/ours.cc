// gapscope::ByteRing, one a producer.
#include "ring/byte_ring.h"

#include "paced.h"

namespace gapscope::bench {
namespace {

template <typename Record>
class Rings {
 public:
  Rings(std::size_t producers, std::size_t capacity) {
    for (std::size_t p = 0; p < producers; ++p) {
      rings_.push_back(std::make_unique<ByteRing>(capacity * sizeof(Record)));
    }
  }
  bool push(std::size_t p, const Record& r) { return rings_[p]->push_fixed(r); }
  std::size_t drain() {
    std::size_t n = 0;
    std::uint64_t sum = 0;
    for (auto& ring : rings_) {
      ring->drain([&](const RecordHeader& h) {
        if (h.kind != Record::kKind) return;  // a LostRecord
        sum += look_at(reinterpret_cast<const Record&>(h));
        ++n;
      });
    }
    benchmark::DoNotOptimize(sum);
    return n;
  }

 protected:
  std::vector<std::unique_ptr<ByteRing>> rings_;
};

// Size and kind taken from the record's header when it is pushed.
template <typename Record>
class RingsByHeader : public Rings<Record> {
 public:
  using Rings<Record>::Rings;
  bool push(std::size_t p, const Record& r) { return this->rings_[p]->push(r.header); }
};

const bool added = add_queue([] {
  add_all_sizes<Rings>("gapscope");
  add_all_sizes<RingsByHeader>("gapscope_any_size");
});

}  // namespace
}  // namespace gapscope::bench
