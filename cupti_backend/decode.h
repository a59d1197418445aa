// From an activity buffer to neutral records: a function of the buffer's bytes and of the devices
// that earlier buffers told of.
//
// Activity records only ever grew at the end, so each is read through the oldest prefix that has
// the field (offsets are asserted in decode.cc); fields beyond it only where the version has them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cupti_api.h"
#include "occupancy.h"
#include "record/record.h"
#include "runtime/interner.h"

namespace gapscope::cupti {

struct DecodeCounts {
  std::uint64_t records = 0;
  std::uint64_t invalid_timestamps = 0;
  std::uint64_t unknown_kinds = 0;
  bool unreadable = false;  // CUPTI did not come to the buffer's end: records may be lost
};

// Hands every record of the buffer to sink; names go through interner, devices' limits into
// occupancy. Invalid timestamps (zero, >= 2^63, end before start) are counted and not handed on.
DecodeCounts decode_buffer(const CuptiApi& api, std::uint8_t* data, std::size_t valid_bytes,
                           RecordSink& sink, Interner& interner, OccupancyTable& occupancy);

// Counts the records of a buffer whose content is thrown away; at least one more where it cannot be
// read to its end.
std::uint64_t count_records(const CuptiApi& api, std::uint8_t* data, std::size_t valid_bytes);

}  // namespace gapscope::cupti
