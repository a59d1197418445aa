// The functions of fake_cupti_control.h.
#include "fake_cupti_control.h"

#include "fake.h"

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

using fake_cupti::Fake;

FAKE_EXPORT void fake_call(const fake_call_spec* spec, fake_call_result* result) {
  Fake::get().call(*spec, result);
}

FAKE_EXPORT void fake_cuda_up(void) { Fake::get().cuda_is_up(); }

FAKE_EXPORT uint32_t fake_release_late(void) { return Fake::get().release_late(); }

FAKE_EXPORT void fake_device_launch(const fake_call_spec* spec, fake_times* times) {
  Fake::get().device_launch(*spec, times);
}

FAKE_EXPORT void fake_overhead(uint32_t kind, uint64_t start_ns, uint64_t end_ns) {
  Fake::get().overhead(kind, start_ns, end_ns);
}

FAKE_EXPORT void fake_fatal_error(const char* message) { Fake::get().fatal_error(message); }

FAKE_EXPORT void fake_context_destroyed(uint32_t context) {
  Fake& fake = Fake::get();
  fake.wait_until(fake.timeline.context_end(context));
  if (fake.buffers.has_client()) fake.buffers.flush(false);
}

FAKE_EXPORT void fake_wait_idle(void) {
  Fake& fake = Fake::get();
  fake.wait_until(fake.timeline.end());
}

FAKE_EXPORT void fake_clock_stepped(int64_t step_ns) { Fake::get().timeline.shift(step_ns); }

FAKE_EXPORT uint64_t fake_violations(void) { return Fake::get().log.violations(); }

FAKE_EXPORT uint64_t fake_delivered(void) { return Fake::get().buffers.delivered(); }
