#include "analysis/kernel_family.h"

#include <string>

#include "absl/strings/ascii.h"

namespace gapscope {
namespace {

constexpr std::string_view kGemm = "GEMM";
constexpr std::string_view kConvolution = "convolution";
constexpr std::string_view kAttention = "attention";
constexpr std::string_view kNorm = "norm";
constexpr std::string_view kSoftmax = "softmax";
constexpr std::string_view kReduction = "reduction";
constexpr std::string_view kElementWise = "element-wise";
constexpr std::string_view kOptimiser = kOptimiserFamily;
constexpr std::string_view kCopy = "copy/layout";
constexpr std::string_view kIndex = "embedding/index";
constexpr std::string_view kSort = "sort/scan";
constexpr std::string_view kRandom = "random";
constexpr std::string_view kCommunication = kCommunicationFamily;
constexpr std::string_view kFft = "fft";
constexpr std::string_view kOther = "other";

constexpr FamilyRule kFamilyRules[] = {
    // What a compiler fused is named after the operations in it, collectives included, and is
    // compute
    // all the same: before the communication rules.
    {"^triton_poi_", kElementWise},
    {"^triton_for_", kOptimiser},
    {"^triton_tem_fused_conv", kConvolution},
    {"^triton_tem_fused_flex", kAttention},
    {"^triton_tem_", kGemm},
    {"^gemm_fusion", kGemm},
    {"gemm_all_reduce", kGemm},
    {"gemm_reduce_scatter", kGemm},
    {"all_gather_gemm", kGemm},
    // Communication, by names that only such libraries have. Kernels that exchange and also add a
    // residual or a norm stay here: ranks wait for each other in them.
    {"^nccldevkernel", kCommunication},
    {"^ncclkernel", kCommunication},
    {"^ncclsymdevkernel", kCommunication},
    {"^ncclsymk", kCommunication},
    {"^nccldev", kCommunication},
    {"^rcclkernel", kCommunication},
    {"^mscclkernel", kCommunication},
    {"^mscclpp::", kCommunication},
    {"^nvshmem", kCommunication},
    {"^barrier_on_stream_kernel", kCommunication},
    {"^deep_ep::", kCommunication},
    {"^cross_device_reduce", kCommunication},
    {"^quickreduce::", kCommunication},
    {"^allreduce_prototype", kCommunication},
    {"^oneshotallreduce", kCommunication},
    {"^twoshotallreduce", kCommunication},
    {"^one_shot_all_reduce", kCommunication},
    {"^two_shot_all_reduce", kCommunication},
    {"^all_reduce_kernel", kCommunication},
    {"^all_reduce_one_shot", kCommunication},
    {"^all_reduce_two_shot", kCommunication},
    {"^trtllm_allreduce", kCommunication},
    {"^multimem_all_reduce", kCommunication},
    {"^multimem_one_shot", kCommunication},
    {"^multimem_all_gather", kCommunication},
    {"^allreduce_fusion_kernel", kCommunication},
    {"^lamport_style_one_shot_all_reduce", kCommunication},
    {"^moereductionallreduce", kCommunication},
    {"^custom_all_reduce", kCommunication},
    {"^allreducekernelimpl", kCommunication},  // XLA's own one-shot
    {"^userbuffers_", kCommunication},         // TransformerEngine
    {"^kuserbuffers_", kCommunication},
    {"^symm_mem::", kCommunication},
    // Kernels whose own name decides, whatever operation they are given.
    {"^multi_tensor_apply", kOptimiser},
    {"^reduce_kernel", kReduction},
    {"splitkreduce", kGemm},
    // Before GEMM and convolution, whose words attention kernels of cuDNN and CUTLASS also carry.
    {"attention", kAttention},
    {"attn", kAttention},
    {"fmha", kAttention},
    {"sdpa", kAttention},
    {"flash_fwd", kAttention},
    {"flash_bwd", kAttention},
    {"flash_mla", kAttention},
    {"pagedkvcachekernel", kAttention},
    {"^mha_", kAttention},
    {"^mla_", kAttention},
    // Before GEMM: most convolutions are implicit ones.
    {"nchwtonhwc", kCopy},
    {"nhwctonchw", kCopy},
    {"implicit_gemm", kConvolution},
    {"implicitgemm", kConvolution},
    {"fprop", kConvolution},
    {"dgrad", kConvolution},
    {"wgrad", kConvolution},
    {"convolve", kConvolution},
    {"convolution", kConvolution},
    {"conv1d", kConvolution},
    {"conv2d", kConvolution},
    {"conv3d", kConvolution},
    {"conv_depthwise", kConvolution},
    {"winograd", kConvolution},
    {"^cudnn::cnn::", kConvolution},
    {"gemm", kGemm},
    {"gemv", kGemm},
    {"^nvjet", kGemm},
    {"matmul", kGemm},
    {"bmm", kGemm},
    {"_mm_", kGemm},
    {"fused_moe_kernel", kGemm},
    {"marlin", kGemm},
    {"cublaslt::", kGemm},
    {"multi_tensor", kOptimiser},
    {"adam", kOptimiser},
    {"adagrad", kOptimiser},
    {"rmsprop", kOptimiser},
    {"^lamb_", kOptimiser},
    {"lambstage", kOptimiser},
    {"fused_sgd", kOptimiser},
    {"sgd_", kOptimiser},
    {"amp_update_scale", kOptimiser},
    {"softmax", kSoftmax},
    {"cross_entropy", kSoftmax},
    {"layer_norm", kNorm},
    {"layernorm", kNorm},
    {"rms_norm", kNorm},
    {"rmsnorm", kNorm},
    {"batch_norm", kNorm},
    {"batchnorm", kNorm},
    {"group_norm", kNorm},
    {"groupnorm", kNorm},
    {"instance_norm", kNorm},
    {"weight_norm", kNorm},
    {"rowwisemoments", kNorm},
    {"gammabeta", kNorm},
    {"computefusedparams", kNorm},
    {"bn_fw", kNorm},
    {"bn_bw", kNorm},
    {"^ln_fwd", kNorm},
    {"^ln_bwd", kNorm},
    {"curand", kRandom},
    {"philox", kRandom},
    {"dropout", kRandom},
    {"bernoulli", kRandom},
    {"distribution_", kRandom},
    {"multinomial", kRandom},
    {"randperm", kRandom},
    {"threefry", kRandom},
    {"rng", kRandom},
    {"fft", kFft},
    {"sort", kSort},
    {"scan", kSort},
    {"topk", kSort},
    {"cumsum", kSort},
    {"cumprod", kSort},
    {"searchsorted", kSort},
    {"deviceselect", kSort},
    {"devicepartition", kSort},
    {"runlength", kSort},
    {"uniquebykey", kSort},
    {"align_block_size", kSort},
    {"elementwise_kernel_with_index", kElementWise},
    {"embedding", kIndex},
    {"index", kIndex},
    {"gather", kIndex},
    {"scatter", kIndex},
    {"compute_grad_weight", kIndex},
    {"krn_partial", kIndex},
    {"reshape_and_cache", kIndex},
    {"catarray", kCopy},
    {"copy", kCopy},
    {"transpose", kCopy},
    {"permute", kCopy},
    {"concat", kCopy},
    {"memset", kCopy},
    {"im2col", kCopy},
    {"col2im", kCopy},
    {"_pad", kCopy},
    {"slice", kCopy},
    {"flip", kCopy},
    {"roll_cuda", kCopy},
    {"reduce", kReduction},
    {"reduction", kReduction},
    {"^triton_red_", kReduction},
    {"^triton_per_", kReduction},
    {"argmax", kReduction},
    {"argmin", kReduction},
    {"_sum", kReduction},
    {"pool", kReduction},
    {"nll_loss", kReduction},
    {"^dot_kernel", kReduction},
    {"elementwise", kElementWise},
    {"element_wise", kElementWise},
    {"pointwise", kElementWise},
    {"parallelforagent", kElementWise},
    {"devicefor", kElementWise},
    {"transform_kernel", kElementWise},
    {"devicetransform", kElementWise},
    {"unary", kElementWise},
    {"activation", kElementWise},
    {"act_and_mul", kElementWise},
    {"gelu", kElementWise},
    {"silu", kElementWise},
    {"relu", kElementWise},
    {"swiglu", kElementWise},
    {"sigmoid", kElementWise},
    {"rotary", kElementWise},
    {"rope", kElementWise},
    {"quant", kElementWise},
    {"cast", kElementWise},
    {"convert", kElementWise},
    {"fill", kElementWise},
    {"axpy", kElementWise},
    {"triu_tril", kElementWise},
    {"^loop_", kElementWise},
    {"^wrapped_", kElementWise},
    {"_add", kElementWise},
    {"_mul", kElementWise},
};

// `name` is lower case.
bool matches(std::string_view name, std::string_view pattern) {
  if (pattern.front() != '^') return name.find(pattern) != std::string_view::npos;
  pattern.remove_prefix(1);
  for (std::size_t at = name.find(pattern); at != std::string_view::npos;
       at = name.find(pattern, at + 1)) {
    if (at == 0 || name[at - 1] == ':') return true;
  }
  return false;
}

}  // namespace

absl::Span<const FamilyRule> family_rules() { return kFamilyRules; }

std::string_view kernel_family(std::string_view path, std::string_view short_name,
                               std::string_view full_name) {
  const std::string lower_path = absl::AsciiStrToLower(path);
  const std::string lower_short = absl::AsciiStrToLower(short_name);
  for (const FamilyRule& rule : kFamilyRules) {
    if (matches(lower_path, rule.pattern)) return rule.family;
    if (rule.family != kCommunication && matches(lower_short, rule.pattern)) return rule.family;
  }
  // A kernel with a name of its own, built from a library's templates.
  const std::string lower_full = absl::AsciiStrToLower(full_name);
  for (const FamilyRule& rule : kFamilyRules) {
    const bool telling =
        rule.family == kGemm || rule.family == kConvolution || rule.family == kAttention;
    if (telling && matches(lower_full, rule.pattern)) return rule.family;
  }
  return kOther;
}

}  // namespace gapscope
