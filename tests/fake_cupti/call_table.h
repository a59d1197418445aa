// The driver calls that a test can simulate: id, name, and the parameters as CUPTI passes them
// (generated_cuda_meta.h).
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>

#include "fake_cupti_control.h"

namespace fake_cupti {

enum class CallKind : std::uint8_t { launch, graph, copy, set, sync, other };

struct CallInfo {
  CUpti_CallbackId id;
  const char* name;
  CallKind kind;
  bool blocks;  // until its own operation has ended
};
const CallInfo& call_info(fake_api api);

// The parameters of one call; lives on the calling thread's stack while its callbacks run.
class CallParams {
 public:
  explicit CallParams(const fake_call_spec& spec);
  CallParams(const CallParams&) = delete;
  CallParams& operator=(const CallParams&) = delete;
  const void* pointer() const { return has_ ? static_cast<const void*>(bytes_) : nullptr; }

 private:
  template <typename T>
  void set(const T& params);
  void fill_launch(const fake_call_spec& spec);
  void fill_copy(const fake_call_spec& spec);
  void fill_memory(const fake_call_spec& spec);

  alignas(16) unsigned char bytes_[160] = {};
  bool has_ = false;
  CUlaunchConfig config_{};
  CUdeviceptr address_ = 0;
};

}  // namespace fake_cupti
