// Pushes of a 32-byte record into a ring that is never full. The figures include the loop, a call
// and a return; "nothing" is those alone (noipa: with its arguments, though it needs none).
#include "ring/byte_ring.h"
#include "subject.h"

// A call of which the caller knows nothing, so that the loop around it is that around the others.
#if __has_cpp_attribute(gnu::noipa)
#define GAPSCOPE_OPAQUE [[gnu::noipa]]
#else
#define GAPSCOPE_OPAQUE [[gnu::noinline]]
#endif

namespace gapscope::bench {
namespace {

struct Rec32 {
  static constexpr RecordKind kKind = RecordKind::api_call;
  RecordHeader header;
  std::uint64_t words[3];
};
static_assert(sizeof(Rec32) == 32);

[[gnu::noinline]] bool push_fixed(ByteRing& ring, const Rec32& r) { return ring.push_fixed(r); }
[[gnu::noinline]] bool push_header(ByteRing& ring, const Rec32& r) { return ring.push(r.header); }
[[gnu::noinline]] bool push_in_place(ByteRing& ring, const Rec32& r) {
  void* room = ring.reserve(sizeof r, Rec32::kKind);
  if (room == nullptr) return false;
  std::memcpy(room, &r, sizeof r);
  ring.commit();
  return true;
}
GAPSCOPE_OPAQUE bool push_nothing(ByteRing&, const Rec32&) {
  asm volatile("");
  return true;
}

template <bool (*push)(ByteRing&, const Rec32&)>
std::uint64_t pushes() {
  constexpr std::uint64_t kPushes = 200'000;
  ByteRing ring(16u << 20);
  const Rec32 record{{sizeof record, Rec32::kKind, 0, 1}, {1, 2, 3}};
  std::uint64_t taken = 0;
  counted([&] {
    for (std::uint64_t i = 0; i < kPushes; ++i) taken += push(ring, record);
  });
  return taken == kPushes ? taken : 0;
}

const bool kRegistered[] = {
    register_subject("push, nothing", pushes<push_nothing>),
    register_subject("push, size known when compiling", pushes<push_fixed>),
    register_subject("push, size from the header", pushes<push_header>),
    register_subject("push, reserve and commit", pushes<push_in_place>),
};

}  // namespace
}  // namespace gapscope::bench
