#include "sink_sample.h"

#include <utility>

namespace gapscope::test {
namespace {

report::Distribution distribution(std::int64_t count, std::int64_t total, std::int64_t least,
                                  std::int64_t median, std::int64_t most) {
  report::Distribution d;
  d.count = count;
  d.total_ns = total;
  d.min_ns = least;
  d.p50_ns = median;
  d.p90_ns = median + (most - median) / 2;
  d.p99_ns = median + (most - median) * 9 / 10;
  d.max_ns = most;
  d.stddev_ns = static_cast<double>(most - least) / 6;
  return d;
}

report::Kernel kernel(std::string name, std::string family, std::int64_t calls,
                      std::int64_t alone) {
  report::Kernel k;
  k.name = name;
  k.full_name = "void " + name + "<float, 128>(float*, int)";
  k.family = std::move(family);
  k.communication = k.family == "communication";
  k.alone_ns = alone;
  const std::int64_t total = alone + alone / 50;
  const std::int64_t mean = total / calls;
  k.time = distribution(calls, total, mean / 2, mean - mean / 40, mean * 3);
  for (auto& n : k.grid) n = 64;
  k.block[0] = 256;
  k.block[1] = k.block[2] = 1;
  k.registers_per_thread = 96;
  k.shared_bytes = 49152;
  return k;
}

void add_kernels(report::Device& d) {
  d.kernels = {
      kernel("sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x64",
             "convolution", 73'564, 7'516'000'000),
      kernel("sm90_xmma_dgrad_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc", "convolution",
             70'788, 6'149'000'000),
      kernel("cutlass::Kernel2", "GEMM", 48'580, 5'101'000'000),
      kernel("at::native::batch_norm_collect_statistics_channels_last_kernel", "norm", 73'564,
             4'430'000'000),
      kernel("at::native::batch_norm_backward_reduce_channels_last_kernel", "norm", 73'564,
             3'780'000'000),
      kernel("at::native::vectorized_elementwise_kernel", "element-wise", 235'960, 2'221'000'000),
      kernel("at::native::multi_tensor_apply_kernel", "optimiser", 5'552, 1'708'000'000),
      kernel("at::native::reduce_kernel", "reduction", 12'492, 801'000'000),
      kernel("at::native::max_pool_forward_nhwc", "pooling", 1'388, 502'000'000),
      kernel("at::native::elementwise_kernel", "element-wise", 9'716, 322'000'000),
      kernel("at::native::CatArrayBatchedCopy", "element-wise", 1'388, 101'000'000),
      kernel("at::native::softmax_warp_forward", "softmax", 1'388, 55'000'000),
  };
  d.kernel_names = 412;
  d.families = {{"convolution", 144'352, 13'938'000'000}, {"norm", 147'128, 8'374'000'000},
                {"GEMM", 48'580, 5'203'000'000},          {"element-wise", 247'064, 2'697'000'000},
                {"optimiser", 5'552, 1'742'000'000},      {"reduction", 12'492, 817'000'000},
                {"pooling", 1'388, 512'000'000},          {"softmax", 1'388, 56'000'000}};
  for (const report::Family& family : d.families) d.kernel_sum_ns += family.total_ns;
}

void add_copies(report::Device& d) {
  report::Copy in;
  in.direction = "HtoD";
  in.source = "pageable";
  in.destination = "device";
  in.bytes = 6'820'000'000;
  in.time = distribution(2'776, 1'663'000'000, 21'000, 598'000, 990'000);
  in.hidden_ns = 16'000'000;
  in.same_stream = 2'776;
  report::Copy out = in;
  out.direction = "DtoH";
  std::swap(out.source, out.destination);
  out.bytes = 5'552;
  out.time = distribution(1'388, 2'200'000, 1'400, 1'580, 4'000);
  out.hidden_ns = 0;
  report::Copy set;
  set.direction = "set";
  set.destination = "device";
  set.bytes = 91'000'000;
  set.time = distribution(4'164, 8'300'000, 1'200, 1'990, 4'400);
  set.hidden_ns = 5'800'000;
  d.copies = {in, set, out};
  d.copy_ns = 1'673'000'000;
  d.copy_overlap_ns = 21'000'000;
}

void add_gaps(report::Device& d) {
  d.gaps.count = 412'345;
  d.gaps.listed_count = 1'431;
  d.gaps.listed_ns = 18'344'000'000;
  d.gaps.half_ns = 12'400'000;
  d.gaps.longest = {
      {31'204'500'000, 96'400'000, "at::native::multi_tensor_apply_kernel", "memcpy HtoD", ""},
      {8'020'100'000, 61'230'000, "at::native::multi_tensor_apply_kernel", "memcpy HtoD", ""},
      {44'870'020'000, 40'010'000, "memcpy DtoH", "at::native::vectorized_elementwise_kernel", ""}};
  d.gaps.histogram = {{4'096, 400'000, 700'000'000}, {8'388'608, 1'400, 17'900'000'000}};
}

void add_timeline(report::Device& d) {
  d.slice_ns = 918'333'334;
  for (std::int64_t i = 0; i < 60; ++i) {
    const std::int64_t busy = d.slice_ns / 100 * (i % 7 == 3 ? 9 : 62 + (i * 13) % 37);
    d.timeline.push_back({busy, busy - busy / 20, d.slice_ns - busy});
  }
}

report::HostCall call(std::string name, std::string category, std::int64_t calls,
                      std::int64_t total, std::int64_t blocking) {
  report::HostCall c;
  c.name = std::move(name);
  c.category = std::move(category);
  c.blocking_ns = blocking;
  c.time = distribution(calls, total, total / calls / 3, total / calls, total / calls * 9);
  return c;
}

}  // namespace

report::Device sample_device(std::uint32_t ordinal) {
  report::Device d;
  d.device = ordinal;
  d.name = "NVIDIA H200";
  d.uuid = "GPU-7d1e7c55-0000-0000-0000-00000000000" + std::to_string(ordinal);
  d.time = {55'100'000'000, 34'162'000'000, 0, 1'652'000'000, 19'286'000'000, 0};
  d.spacing_ns = 310'000'000;
  d.launch_bound_ns = 632'000'000;
  d.operations = 612'444;
  d.streams = 1;
  d.first_op_ns = 1'760'000'007'150'000'000;
  d.last_op_ns = d.first_op_ns + d.time.window_ns;
  add_kernels(d);
  add_copies(d);
  add_gaps(d);
  add_timeline(d);
  return d;
}

report::Report sample_report() {
  report::Report r;
  r.process.command = "python train.py --epochs 3 --batch-size 256";
  r.process.pid = 4711;
  r.process.rank = "0/1";
  r.process.hostname = "node-1";
  r.process.version = "0.1.0";
  r.process.cupti_path = "/usr/local/cuda-13.0/extras/CUPTI/lib64/libcupti.so.13";
  r.process.cupti_version = "130000";
  r.process.driver_version = "580.95";
  r.process.exit_status = "0";
  r.process.capture = "all";
  r.process.start_ns = 1'760'000'000'000'000'000;
  r.process.end_ns = r.process.start_ns + 62'400'000'000;
  r.whole.devices = {sample_device(0)};
  r.whole.host_calls = {
      call("cudaStreamSynchronize", "blocking sync", 1'388, 26'400'000'000, 26'400'000'000),
      call("cudaLaunchKernel", "launch", 611'304, 3'110'000'000, 0),
      call("cudaMemcpyAsync", "copy", 4'164, 1'790'000'000, 1'650'000'000),
      call("cudaMalloc", "allocation", 61, 122'000'000, 0)};
  r.whole.waits = {{"cudaStreamSynchronize", 1'388, 26'400'000'000, 25'570'000'000, 830'000'000}};
  r.whole.overlap = {55'100'000'000, 9'698'000'000, 26'116'000'000,
                     18'459'000'000, 827'000'000,   "CUDA calls only"};
  r.steady = r.whole;
  r.steps.source = "marked";
  r.steps.time = distribution(1'388, 55'100'000'000, 38'100'000, 39'400'000, 44'100'000);
  r.steps.time.p99_ns = 44'000'000;
  r.steps.warmup_steps = 12;
  r.lead_in_ns = 4'050'000'000;
  r.warmup_ns = 3'100'000'000;
  r.tail_ns = 150'000'000;
  r.complete_until_ns = r.process.end_ns;
  r.records.seen = 655'300;
  r.records.calls = 616'917;
  r.self.callback_ns = 160'000'000;
  r.self.collector_cpu_ns = 890'000'000;
  r.self.flush_cpu_ns = 20'000'000;
  r.self.ring_bytes = 1'048'576;
  r.self.buffer_bytes = 12'582'912;
  r.self.exit_ns = 9'000'000;
  r.self.rings = 2;
  return r;
}

report::Report sample_report_with_causes() {
  report::Report r = sample_report();
  for (report::Scope* scope : {&r.whole, &*r.steady}) {
    report::Device& d = scope->devices[0];
    d.causes = {
        {"input pipeline",
         17'350'000'000,
         1'400,
         {{"JPEG decoding in the training thread", 17'000'000'000}}},
        {"synchronisation", 830'000'000, 1'388, {{"Tensor.item, train.py:88", 830'000'000}}},
        {"launch-bound", 632'000'000, 22'000, {{"next operation not yet launched", 632'000'000}}},
        {"spacing", 310'000'000, 387'000, {}},
        {"unattributed", 164'000'000, 557, {}}};
    d.findings = {
        {"copy not overlapped", "pageable memory, on the stream of the kernels", 1'652'000'000}};
    d.gaps.longest[0].cause = d.gaps.longest[1].cause = "input pipeline";
    d.gaps.longest[2].cause = "synchronisation";
  }
  r.advice = {{"DataLoader num_workers=4 (6 CPUs allowed here), persistent_workers=True",
               "dataloader.py:__next__", "input pipeline", 39.7, 27.2},
              {"pin_memory=True, non_blocking=True", "", "copy only", 39.7, 38.5}};
  r.steps.worst_index = 812;
  r.steps.worst_cause = "input pipeline";
  r.steps.slow_period = 5;
  return r;
}

report::Report sample_report_three_gpus() {
  report::Report r = sample_report();
  report::Device second = sample_device(1);
  second.time.comm_exposed_ns = 2'000'000'000;
  second.time.compute_ns -= 2'000'000'000;
  second.time.unknown_ns = 86'000'000;
  second.time.idle_ns -= 86'000'000;
  second.kernels.insert(
      second.kernels.begin() + 1,
      kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "communication", 8'328, 2'000'000'000));
  report::Device third;
  third.device = 2;
  third.name = "NVIDIA H200";
  third.operations = 12;
  third.time = {4'000'000, 900'000, 0, 100'000, 3'000'000, 0};
  r.whole.devices = {sample_device(0), second, third};
  r.steady = r.whole;
  return r;
}

}  // namespace gapscope::test
