// The one client that CUPTI serves, and which callbacks it asked for. Thread-safe.
#pragma once

#include <cupti.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "layout.h"
#include "log.h"

namespace fake_cupti {

class Subscriber {
 public:
  Subscriber(const Layout& layout, Log& log) : layout_(layout), log_(log) {}

  CUptiResult subscribe(CUpti_CallbackFunc callback, void* userdata);
  void unsubscribe();
  bool active() const { return callback_.load(std::memory_order_acquire) != nullptr; }

  CUptiResult enable(bool on, CUpti_CallbackDomain domain, CUpti_CallbackId id);
  CUptiResult enable_domain(bool on, CUpti_CallbackDomain domain);
  // Calls the client, if it wants this one.
  void fire(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);

 private:
  static constexpr std::size_t kMaxId = 2048;
  CUpti_CallbackId limit(CUpti_CallbackDomain domain) const;
  void check_domain(CUpti_CallbackDomain domain);

  const Layout& layout_;
  Log& log_;
  std::atomic<CUpti_CallbackFunc> callback_{nullptr};
  void* userdata_ = nullptr;  // written before callback_
  std::array<std::array<std::atomic<bool>, kMaxId>, CUPTI_CB_DOMAIN_SIZE> wanted_{};
};

}  // namespace fake_cupti
