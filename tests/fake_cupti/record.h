// Activity records as bytes: the newest struct, cut to the version's size.
#pragma once

#include <cupti.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "fake_cupti_control.h"
#include "layout.h"

namespace fake_cupti {

// One record before it is written to a buffer.
struct Record {
  alignas(8) std::array<std::uint8_t, 256> bytes{};
  std::size_t size = 0;
  std::size_t start_offset = 0;  // of its two timestamps within bytes
  std::size_t end_offset = 0;
  std::uint64_t complete_ns = 0;  // CLOCK_MONOTONIC from which it counts as complete

  CUpti_ActivityKind kind() const;
  void set_times(std::uint64_t start_ns, std::uint64_t end_ns);
};

// What all device records share.
struct Origin {
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t correlation;
  std::uint32_t graph;
  std::uint64_t graph_node;
};

Record kernel_record(const Layout& layout, const fake_work& work, const Origin& origin,
                     bool device_launched);
Record copy_record(const Layout& layout, fake_api api, const fake_work& work, const Origin& origin);
Record peer_copy_record(const Layout& layout, const fake_work& work, const Origin& origin,
                        std::uint32_t peer_device);
Record set_record(const Layout& layout, const fake_work& work, const Origin& origin);
Record graph_record(const Layout& layout, const Origin& origin);
Record sync_record(const Layout& layout, CUpti_ActivitySynchronizationType type,
                   const Origin& origin);
Record overhead_record(const Layout& layout, CUpti_ActivityOverheadKind kind, std::uint32_t thread);
Record device_record(const Layout& layout, std::uint32_t device);

}  // namespace fake_cupti
