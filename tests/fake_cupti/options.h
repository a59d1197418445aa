// What the environment scripts, read once when the fake is first used.
#pragma once

#include <cstdint>
#include <string>

namespace fake_cupti {

enum class Delivery : std::uint8_t {
  worker,  // on a thread of the fake's own, also at a flush (which waits for it)
  flush,   // full buffers wait for a flush and are delivered on the flushing thread
  launch,  // full buffers are delivered by the launching thread, the rest at a flush
};

struct Options {
  std::string log_path;              // FAKE_CUPTI_LOG: violations, events and a summary
  std::uint32_t version = 0;         // FAKE_CUPTI_VERSION: API version; sets record sizes too
  int subscribe_result = 0;          // FAKE_CUPTI_SUBSCRIBE_RESULT: 15, 35, 39, ...
  std::string other_tool;            // FAKE_CUPTI_OTHER_TOOL: named by cuptiSubscribe_v2 under 39
  int enable_result = 0;             // FAKE_CUPTI_ENABLE_RESULT: of every cuptiActivityEnable
  std::int64_t clock_offset_ns = 0;  // FAKE_CUPTI_CLOCK_OFFSET_NS: another clock domain
  std::uint64_t shuffle_seed = 0;    // FAKE_CUPTI_SHUFFLE: records and buffers out of order; 0: off
  Delivery delivery = Delivery::worker;  // FAKE_CUPTI_DELIVERY: worker | flush | launch
  std::uint64_t drop_every = 0;          // FAKE_CUPTI_DROP_EVERY: every nth record, counted
  std::uint64_t lose_every = 0;          // FAKE_CUPTI_LOSE_EVERY: every nth record, silently
  std::uint64_t zero_every = 0;          // FAKE_CUPTI_ZERO_EVERY: every nth record without times
  std::uint64_t sentinel_every = 0;      // FAKE_CUPTI_SENTINEL_EVERY: every nth with times 2^64 - 1
  std::uint64_t torn_buffer = 0;  // FAKE_CUPTI_TORN_BUFFER: the nth is unreadable from its middle
  std::uint64_t hang_flush = 0;   // FAKE_CUPTI_FLUSH_HANG: the nth flush never returns
  bool hang_forced = false;       // FAKE_CUPTI_FLUSH_HANG=forced: the first forced one
  std::uint32_t first_correlation = 1;  // FAKE_CUPTI_FIRST_CORRELATION: to reach the wrap

  std::uint32_t devices = 2;  // FAKE_CUPTI_DEVICES: in the machine

  static Options from_environment(std::uint32_t default_version);
};

}  // namespace fake_cupti
