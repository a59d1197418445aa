// Stream capture, graphs, and kernels launched from the device.
#include <vector>

#include "names.h"
#include "scenario.h"

namespace fake_driver {
namespace {

constexpr std::uint64_t kUs = 1000;

std::vector<fake_work> graph_nodes(std::size_t count) {
  std::vector<fake_work> nodes(count);
  for (std::size_t i = 0; i < count; ++i) {
    nodes[i].name = i % 2 == 0 ? kSaxpy : kGemm;
    nodes[i].duration_ns = 6 * kUs;
    nodes[i].delay_ns = kUs;
    nodes[i].is_set = i % 10 == 9 ? 1 : 0;
    nodes[i].bytes = nodes[i].is_set != 0 ? 512 : 0;
  }
  return nodes;
}

void launch_graph(CudaProcess& cuda, const std::vector<fake_work>& nodes) {
  fake_call_spec spec{};
  spec.api = FAKE_GRAPH_LAUNCH;
  spec.stream = 13;
  spec.stream_handle = 0x1000d;
  spec.nodes = nodes.data();
  spec.node_count = static_cast<std::uint32_t>(nodes.size());
  spec.graph = 5;
  cuda.call(spec);
}

void capture_launch(CudaProcess& cuda) {
  fake_call_spec spec{};
  spec.api = FAKE_LAUNCH_KERNEL;
  spec.stream = 13;
  spec.stream_handle = 0x1000d;
  spec.work.name = kSaxpy;
  spec.captured = 1;
  cuda.call(spec);
}

}  // namespace

// torch.compile and CUDA graphs: launches that are only noted down leave no record.
void captured(CudaProcess& cuda, const Settings& settings) {
  cuda.launch(kNorm, 20 * kUs);
  for (std::uint32_t i = 0; i < settings.operations; ++i) capture_launch(cuda);
  cuda.simple(FAKE_GRAPH_INSTANTIATE, 100 * kUs);
  cuda.launch(kNorm, 20 * kUs);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
}

void graphs(CudaProcess& cuda, const Settings& settings) {
  const std::vector<fake_work> nodes = graph_nodes(40);
  cuda.launch(kNorm, 20 * kUs);
  for (std::size_t i = 0; i < nodes.size(); ++i) capture_launch(cuda);
  cuda.simple(FAKE_GRAPH_INSTANTIATE, 100 * kUs);
  for (std::uint32_t i = 0; i < settings.operations; ++i) {
    launch_graph(cuda, nodes);
    if (i % 8 == 0) cuda.launch(kNorm, 5 * kUs, 0, 13);
  }
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
}

// Kernels that no call announces.
void device_launched(CudaProcess& cuda, const Settings& settings) {
  for (std::uint32_t i = 0; i < settings.operations; ++i) {
    cuda.launch(kNorm, 20 * kUs);
    cuda.device_launch(kSaxpy, 5 * kUs);
  }
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
}

}  // namespace fake_driver
