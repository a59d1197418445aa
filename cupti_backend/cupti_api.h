// libcupti through function pointers: no DT_NEEDED on it, any version from 11.8 to the newest.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "cupti_versions.h"
#include "environment/cupti_search.h"

namespace gapscope::cupti {

// What the library calls. Members may be null where the version lacks them; `required` ones never.
struct CuptiApi {
  // required
  decltype(&::cuptiGetVersion) get_version = nullptr;
  decltype(&::cuptiSubscribe) subscribe = nullptr;
  decltype(&::cuptiUnsubscribe) unsubscribe = nullptr;
  decltype(&::cuptiEnableCallback) enable_callback = nullptr;
  decltype(&::cuptiActivityEnable) activity_enable = nullptr;
  decltype(&::cuptiActivityDisable) activity_disable = nullptr;
  decltype(&::cuptiActivityRegisterCallbacks) activity_register_callbacks = nullptr;
  decltype(&::cuptiActivityFlushAll) activity_flush_all = nullptr;
  decltype(&::cuptiActivityGetNextRecord) activity_get_next_record = nullptr;
  decltype(&::cuptiActivityGetNumDroppedRecords) activity_get_num_dropped_records = nullptr;
  // optional
  decltype(&::cuptiSubscribe_v2) subscribe_v2 = nullptr;
  decltype(&::cuptiActivitySetAttribute) activity_set_attribute = nullptr;
  decltype(&::cuptiGetTimestamp) get_timestamp = nullptr;
  decltype(&::cuptiGetResultString) get_result_string = nullptr;
  decltype(&::cuptiSetThreadIdType) set_thread_id_type = nullptr;

  std::string path;           // of the file that is mapped
  std::uint32_t version = 0;  // as cuptiGetVersion says

  std::string result_text(CUptiResult result) const;
};

// Finds and maps libcupti: a copy that the process already has, then the hinted places, the wheel
// folder beside the loaded CUDA runtime, the toolkit's, the loader's default. Never unmaps it. The
// error names what was looked for.
absl::StatusOr<CuptiApi> load_cupti(const environment::CuptiHints& hints);

}  // namespace gapscope::cupti
