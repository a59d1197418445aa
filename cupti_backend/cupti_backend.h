// CUPTI as a Backend: subscription, activity kinds, buffers, decoding.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "buffer_pool.h"
#include "callbacks.h"
#include "cupti_api.h"
#include "nvml_reader.h"
#include "occupancy.h"
#include "ring/buffer_ring.h"
#include "runtime/backend.h"
#include "spare_buffers.h"

namespace gapscope::cupti {

// Never destroyed in a profiled process once started: CUPTI may hold its buffers and callbacks
// until the very end.
class CuptiBackend final : public Backend {
 public:
  CuptiBackend();
  ~CuptiBackend() override;

  absl::Status start(const Config& config, const BackendHost& host) override;
  void flush() override;
  void flush_forced() override;
  std::size_t collect(RecordSink& sink, Interner& interner) override;
  void describe(RecordSink& sink, Interner& interner) override;
  std::string found() const override;
  GpuReader gpu_reader() const override { return &read_nvml; }
  void conclude(RecordSink& sink) override;
  void stop_recording() override;
  bool is_dead() const override;
  std::uint64_t timestamp_ns() override;
  std::size_t buffer_bytes() const override;
  std::uint64_t callback_ns() const override;

 private:
  absl::Status subscribe();
  absl::Status enable_activities(const Config& config);
  void enable_callbacks();
  void unsubscribe_after_error();
  std::uint64_t newly_dropped();
  void throw_away(std::uint8_t* buffer, std::size_t valid_bytes);
  void take_in(const CompletedBuffer& buffer, RecordSink& sink, Interner& interner);

  static void CUPTIAPI buffer_requested(std::uint8_t** buffer, std::size_t* size,
                                        std::size_t* max_records);
  static void CUPTIAPI buffer_completed(CUcontext context, std::uint32_t stream,
                                        std::uint8_t* buffer, std::size_t size,
                                        std::size_t valid_size);

  CuptiApi api_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::unique_ptr<BufferPool> pool_;
  std::unique_ptr<BufferRing> completed_;
  std::unique_ptr<OccupancyTable> occupancy_;
  Callbacks callbacks_;
  bool anonymous_ = false;
  // Beyond the pool's limit: small ones whose records are counted and thrown away as soon as they
  // come back. Declining a request instead lets CUPTI pile up memory of its own, on host and
  // device.
  static constexpr std::size_t kOverflowBufferBytes = 64u << 10;
  static constexpr std::size_t kOverflowBytes = 4u << 20;
  std::unique_ptr<BufferPool> overflow_pool_;
  std::atomic<std::uint64_t> overflow_records_{0};  // added by CUPTI's threads, taken by collect()
  SpareBuffers spares_;  // and when those are out, for versions that cannot be declined
};

}  // namespace gapscope::cupti
