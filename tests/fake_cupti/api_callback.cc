// CUPTI's callback API, versions and results, as far as they are used.
#include "fake.h"

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

using fake_cupti::Fake;

FAKE_EXPORT CUptiResult cuptiGetVersion(uint32_t* version) {
  Fake& fake = Fake::get();
  if (!fake.enter("cuptiGetVersion")) return CUPTI_ERROR_NOT_INITIALIZED;
  if (version == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *version = fake.options.version;
  return CUPTI_SUCCESS;
}

FAKE_EXPORT CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber,
                                       CUpti_CallbackFunc callback, void* userdata) {
  Fake& fake = Fake::get();
  if (!fake.enter("cuptiSubscribe")) return CUPTI_ERROR_NOT_INITIALIZED;
  if (subscriber == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  fake.log.event("subscribe");
  if (fake.options.subscribe_result != 0) {
    return static_cast<CUptiResult>(fake.options.subscribe_result);
  }
  *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(&fake.subscriber);
  return fake.subscriber.subscribe(callback, userdata);
}

FAKE_EXPORT CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
  Fake& fake = Fake::get();
  if (!fake.enter("cuptiUnsubscribe")) return CUPTI_ERROR_NOT_INITIALIZED;
  if (fake.in_use()) fake.log.violation("unsubscribed");
  fake.subscriber.unsubscribe();
  return CUPTI_SUCCESS;
}

FAKE_EXPORT CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle,
                                            CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  Fake& fake = Fake::get();
  if (!fake.enter("cuptiEnableCallback")) return CUPTI_ERROR_NOT_INITIALIZED;
  return fake.subscriber.enable(enable != 0, domain, id);
}

FAKE_EXPORT CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle,
                                          CUpti_CallbackDomain domain) {
  Fake& fake = Fake::get();
  if (!fake.enter("cuptiEnableDomain")) return CUPTI_ERROR_NOT_INITIALIZED;
  return fake.subscriber.enable_domain(enable != 0, domain);
}

FAKE_EXPORT CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain, uint32_t, const char** name) {
  if (!Fake::get().enter("cuptiGetCallbackName")) return CUPTI_ERROR_NOT_INITIALIZED;
  if (name == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *name = "unnamed";
  return CUPTI_SUCCESS;
}

FAKE_EXPORT CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  Fake& fake = Fake::get();
  if (!fake.enter("cuptiGetResultString") || text == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  switch (result) {
    case CUPTI_SUCCESS:
      *text = "CUPTI_SUCCESS";
      break;
    case CUPTI_ERROR_NOT_INITIALIZED:
      *text = "CUPTI_ERROR_NOT_INITIALIZED";
      break;
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      *text = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES";
      break;
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      *text = "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED";
      break;
    default:
      *text = "CUPTI_ERROR_UNKNOWN";
  }
  return CUPTI_SUCCESS;
}

// Recorded; a test asserts that it never comes.
FAKE_EXPORT CUptiResult cuptiFinalize(void) {
  Fake::get().log.violation("cuptiFinalize called");
  return CUPTI_SUCCESS;
}

namespace {

// At the process's exit, after the client's atexit handlers.
struct AtUnload {
  ~AtUnload() {
    if (Fake::exists()) Fake::get().summary();
  }
} at_unload;

}  // namespace
