// What instructions.sh counts: N pushes of a 32-byte record into a ring that is never full. Two
// runs with different N differ by the pushes alone.
//
//   gapscope_ring_instructions fixed|header|inplace|none N
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "ring/byte_ring.h"

namespace {

using gapscope::ByteRing;
using gapscope::RecordHeader;
using gapscope::RecordKind;

struct Rec32 {
  static constexpr RecordKind kKind = RecordKind::api_call;
  RecordHeader header;
  std::uint64_t words[3];
};
static_assert(sizeof(Rec32) == 32);

// noinline: the figure then includes a call and a return, as a bound.
[[gnu::noinline]] bool push_fixed(ByteRing& ring, const Rec32& r) { return ring.push_fixed(r); }
[[gnu::noinline]] bool push_header(ByteRing& ring, const Rec32& r) { return ring.push(r.header); }
[[gnu::noinline]] bool push_inplace(ByteRing& ring, const Rec32& r) {
  void* room = ring.reserve(sizeof r, Rec32::kKind);
  if (room == nullptr) return false;
  std::memcpy(room, &r, sizeof r);
  ring.commit();
  return true;
}
[[gnu::noinline]] bool push_nothing(ByteRing&, const Rec32&) { return true; }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const char* how = argv[1];
  const unsigned long n = std::strtoul(argv[2], nullptr, 10);
  bool (*push)(ByteRing&, const Rec32&) = std::strcmp(how, "fixed") == 0     ? push_fixed
                                          : std::strcmp(how, "header") == 0  ? push_header
                                          : std::strcmp(how, "inplace") == 0 ? push_inplace
                                                                             : push_nothing;
  ByteRing ring(64u << 20);
  Rec32 record{{sizeof record, Rec32::kKind, 0, 1}, {1, 2, 3}};
  unsigned long taken = 0;
  for (unsigned long i = 0; i < n; ++i) taken += push(ring, record);
  if (taken != n) {
    std::fprintf(stderr, "the ring was full\n");
    return 1;
  }
  return 0;
}
