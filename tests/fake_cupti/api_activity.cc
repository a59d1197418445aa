// CUPTI's activity API, as far as it is used.
#include <cstring>

#include "fake.h"

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

using fake_cupti::Fake;

FAKE_EXPORT CUptiResult cuptiActivityRegisterCallbacks(
    CUpti_BuffersCallbackRequestFunc requested, CUpti_BuffersCallbackCompleteFunc completed) {
  Fake& fake = Fake::get();
  if (!fake.enter("cuptiActivityRegisterCallbacks")) return CUPTI_ERROR_NOT_INITIALIZED;
  if (requested == nullptr || completed == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  fake.buffers.set_client(requested, completed);
  return CUPTI_SUCCESS;
}

FAKE_EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  Fake& fake = Fake::get();
  if (!fake.enter("cuptiActivityEnable")) return CUPTI_ERROR_NOT_INITIALIZED;
  return fake.enable_kind(kind);
}

FAKE_EXPORT CUptiResult cuptiActivityDisable(CUpti_ActivityKind) {
  Fake& fake = Fake::get();
  if (!fake.enter("cuptiActivityDisable")) return CUPTI_ERROR_NOT_INITIALIZED;
  if (fake.in_use()) fake.log.violation("activity kind toggled");
  return CUPTI_SUCCESS;
}

FAKE_EXPORT CUptiResult cuptiActivityFlushAll(uint32_t flags) {
  Fake& fake = Fake::get();
  if (!fake.enter("cuptiActivityFlushAll")) return CUPTI_ERROR_NOT_INITIALIZED;
  return fake.flush(flags);
}

FAKE_EXPORT CUptiResult cuptiActivityFlushPeriod(uint32_t) {
  return Fake::get().enter("cuptiActivityFlushPeriod") ? CUPTI_SUCCESS
                                                       : CUPTI_ERROR_NOT_INITIALIZED;
}

// Pure: reads the buffer alone, so a client may also call it after CUPTI has gone.
FAKE_EXPORT CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid_bytes,
                                                   CUpti_Activity** record) {
  if (buffer == nullptr || record == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  const fake_cupti::Layout& layout = Fake::get().layout;
  const auto size_at = [&](size_t at) -> size_t {
    CUpti_ActivityKind kind;
    if (at + sizeof kind > valid_bytes) return 0;
    std::memcpy(&kind, buffer + at, sizeof kind);
    return layout.size(kind);
  };
  size_t next = 0;
  if (*record != nullptr) {
    const auto at = static_cast<size_t>(reinterpret_cast<uint8_t*>(*record) - buffer);
    next = at + size_at(at);
  }
  if (next >= valid_bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  if (size_at(next) == 0 || next + size_at(next) > valid_bytes) return CUPTI_ERROR_INVALID_KIND;
  *record = reinterpret_cast<CUpti_Activity*>(buffer + next);
  return CUPTI_SUCCESS;
}

FAKE_EXPORT CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  Fake& fake = Fake::get();
  if (!fake.enter("cuptiActivityGetNumDroppedRecords")) return CUPTI_ERROR_NOT_INITIALIZED;
  if (dropped == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *dropped = fake.buffers.take_dropped();
  return CUPTI_SUCCESS;
}

FAKE_EXPORT CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, size_t* size,
                                                  void* value) {
  Fake& fake = Fake::get();
  if (!fake.enter("cuptiActivitySetAttribute")) return CUPTI_ERROR_NOT_INITIALIZED;
  if (size == nullptr || value == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  fake.log.event("attribute " + std::to_string(static_cast<int>(attribute)) + " set");
  return CUPTI_SUCCESS;
}

FAKE_EXPORT CUptiResult cuptiActivityGetAttribute(CUpti_ActivityAttribute, size_t* size,
                                                  void* value) {
  if (!Fake::get().enter("cuptiActivityGetAttribute")) return CUPTI_ERROR_NOT_INITIALIZED;
  if (size == nullptr || value == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  std::memset(value, 0, *size);
  return CUPTI_SUCCESS;
}

FAKE_EXPORT CUptiResult cuptiActivityEnableLatencyTimestamps(uint8_t) {
  return Fake::get().enter("cuptiActivityEnableLatencyTimestamps") ? CUPTI_SUCCESS
                                                                   : CUPTI_ERROR_NOT_INITIALIZED;
}

FAKE_EXPORT CUptiResult cuptiActivityEnableAllSyncRecords(uint8_t enable) {
  Fake& fake = Fake::get();
  if (!fake.enter("cuptiActivityEnableAllSyncRecords")) return CUPTI_ERROR_NOT_INITIALIZED;
  fake.log.event("all sync records " + std::to_string(static_cast<int>(enable)));
  return CUPTI_SUCCESS;
}

FAKE_EXPORT CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc) {
  Fake::get().log.violation("timestamp callback registered");
  return CUPTI_SUCCESS;
}

FAKE_EXPORT CUptiResult cuptiGetTimestamp(uint64_t* timestamp) {
  Fake& fake = Fake::get();
  if (!fake.enter("cuptiGetTimestamp")) return CUPTI_ERROR_NOT_INITIALIZED;
  if (timestamp == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *timestamp = fake.timestamp();
  return CUPTI_SUCCESS;
}

FAKE_EXPORT CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType) {
  return Fake::get().enter("cuptiSetThreadIdType") ? CUPTI_SUCCESS : CUPTI_ERROR_NOT_INITIALIZED;
}

FAKE_EXPORT CUptiResult cuptiGetLastError(void) {
  return Fake::get().enter("cuptiGetLastError") ? CUPTI_SUCCESS : CUPTI_ERROR_NOT_INITIALIZED;
}
