// Sizes of activity records by CUPTI version. Records only ever grew at the end, so an older
// version's record is a prefix of the newest struct (checked in layout.cc).
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>

namespace fake_cupti {

struct Layout {
  std::size_t kernel, copy, peer_copy, set, sync, overhead, graph, device;
  CUpti_CallbackId driver_callbacks;  // ids at or above it are unknown to the version
  bool null_buffer_allowed;           // the client may decline a buffer request

  static Layout of(std::uint32_t api_version);
  // 0 for kinds that the fake never writes.
  std::size_t size(CUpti_ActivityKind kind) const;
};

}  // namespace fake_cupti
