// CUPTI's headers, and what those of 12.x lack of what 13 declares: the library runs with any
// version, whatever it was built with. The only place that asks for a version. Values and layouts
// are CUPTI's own and do not change: where the headers have them, they are compared.
#pragma once

#include <cupti.h>

#include <cstddef>

// NOLINTBEGIN: names are CUPTI's.
#if CUPTI_API_VERSION < 22  // before 12.4
inline constexpr CUpti_CallbackDomain CUPTI_CB_DOMAIN_STATE = static_cast<CUpti_CallbackDomain>(6);
inline constexpr CUpti_CallbackId CUPTI_CBID_STATE_FATAL_ERROR = 1;
#endif

#if CUPTI_API_VERSION < 26  // before 12.8
enum {
  CUPTI_DRIVER_TRACE_CBID_cuMemcpyBatchAsync = 776,
  CUPTI_DRIVER_TRACE_CBID_cuMemcpyBatchAsync_ptsz = 777,
  CUPTI_DRIVER_TRACE_CBID_cuMemcpy3DBatchAsync = 778,
  CUPTI_DRIVER_TRACE_CBID_cuMemcpy3DBatchAsync_ptsz = 779
};
struct cuMemcpyBatchAsync_params {
  CUdeviceptr* dsts;
  CUdeviceptr* srcs;
  size_t* sizes;
  size_t count;
  void* attrs;
  size_t* attrsIdxs;
  size_t numAttrs;
  size_t* failIdx;
  CUstream hStream;
};
struct cuMemcpy3DBatchAsync_params {
  size_t numOps;
  void* opList;
  size_t* failIdx;
  unsigned long long flags;
  CUstream hStream;
};
using cuMemcpyBatchAsync_ptsz_params = cuMemcpyBatchAsync_params;
using cuMemcpy3DBatchAsync_ptsz_params = cuMemcpy3DBatchAsync_params;
#endif

#if CUPTI_API_VERSION < 130000
enum {
  CUPTI_DRIVER_TRACE_CBID_cuMemcpyBatchAsync_v2 = 796,
  CUPTI_DRIVER_TRACE_CBID_cuMemcpyBatchAsync_v2_ptsz = 797,
  CUPTI_DRIVER_TRACE_CBID_cuMemcpy3DBatchAsync_v2 = 798,
  CUPTI_DRIVER_TRACE_CBID_cuMemcpy3DBatchAsync_v2_ptsz = 799,
  CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize_v2 = 800
};
struct cuMemcpyBatchAsync_v2_params {
  CUdeviceptr* dsts;
  CUdeviceptr* srcs;
  size_t* sizes;
  size_t count;
  void* attrs;
  size_t* attrsIdxs;
  size_t numAttrs;
  CUstream hStream;
};
struct cuMemcpy3DBatchAsync_v2_params {
  size_t numOps;
  void* opList;
  unsigned long long flags;
  CUstream hStream;
};
using cuMemcpyBatchAsync_v2_ptsz_params = cuMemcpyBatchAsync_v2_params;
using cuMemcpy3DBatchAsync_v2_ptsz_params = cuMemcpy3DBatchAsync_v2_params;

struct CUpti_SubscriberParams {
  size_t structSize;
  const char* subscriberName;
  char* oldSubscriberName;
  size_t oldSubscriberSize;
};
#define CUpti_SubscriberParams_STRUCT_SIZE sizeof(CUpti_SubscriberParams)
#define CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN 64
extern "C" CUptiResult CUPTIAPI cuptiSubscribe_v2(CUpti_SubscriberHandle* subscriber,
                                                  CUpti_CallbackFunc callback, void* userdata,
                                                  CUpti_SubscriberParams* params);
#else
static_assert(CUPTI_CB_DOMAIN_STATE == 6 && CUPTI_CBID_STATE_FATAL_ERROR == 1);
static_assert(CUPTI_DRIVER_TRACE_CBID_cuMemcpyBatchAsync == 776 &&
              CUPTI_DRIVER_TRACE_CBID_cuMemcpy3DBatchAsync_ptsz == 779 &&
              CUPTI_DRIVER_TRACE_CBID_cuMemcpyBatchAsync_v2 == 796 &&
              CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize_v2 == 800);
static_assert(offsetof(cuMemcpyBatchAsync_params, hStream) == 64 &&
              offsetof(cuMemcpyBatchAsync_v2_params, hStream) == 56 &&
              offsetof(cuMemcpy3DBatchAsync_params, hStream) == 32 &&
              offsetof(cuMemcpy3DBatchAsync_v2_params, hStream) == 24);
static_assert(offsetof(CUpti_SubscriberParams, subscriberName) == 8 &&
              offsetof(CUpti_SubscriberParams, oldSubscriberName) == 16 &&
              offsetof(CUpti_SubscriberParams, oldSubscriberSize) == 24 &&
              CUpti_SubscriberParams_STRUCT_SIZE == 32);
// The newest records begin as those that decode.cc reads them through.
static_assert(offsetof(CUpti_ActivityKernel10, correlationId) ==
              offsetof(CUpti_ActivityKernel9, correlationId));
static_assert(offsetof(CUpti_ActivityKernel10, graphId) ==
              offsetof(CUpti_ActivityKernel9, graphId));
static_assert(offsetof(CUpti_ActivityMemcpy6, graphId) == offsetof(CUpti_ActivityMemcpy5, graphId));
static_assert(offsetof(CUpti_ActivityDevice5, maxSharedMemoryPerMultiprocessor) ==
              offsetof(CUpti_ActivityDevice4, maxSharedMemoryPerMultiprocessor));
static_assert(offsetof(CUpti_ActivityGraphTrace2, start) ==
              offsetof(CUpti_ActivityGraphTrace, start));
static_assert(offsetof(CUpti_ActivityOverhead3, start) == offsetof(CUpti_ActivityOverhead, start));
static_assert(offsetof(CUpti_ActivitySynchronization2, start) ==
              offsetof(CUpti_ActivitySynchronization, start));
#endif
// NOLINTEND
