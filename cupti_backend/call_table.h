// The driver calls that are recorded, by callback id: what each is called, what it leaves in the
// device records, and how to read its parameters.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "record/api.h"

namespace gapscope::cupti {

struct CallDetails {
  std::uint64_t stream_handle = 0;  // 0: the legacy default stream
  std::uint64_t bytes = 0;
  bool per_thread_default = false;  // the _ptsz and _ptds forms: 0 means this thread's own stream
};

struct CallInfo {
  std::uint32_t cbid;
  ApiId api;
  Expects expects;
  // Reads params (the generated struct of this callback id); null where nothing is read.
  void (*extract)(const void* params, CallDetails* details);
  bool per_thread_default;
};

// All of them; ids that a version of CUPTI does not know are skipped when enabling.
absl::Span<const CallInfo> call_table();

// By callback id; nullptr for an id that is not in the table. Constant time, safe in callbacks.
const CallInfo* find_call(std::uint32_t cbid) noexcept;

}  // namespace gapscope::cupti
