// The least that a client of CUPTI does; tests/fake_cupti/rules_test.cc has it break the rules.
#pragma once

#include <cupti.h>
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "catch.h"
#include "fake_cupti_control.h"

namespace fake_cupti {

template <typename F>
F* look_up(void* library, const char* name, F*) {
  return reinterpret_cast<F*>(dlsym(library, name));
}
#define BIND(name) decltype(&::name) name = look_up(library, #name, &::name)

class Client {
 public:
  explicit Client(const char* path) : library(dlopen(path, RTLD_NOW)) { current_ = this; }

  // cuda_up: whether cuInit has come back.
  void start(bool cuda_up = true) {
    REQUIRE(cuptiSubscribe(&handle_, &Client::callback, this) == CUPTI_SUCCESS);
    REQUIRE(cuptiActivityRegisterCallbacks(&Client::request, &Client::complete) == CUPTI_SUCCESS);
    for (const auto kind : {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                            CUPTI_ACTIVITY_KIND_MEMSET}) {
      REQUIRE(cuptiActivityEnable(kind) == CUPTI_SUCCESS);
    }
    REQUIRE(cuptiEnableCallback(1, handle_, CUPTI_CB_DOMAIN_DRIVER_API,
                                CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel) == CUPTI_SUCCESS);
    if (cuda_up) fake_cuda_up();
  }
  void flush(std::uint32_t flags) {
    std::thread([&] { cuptiActivityFlushAll(flags); }).join();
  }
  fake_call_result launch(std::uint64_t duration_ns, fake_fate fate = FAKE_RECORDED) {
    fake_call_spec spec{};
    spec.work.name = "kernel";
    spec.work.duration_ns = duration_ns;
    spec.work.fate = static_cast<std::uint8_t>(fate);
    fake_call_result result{};
    fake_call(&spec, &result);
    return result;
  }

  void* library;
  BIND(cuptiGetVersion);
  BIND(cuptiSubscribe);
  BIND(cuptiSubscribe_v2);
  BIND(cuptiUnsubscribe);
  BIND(cuptiActivityRegisterCallbacks);
  BIND(cuptiActivityEnable);
  BIND(cuptiActivityDisable);
  BIND(cuptiActivityRegisterTimestampCallback);
  BIND(cuptiEnableCallback);
  BIND(cuptiEnableDomain);
  BIND(cuptiActivityFlushAll);
  BIND(cuptiActivityGetNextRecord);
  BIND(cuptiActivityGetNumDroppedRecords);
  BIND(cuptiGetTimestamp);
  BIND(cuptiFinalize);
  BIND(fake_call);
  BIND(fake_cuda_up);
  BIND(fake_wait_idle);
  BIND(fake_release_late);
  BIND(fake_fatal_error);
  BIND(fake_violations);
  BIND(fake_delivered);

  std::atomic<int> enters{0}, exits{0};
  std::function<void()> in_callback;                      // also done in each API callback
  std::function<std::uint8_t*(std::size_t* size)> lends;  // instead of a fresh buffer
  bool reads = true;  // the buffers that come back; set before start()
  std::mutex mutex;
  std::map<std::uint32_t, CUpti_ActivityKernel9> kernels;  // by correlation id
  std::vector<std::size_t> kernel_sizes;

  static constexpr std::size_t kBytes = 8192;
  CUpti_SubscriberHandle handle() const { return handle_; }

 private:
  static void callback(void* self, CUpti_CallbackDomain, CUpti_CallbackId, const void* data) {
    auto& client = *static_cast<Client*>(self);
    const auto& call = *static_cast<const CUpti_CallbackData*>(data);
    if (call.callbackSite == CUPTI_API_ENTER) {
      *call.correlationData = call.correlationId + 1000u;
      ++client.enters;
    } else if (*call.correlationData == call.correlationId + 1000u) {
      ++client.exits;
    }
    if (client.in_callback) client.in_callback();
  }
  static void request(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
    *size = kBytes;
    *records = 0;
    *buffer = current_->lends ? current_->lends(size)
                              : static_cast<std::uint8_t*>(std::aligned_alloc(64, kBytes));
  }
  static void complete(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                       std::size_t valid) {
    Client& client = *current_;
    if (!client.reads) return;
    std::lock_guard lock(client.mutex);
    CUpti_Activity* record = nullptr;
    const std::uint8_t* last = nullptr;
    while (client.cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
      const auto* at = reinterpret_cast<const std::uint8_t*>(record);
      if (last != nullptr) client.kernel_sizes.push_back(static_cast<std::size_t>(at - last));
      last = record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ? at : nullptr;
      if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
      CUpti_ActivityKernel9 kernel{};
      std::memcpy(&kernel, record, 200);
      client.kernels[kernel.correlationId] = kernel;
    }
    std::free(buffer);
  }

  static inline Client* current_ = nullptr;
  CUpti_SubscriberHandle handle_ = nullptr;
};

}  // namespace fake_cupti
