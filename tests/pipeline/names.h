// Kernel names as CUPTI gives them; NAMES in oracle.py tells what the report makes of them.
#pragma once

namespace fake_driver {

inline constexpr const char* kSaxpy = "_Z5saxpyfPfS_i";
inline constexpr const char* kGemm = "sm90_gemm_f16";
inline constexpr const char* kNorm = "_ZN2at6native10layer_normIfEEvPT_S3_i";
inline constexpr const char* kAllReduce =
    "_Z39ncclDevKernel_AllReduce_Sum_f32_RING_LL24ncclDevKernelArgsStorageILm4096EE";

}  // namespace fake_driver
