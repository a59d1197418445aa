// The table of families: names that are not mangled, near misses, the table itself.
#include <algorithm>
#include <set>
#include <string>

#include "analysis/kernel_family.h"
#include "analysis/kernel_name.h"
#include "catch.h"

namespace gapscope {
namespace {

struct Case {
  const char* name;
  const char* family;
};

constexpr Case kPlain[] = {
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x128x64", "GEMM"},
    {"nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_TNN", "GEMM"},
    {"ampere_bf16_s1688gemm_bf16_128x128_ldg8_f2f_stages_32x1_tn", "GEMM"},
    {"volta_sgemm_64x64_nn", "GEMM"},
    {"void cublasLt::splitKreduce_kernel<32, 16, int, float>(cublasLt::P<float>)", "GEMM"},
    {"bmm_E2m1_E2m1E2m1_Fp32_bA16_bB16_bC16", "GEMM"},
    {"gemm_fusion_dot_12", "GEMM"},
    {"triton_tem_fused_mm_3", "GEMM"},
    {"fused_moe_kernel", "GEMM"},
    {"matmul_kernel_persistent", "GEMM"},
    {"void my_layer<cutlass::gemm::device::Thing<float> >(int)", "GEMM"},
    {"sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc", "convolution"},
    {"sm80_xmma_wgrad_implicit_gemm_indexed_tf32f32_tf32f32_f32", "convolution"},
    {"cudnn_infer_ampere_scudnn_128x64_relu_dgrad2d_c1", "convolution"},
    {"void implicit_convolve_sgemm<float, float, 1024, 5, 5>(int)", "convolution"},
    {"void at::native::(anonymous namespace)::conv_depthwise2d_forward_kernel<1>(int)",
     "convolution"},
    {"causal_conv1d_channellast_fwd_kernel", "convolution"},
    {"void cudnn::engines_precompiled::nchwToNhwcKernel<float, float>(int)", "copy/layout"},
    {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_6", "attention"},
    {"void flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<F>(P)", "attention"},
    {"fmha_cutlassF_bf16_aligned_64x64_rf_sm80", "attention"},
    {"void vllm::paged_attention_v1_kernel<float>(int)", "attention"},
    {"void flashinfer::BatchDecodeWithPagedKVCacheKernel<int>(P)", "attention"},
    {"_attn_fwd", "attention"},
    {"triton_tem_fused_flex_attention_2", "attention"},
    {"void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float>(int)", "norm"},
    {"void at::native::batch_norm_transform_input_channels_last_kernel<float>(int)", "norm"},
    {"void at::native::(anonymous namespace)::RowwiseMomentsCUDAKernel<float>(long)", "norm"},
    {"_layer_norm_fwd_fused", "norm"},
    {"triton_red_fused_native_layer_norm_4", "norm"},
    {"triton_per_fused__softmax_1", "softmax"},
    {"triton_per_fused_sum_1", "reduction"},
    {"triton_red_fused_mean_2", "reduction"},
    {"triton_poi_fused_add_0", "element-wise"},
    {"triton_poi_fused__softmax_add_9", "element-wise"},
    {"triton_for_fused_0", "optimiser"},
    {"input_reduce_fusion_3", "reduction"},
    {"loop_add_fusion", "element-wise"},
    {"loop_gather_fusion", "embedding/index"},
    {"input_transpose_fusion_1", "copy/layout"},
    {"wrapped_convert", "element-wise"},
    {"fusion_12", "other"},
    {"void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float> >(int)",
     "optimiser"},
    {"void at::native::(anonymous namespace)::fused_dropout_kernel_vec<float>(int)", "random"},
    {"void at::native::bitonicSortKVInPlace<int>(int)", "sort/scan"},
    {"void at::native::sbtopk::gatherTopK<float>(int)", "sort/scan"},
    {"void cub::DeviceScanKernel<P>(int)", "sort/scan"},
    {"void at::native::(anonymous namespace)::indexSelectSmallIndex<float>(int)",
     "embedding/index"},
    {"void at::native::_scatter_gather_elementwise_kernel<128, 8, F>(int)", "embedding/index"},
    {"void at::native::vectorized_gather_kernel<16, long>(char*)", "embedding/index"},
    {"void at::native::(anonymous namespace)::embedding_backward_feature_kernel<float>(int)",
     "embedding/index"},
    {"void regular_fft<256u, 16u>(int)", "fft"},
    {"void vector_fft<1024u>(int)", "fft"},
    {"void transformer_engine::(anonymous namespace)::something_new<int>(int)", "other"},
    {"my_kernel", "other"},
};

constexpr const char* kCommunicates[] = {
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
    "ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclWorkElem)",
    "ncclSymDevKernel_AllReduce_AGxLL_R_sum_f32",
    "ncclSymkDevKernel_ReduceScatter_LD_sum_bf16",
    "nvshmemi_transfer_rma_p",
    "nvshmem_barrier_all_on_stream_kernel",
    "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(int)",
    "void sglang::cross_device_reduce_2stage<__nv_bfloat16, 8>(int)",
    "void sglang::all_reduce_kernel<sglang::AllReducePushImpl<__nv_bfloat16> >(int)",
    "void (anonymous namespace)::all_reduce_one_shot_push_kernel<__nv_bfloat16, 8u, true>(int)",
    "void deep_ep::intranode::dispatch<8, 768>(int4*)",
    "void deep_ep::internode_ll::combine<true, 7168>(void*)",
    "void tensorrt_llm::kernels::oneShotAllReduceKernel<half, 8>(P)",
    "void tensorrt_llm::kernels::ar_fusion::allreduce_fusion_kernel_oneshot_lamport<half, 8>(P)",
    "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<half>(P)",
    "void c10d::symmetric_memory::multimem_all_reduce_kernel<16>(float*)",
    "void two_shot_all_reduce_kernel<c10::BFloat16, 16>(int)",
};

// Compute, whatever words stand in the name.
constexpr const char* kComputes[] = {
    "reduce_kernel",
    "void at::native::reduce_kernel<512, 1, R>(R)",
    "void cub::DeviceReduceKernel<P>(int)",
    "triton_poi_fused_add_all_reduce_wait_tensor_0",
    "triton_red_fused_all_reduce_mean_1",
    "loop_all_reduce_fusion",
    "all_reduce_bias_gelu_fused",
    "gemm_all_reduce_kernel",
    "my_allreduce_like_sum",
    "void foo<ncclDevKernel_AllReduce>(int)",
    "void at::native::vectorized_elementwise_kernel<4, nccl::ncclDevKernel, A>(int)",
    "void f(ncclDevKernelArgsStorage<4096ul>)",
    "void ns::pack_for_ncclKernel(int)",
    "void g<deep_ep::Config>(deep_ep::Config)",
    "void deep_epilogue::dispatch<4>(int)",
    "krn_partials_reduce_kernel",
    "splitKreduce_kernel",
    "broadcast_gradient_args",
    "dispatch_kernel",
    "barrier",
    "moe_align_block_size_kernel",
};

}  // namespace

TEST_CASE("families of names that are not mangled", "[kernel_family]") {
  for (const Case& c : kPlain) {
    INFO(c.name);
    CHECK(parse_kernel_name(c.name).family == c.family);
  }
}

TEST_CASE("communication kernels are known", "[kernel_family]") {
  for (const char* name : kCommunicates) {
    INFO(name);
    CHECK(parse_kernel_name(name).communication);
    CHECK(parse_kernel_name(name).family == "communication");
  }
}

TEST_CASE("compute kernels are never taken for communication", "[kernel_family]") {
  for (const char* name : kComputes) {
    INFO(name);
    CHECK_FALSE(parse_kernel_name(name).communication);
    CHECK(parse_kernel_name(name).family != "communication");
  }
}

TEST_CASE("the table names known families in lower-case patterns", "[kernel_family]") {
  const std::set<std::string> families = {
      "GEMM",      "convolution",  "attention",     "norm",        "softmax",
      "reduction", "element-wise", "optimiser",     "copy/layout", "embedding/index",
      "sort/scan", "random",       "communication", "fft"};
  std::set<std::string> seen, patterns;
  for (const FamilyRule& rule : family_rules()) {
    INFO(rule.pattern);
    CHECK(rule.pattern.size() > 2);
    CHECK(std::none_of(rule.pattern.begin(), rule.pattern.end(),
                       [](char c) { return c >= 'A' && c <= 'Z'; }));
    CHECK(families.count(std::string(rule.family)) == 1);
    CHECK(patterns.insert(std::string(rule.pattern)).second);
    // Words that could stand in any name must not decide that something is communication.
    if (rule.family == "communication") CHECK(rule.pattern.front() == '^');
    seen.insert(std::string(rule.family));
  }
  CHECK(seen == families);
}

TEST_CASE("every rule decides for some name", "[kernel_family]") {
  // A rule that an earlier one always shadows would be dead: its own pattern must reach it or a
  // rule of the same family.
  for (const FamilyRule& rule : family_rules()) {
    std::string name(rule.pattern);
    if (name.front() == '^') name.erase(0, 1);
    if (name.size() > 2 && name.substr(name.size() - 2) == "::") name += "x";
    INFO(rule.pattern);
    CHECK(kernel_family(name, name, name) == rule.family);
  }
}

}  // namespace gapscope
