#include "subscriber.h"

#include <string>

#include "callback_scope.h"

namespace fake_cupti {

CUptiResult Subscriber::subscribe(CUpti_CallbackFunc callback, void* userdata) {
  if (callback == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  if (active()) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  userdata_ = userdata;
  callback_.store(callback, std::memory_order_release);
  return CUPTI_SUCCESS;
}

void Subscriber::unsubscribe() { callback_.store(nullptr, std::memory_order_release); }

CUpti_CallbackId Subscriber::limit(CUpti_CallbackDomain domain) const {
  switch (domain) {
    case CUPTI_CB_DOMAIN_DRIVER_API:
      return layout_.driver_callbacks;
    case CUPTI_CB_DOMAIN_RUNTIME_API:
      return kMaxId;
    case CUPTI_CB_DOMAIN_RESOURCE:
      return CUPTI_CBID_RESOURCE_SIZE;
    case CUPTI_CB_DOMAIN_SYNCHRONIZE:
      return CUPTI_CBID_SYNCHRONIZE_SIZE;
    case CUPTI_CB_DOMAIN_STATE:
      return CUPTI_CBID_STATE_SIZE;
    default:
      return 0;
  }
}

void Subscriber::check_domain(CUpti_CallbackDomain domain) {
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) {
    log_.violation("runtime domain enabled: the driver domain alone is to be used");
  }
}

CUptiResult Subscriber::enable(bool on, CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  if (id == 0 || id >= limit(domain)) return CUPTI_ERROR_INVALID_PARAMETER;
  check_domain(domain);
  wanted_[domain][id].store(on, std::memory_order_release);
  return CUPTI_SUCCESS;
}

CUptiResult Subscriber::enable_domain(bool on, CUpti_CallbackDomain domain) {
  const CUpti_CallbackId end = limit(domain);
  if (end == 0) return CUPTI_ERROR_INVALID_PARAMETER;
  check_domain(domain);
  if (on && domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    log_.violation("whole driver domain enabled instead of single calls");
  }
  for (CUpti_CallbackId id = 1; id < end; ++id) {
    wanted_[domain][id].store(on, std::memory_order_release);
  }
  return CUPTI_SUCCESS;
}

void Subscriber::fire(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (!wanted_[domain][id].load(std::memory_order_acquire)) return;
  const CUpti_CallbackFunc callback = callback_.load(std::memory_order_acquire);
  if (callback == nullptr) return;
  CallbackScope scope(CallbackScope::Kind::api);
  callback(userdata_, domain, id, data);
}

}  // namespace fake_cupti
