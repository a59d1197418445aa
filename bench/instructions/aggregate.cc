// The whole of Analysis::consume, over the streams of bench/analysis.
#include <vector>

#include "analysis/analysis.h"
#include "analysis/stream.h"
#include "subject.h"

namespace gapscope::bench {
namespace {

std::uint64_t aggregate(const StreamSpec& spec) {
  Stream stream(spec);
  Analysis analysis{AnalysisOptions()};
  std::vector<Block> blocks(3);
  for (Block& block : blocks) stream.next(&block);
  const auto consume = [&](const Block& block) {
    block.for_each([&](const RecordHeader& record) { analysis.consume(record); });
  };
  consume(blocks[0]);  // names, streams, tables
  counted([&] {
    consume(blocks[1]);
    consume(blocks[2]);
  });
  return blocks[1].records + blocks[2].records;
}

constexpr bool kBusy = true, kInOrder = true, kHost = true;

const bool kRegistered[] = {
    register_subject("aggregate, busy",
                     [] {
                       return aggregate({kBusy, kInOrder, !kHost, 100});
                     }),
    register_subject("aggregate, busy, shuffled, with host evidence",
                     [] {
                       return aggregate({kBusy, !kInOrder, kHost, 100});
                     }),
    register_subject("aggregate, launch-bound",
                     [] {
                       return aggregate({!kBusy, kInOrder, !kHost, 100});
                     }),
    register_subject("aggregate, launch-bound, with host evidence",
                     [] {
                       return aggregate({!kBusy, kInOrder, kHost, 100});
                     }),
};

}  // namespace
}  // namespace gapscope::bench
