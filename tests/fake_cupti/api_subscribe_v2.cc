// cuptiSubscribe_v2 came with CUDA 13: only built into libcupti.so.13.
#include <algorithm>
#include <cstring>

#include "fake.h"

using fake_cupti::Fake;

extern "C" __attribute__((visibility("default"))) CUptiResult cuptiSubscribe_v2(
    CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void* userdata,
    CUpti_SubscriberParams* params) {
  Fake& fake = Fake::get();
  if (!fake.enter("cuptiSubscribe_v2")) return CUPTI_ERROR_NOT_INITIALIZED;
  if (subscriber == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  if (params != nullptr && params->structSize != CUpti_SubscriberParams_STRUCT_SIZE) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  const char* name =
      params == nullptr || params->subscriberName == nullptr ? "" : params->subscriberName;
  fake.log.event(std::string("subscribe v2 as ") + name);
  if (fake.options.subscribe_result != 0) {
    const std::string& other = fake.options.other_tool;
    if (params != nullptr && params->oldSubscriberName != nullptr &&
        params->oldSubscriberSize > 0) {
      const std::size_t n = std::min(other.size(), params->oldSubscriberSize - 1);
      std::memcpy(params->oldSubscriberName, other.data(), n);
      params->oldSubscriberName[n] = '\0';
    }
    return static_cast<CUptiResult>(fake.options.subscribe_result);
  }
  *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(&fake.subscriber);
  return fake.subscriber.subscribe(callback, userdata);
}
