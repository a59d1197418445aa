// decode_buffer over a buffer of kernels, copies and sets with a hundred names.
#include "decode.h"

#include "decode/activity_buffer.h"
#include "runtime/interner.h"
#include "subject.h"

namespace gapscope::bench {
namespace {

class Ignore final : public RecordSink {
 public:
  void consume(const RecordHeader&) override {}
};

std::uint64_t decode() {
  ActivityBuffer buffer(4u << 20, 100);
  cupti::CuptiApi api;
  api.activity_get_next_record = &next_record;
  Interner interner;
  cupti::OccupancyTable occupancy = h200();
  Ignore sink;
  std::uint64_t records = 0;
  const auto once = [&] {
    records =
        cupti::decode_buffer(api, buffer.data(), buffer.valid_bytes(), sink, interner, occupancy)
            .records;
  };
  once();  // names
  counted(once);
  return records;
}

const bool kRegistered = register_subject("decode", decode);

}  // namespace
}  // namespace gapscope::bench
