// Real symbols of libraries (and of stand-ins with their structure, mangled by g++): short names
// and families.
#include <set>
#include <string>

#include "analysis/kernel_name.h"
#include "catch.h"

namespace gapscope {
namespace {

struct Case {
  const char* symbol;
  const char* short_name;
  const char* family;
};

constexpr Case kMangled[] = {
    {"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEENS_6detail"
     "5ArrayIPcLi3EEEEEviT0_T1_",
     "vectorized_elementwise_kernel<CUDAFunctor_add>", "element-wise"},
    {"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIN3c108BFloat16EEE"
     "NS_6detail5ArrayIPcLi1EEEEEviT0_T1_",
     "vectorized_elementwise_kernel<FillFunctor>", "element-wise"},
    {"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_13AUnaryFunctorIfffNS0_15binary"
     "_internal10MulFunctorIfEEEENS_6detail5ArrayIPcLi2EEEEEviT0_T1_",
     "vectorized_elementwise_kernel<MulFunctor>", "element-wise"},
    {"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_13BinaryFunctorIfffNS0_15binary"
     "_internal10MulFunctorIfEEEENS_6detail5ArrayIPcLi3EEEEEviT0_T1_",
     "vectorized_elementwise_kernel<MulFunctor>", "element-wise"},
    {"_ZN2at6native18elementwise_kernelILi128ELi2EZNS0_22gpu_kernel_impl_nocastIZZZNS0_23d"
     "irect_copy_kernel_cudaERNS_18TensorIteratorBaseEENKUlvE_clEvENKUlvE_clEvEUlfE_EEvS4_"
     "RKT_EUliE_EEviT1_",
     "elementwise_kernel<direct_copy_kernel_cuda>", "copy/layout"},
    {"_ZN2at6native27unrolled_elementwise_kernelIZZZNS0_23direct_copy_kernel_cudaERNS_18Te"
     "nsorIteratorBaseEENKUlvE_clEvENKUlvE_clEvEUlfE_NS_6detail5ArrayIPcLi2EEE23TrivialOff"
     "setCalculatorILi1EESC_NS0_6memory15LoadWithoutCastENSD_16StoreWithoutCastEEEviT_T0_T"
     "1_T2_T3_T4_",
     "unrolled_elementwise_kernel<direct_copy_kernel_cuda>", "copy/layout"},
    {"_ZN2at6native24index_elementwise_kernelILi128ELi4EZNS0_16gpu_index_kernelIZNS0_17ind"
     "ex_kernel_implINS0_10OpaqueTypeILi4EEEEEvRNS_18TensorIteratorBaseEN3c108ArrayRefIlEE"
     "EUlPcPKclE_EEvS7_SA_RKT_EUliE_EEvlT1_",
     "index_elementwise_kernel<index_kernel_impl>", "embedding/index"},
    {"_ZN2at6native12_GLOBAL__N_125multi_tensor_apply_kernelINS1_18TensorListMetadataILi4E"
     "EENS1_20FusedAdamMathFunctorIfLi4ELi0ELb0EEEJffEEEvT_T0_DpT1_",
     "multi_tensor_apply_kernel<FusedAdamMathFunctor>", "optimiser"},
    {"_ZN2at6native12_GLOBAL__N_125multi_tensor_apply_kernelINS1_18TensorListMetadataILi2E"
     "EENS1_21BinaryOpScalarFunctorIfLi2ELi1ELi1EEEJSt10multipliesIfEfEEEvT_T0_DpT1_",
     "multi_tensor_apply_kernel<BinaryOpScalarFunctor, multiplies>", "optimiser"},
    {"_ZN2at6native12_GLOBAL__N_129elementwise_kernel_with_indexIiZZNS0_15arange_cuda_outE"
     "RKN3c106ScalarEENKUlvE_clEvEUllE_EEvT_T0_Pf",
     "elementwise_kernel_with_index<arange_cuda_out>", "element-wise"},
    {"_ZN2at6native12_GLOBAL__N_119cunn_SoftMaxForwardILi4EfffNS1_25LogSoftMaxForwardEpilo"
     "gueEEEvPT2_PKT0_i",
     "cunn_SoftMaxForward<LogSoftMaxForwardEpilogue>", "softmax"},
    {"_ZN2at6native12_GLOBAL__N_128vectorized_layer_norm_kernelIffLb0EEEviT0_PKT_",
     "vectorized_layer_norm_kernel", "norm"},
    {"_ZN2at6native12_GLOBAL__N_121indexSelectLargeIndexIfEEvPT_i", "indexSelectLargeIndex",
     "embedding/index"},
    {"_ZN2at6native12_GLOBAL__N_119CatArrayBatchedCopyIfLi3EEEvPT_", "CatArrayBatchedCopy",
     "copy/layout"},
    {"_ZN2at6native43distribution_elementwise_grid_stride_kernelILi1ELi4EZNS0_9templates4c"
     "uda13normal_kernelIPNS0_3GenEEEvRNS_18TensorIteratorBaseET_EUlPiE_ZNS4_IS6_EEvS8_S9_"
     "EUlifE0_EEvlT1_T2_",
     "distribution_elementwise_grid_stride_kernel<normal_kernel>", "random"},
    {"_ZN3cub17CUB_200802_SM_90029DeviceRadixSortOnesweepKernelINS0_6detail10policy_hubELb"
     "0EfiEEvPT1_T2_",
     "cub::DeviceRadixSortOnesweepKernel", "sort/scan"},
    {"_ZN3cub17CUB_200802_SM_90028DeviceReduceSingleTileKernelINS0_6detail10policy_hubEiEE"
     "vT0_Pf",
     "cub::DeviceReduceSingleTileKernel", "reduction"},
    {"_ZN6thrust20THRUST_200802_SM_9008cuda_cub4core13_kernel_agentINS1_14__parallel_for16"
     "ParallelForAgentINS1_20__uninitialized_fill7functorINS0_10device_ptrIfEEfEEmEESA_mEE"
     "vT0_T1_",
     "thrust::ParallelForAgent", "element-wise"},
    {"_ZN8internal5gemvx6kernelIifLb1EEEvT_T0_", "gemvx::kernel", "GEMM"},
    {"_ZN4vllm18act_and_mul_kernelIN3c108BFloat16EXadL_ZNS_11silu_kernelIS2_EET_RKS4_EELb1"
     "EEEvPS4_PS5_i",
     "vllm::act_and_mul_kernel<silu_kernel>", "element-wise"},
    {"_ZN4vllm15rms_norm_kernelIfEEvPT_PKS1_", "vllm::rms_norm_kernel", "norm"},
    {"_ZN4vllm26cross_device_reduce_1stageIfLi8EEEvPT_i", "vllm::cross_device_reduce_1stage",
     "communication"},
    {"_ZN7deep_ep9intranode8dispatchILi8EEEvPi", "deep_ep::intranode::dispatch", "communication"},
    {"_ZN7deep_ep9intranode7combineIfLi8EEEvPT_", "deep_ep::intranode::combine", "communication"},
    {"_ZN7deep_ep12internode_ll8dispatchILb1EEEvi", "deep_ep::internode_ll::dispatch",
     "communication"},
    {"_ZN18transformer_engine13normalization19ln_fwd_tuned_kernelIiEEvi", "ln_fwd_tuned_kernel",
     "norm"},
    {"_ZN18transformer_engine10act_kernelILi4EXadL_ZNS_4geluEfiEEEEvPf", "act_kernel<gelu>",
     "element-wise"},
    {"_ZN7cutlass13device_kernelIN5flash20enable_sm90_or_laterINS1_16FlashAttnFwdSm90INS1_"
     "6TraitsELb1EEEEEEEvi",
     "FlashAttnFwdSm90", "attention"},
    {"_ZN13pytorch_flash16flash_fwd_kernelIN5flash6TraitsELb1EEEvi", "flash_fwd_kernel",
     "attention"},
    {"_ZN9deep_gemm15fp8_gemm_kernelILi3EEEvPf", "deep_gemm::fp8_gemm_kernel", "GEMM"},
    {"_ZN6Kokkos4Impl33cuda_parallel_launch_local_memoryINS0_11ParallelForIZ5hydrovEUliE_i"
     "EEEEvT_",
     "cuda_parallel_launch_local_memory<hydro>", "other"},
    {"_ZN7cutlass7Kernel2I66cutlass_80_tensorop_f16_s16816gemm_relu_f16_256x128_32x3_tn_al"
     "ign8EEvNT_6ParamsE",
     "cutlass_80_tensorop_f16_s16816gemm_relu_f16_256x128_32x3_tn_align8", "GEMM"},
    {"_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIfNS0_7MeanOpsIffEEjfLi4EEEEEvT1"
     "_",
     "reduce_kernel<MeanOps>", "reduction"},
    {"_ZN2at6native13reduce_kernelILi128ELi4ENS0_8ReduceOpIfNS0_14func_wrapper_tIfZNS0_11s"
     "um_functorIfffEclERNS_14TensorIteratorEEUlffE_EEjfLi4ELi4EEEEEvT1_",
     "reduce_kernel<sum_functor>", "reduction"},
    {"_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIbNS0_14func_wrapper_tIbZZZNS0_1"
     "5and_kernel_cudaERNS_14TensorIteratorEENKUlvE_clEvENKUlvE10_clEvEUlbbE_EEjbLi4ELi4EE"
     "EEEvT1_",
     "reduce_kernel<and_kernel_cuda>", "reduction"},
    {"_ZN2at6native29vectorized_elementwise_kernelILi4EZZZNS0_18GeluCUDAKernelImplERNS_18T"
     "ensorIteratorBaseENS0_8GeluTypeEENKUlvE0_clEvENKUlvE2_clEvEUlN3c108BFloat16EE_NS_6de"
     "tail5ArrayIPcLi2EEEEEviT0_T1_",
     "vectorized_elementwise_kernel<GeluCUDAKernelImpl>", "element-wise"},
    {"_ZN2at6native29vectorized_elementwise_kernelILi4EZZZNS0_49_GLOBAL__N__d2ba64fb_16_Te"
     "nsorCompare_cu_71e06f4e19launch_clamp_scalarERNS_18TensorIteratorBaseEN3c106ScalarES"
     "6_NS0_6detail11ClampLimitsEENKUlvE_clEvENKUlvE5_clEvEUlfE_St5arrayIPcLm2EEEEviT0_T1_",
     "vectorized_elementwise_kernel<launch_clamp_scalar>", "element-wise"},
    {"_ZN43_GLOBAL__N__b6de9c8c_10_SoftMax_cu_9f978f6320softmax_warp_forwardIfffLi4ELb0ELb"
     "0EEEvPT0_PKT_iiiPKbib",
     "softmax_warp_forward", "softmax"},
    {"_Z17gemv2T_kernel_valIiiffffLi128ELi16ELi4ELi4ELb0ELb1E18cublasGemvParamsExIi30cubla"
     "sGemvTensorStridedBatchedIKfES3_S1_IfEfEEvT11_T4_S7_",
     "gemv2T_kernel_val", "GEMM"},
    {"_Z40fmha_cutlassF_f32_aligned_64x128_rf_sm80N22PyTorchMemEffAttention15AttentionKern"
     "elIfN7cutlass4arch4Sm80ELb1ELi64ELi128ELi128ELb1ELb1EE6ParamsE",
     "fmha_cutlassF_f32_aligned_64x128_rf_sm80", "attention"},
    {"_ZN2at6native24index_elementwise_kernelILi128ELi4EZNS0_22index_fill_kernel_implINS0_"
     "10OpaqueTypeILi16EEEEEvRNS_14TensorIteratorElllT_EUliE_EEviT1_",
     "index_elementwise_kernel<index_fill_kernel_impl>", "embedding/index"},
};

}  // namespace

TEST_CASE("mangled symbols of the usual libraries", "[kernel_name]") {
  for (const Case& c : kMangled) {
    const KernelName name = parse_kernel_name(c.symbol);
    INFO(c.symbol);
    INFO(name.full_name);
    CHECK(name.short_name == c.short_name);
    CHECK(name.family == c.family);
    CHECK(name.communication == (std::string(c.family) == "communication"));
    CHECK(name.full_name.find("_Z") == std::string::npos);
  }
}

TEST_CASE("the demangled form of a symbol gives the same name", "[kernel_name]") {
  for (const Case& c : kMangled) {
    const KernelName name = parse_kernel_name(c.symbol);
    const KernelName again = parse_kernel_name(name.full_name);
    CHECK(again.full_name == name.full_name);
    CHECK(again.short_name == name.short_name);
    CHECK(again.family == name.family);
  }
}

TEST_CASE("a symbol cut off anywhere still gives some name", "[kernel_name]") {
  for (const Case& c : kMangled) {
    const std::string symbol = c.symbol;
    for (std::size_t n = 0; n < symbol.size(); ++n) {
      const KernelName name = parse_kernel_name(symbol.substr(0, n));
      CHECK_FALSE(name.short_name.empty());
      CHECK(name.short_name.size() <= kMaxShortName);
      CHECK(name.full_name.size() <= kMaxFullName);
      CHECK_FALSE(name.family.empty());
    }
  }
  // The last quarter of a template argument is missing: the function's own name is not.
  CHECK(parse_kernel_name("_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIfNS0_7Me")
            .short_name == "reduce_kernel");
  CHECK(
      parse_kernel_name("_ZN7cutlass13device_kernelIN5flash20enable_sm90_or_laterINS1_16FlashAttn")
          .family == "attention");
}

}  // namespace gapscope
