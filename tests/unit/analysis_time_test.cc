// How a device's window is split, by hand-made cases.
#include "analysis_stream.h"
#include "catch.h"
#include "report_invariants.h"

namespace gapscope::test {
namespace {

const report::Device& only(const report::Report& report) {
  REQUIRE_REPORT_HOLDS(report);
  REQUIRE(report.whole.devices.size() == 1);
  return report.whole.devices[0];
}

const report::Kernel& named(const report::Device& device, const std::string& name) {
  for (const auto& kernel : device.kernels) {
    if (kernel.name == name) return kernel;
  }
  FAIL("no kernel " << name);
  return device.kernels[0];
}

}  // namespace

TEST_CASE("an empty run has an empty report") {
  const report::Report report = Fed().finish();
  REQUIRE_REPORT_HOLDS(report);
  REQUIRE(report.whole.devices.empty());
  REQUIRE_FALSE(report.steady.has_value());
  REQUIRE(report.records.seen == 0);
}

// nsys-ai#599, #574, #240: copies are not idle, sums over streams are not busy time, no gaps where
// there are none: this case and the next two.
TEST_CASE("busy time is the union over streams, not the sum") {
  Fed fed;
  Place other;
  other.stream = 8;
  other.handle = 80;
  fed.run(1, 1000, 2000, 3000).run(2, 1010, 2500, 3500, 2, other).run(3, 1020, 5000, 6000);
  const report::Report report = fed.finish();
  const report::Device& device = only(report);
  REQUIRE(device.time.window_ns == 4000);
  REQUIRE(device.time.compute_ns == 2500);
  REQUIRE(device.time.idle_ns == 1500);
  REQUIRE(device.kernel_sum_ns == 3000);
  REQUIRE(device.operations == 3);
  REQUIRE(device.streams == 2);
  REQUIRE(device.first_op_ns == 2000);
  REQUIRE(device.last_op_ns == 6000);
  REQUIRE(named(device, "gemm_kernel").alone_ns == 500 + 1000);
  REQUIRE(named(device, "relu_kernel").alone_ns == 500);
  REQUIRE(named(device, "gemm_kernel").time.count == 2);
  REQUIRE(device.gaps.count == 1);
  REQUIRE(device.gaps.longest[0].length_ns == 1500);
  REQUIRE(device.gaps.longest[0].at_ns == 1500);
  REQUIRE(device.gaps.longest[0].before == "relu_kernel");
  REQUIRE(device.gaps.longest[0].after == "gemm_kernel");
}

TEST_CASE("kernels that overlap on one stream are no fault") {
  Fed fed;
  fed.run(1, 100, 1000, 2000)
      .run(2, 110, 1900, 2500)
      .run(3, 120, 2500, 2500)
      .run(4, 130, 2600, 3000);
  const report::Report report = fed.finish();
  const report::Device& device = only(report);
  REQUIRE(device.time.compute_ns == 1900);
  REQUIRE(device.time.idle_ns == 100);
  REQUIRE(device.operations == 4);
}

TEST_CASE("communication and copies beside compute are told apart") {
  Fed fed;
  Place comm, io;
  comm.stream = 8, comm.handle = 80;
  io.stream = 9, io.handle = 90;
  fed.run(1, 100, 1000, 2000);           // compute
  fed.run(2, 110, 1500, 3000, 3, comm);  // 500 beside compute, 1000 exposed
  fed.add(call(ApiId::memcpy_htod_async, 3, 120, 125, Expects::one, io));
  fed.add(copy(3, 2500, 4000, 4096, io));  // 500 beside communication, 1000 alone
  fed.add(call(ApiId::memset_async, 4, 130, 135, Expects::one, io));
  fed.add(set(4, 4500, 4600, io));
  const report::Report report = fed.finish();
  const report::Device& device = only(report);
  REQUIRE(device.time.window_ns == 3600);
  REQUIRE(device.time.compute_ns == 1000);
  REQUIRE(device.time.comm_exposed_ns == 1000);
  REQUIRE(device.time.copy_only_ns == 1000 + 100);
  REQUIRE(device.time.idle_ns == 500);
  REQUIRE(device.copy_ns == 1600);
  REQUIRE(device.copy_overlap_ns == 500);
  REQUIRE(device.comm_ns == 1500);
  REQUIRE(device.comm_overlap_ns == 500);
  REQUIRE(device.copies.size() == 2);
  REQUIRE(device.copies[0].direction == "HtoD");
  REQUIRE(device.copies[0].source == "pageable");
  REQUIRE(device.copies[0].destination == "device");
  REQUIRE(device.copies[0].bytes == 4096);
  REQUIRE(device.copies[0].hidden_ns == 500);
  REQUIRE(device.copies[1].direction == "set");
  REQUIRE(device.copies[1].source.empty());
  REQUIRE(device.copies[1].hidden_ns == 0);
  REQUIRE(device.families.size() == 2);
}

TEST_CASE("spacing ends below 5 us") {
  Fed fed;
  fed.run(1, 100, 1000, 2000);
  fed.run(2, 110, 7000, 8000);    // queued, 5,000
  fed.run(3, 120, 12999, 14000);  // queued, 4,999
  REQUIRE(only(fed.finish()).spacing_ns == 4999);
}

TEST_CASE("a gap is spacing, launch-bound or neither by when the next operation was queued") {
  Fed fed;
  fed.run(1, 100, 1000, 2000);
  fed.run(2, 110, 4000, 5000);      // queued: 2000 of spacing
  fed.run(3, 120, 11000, 12000);    // queued, 6000: too long for spacing
  fed.run(4, 12500, 13000, 14000);  // launched in the gap: 1000 launch-bound
  fed.run(5, 20000, 24000, 25000);  // likewise: 10000
  const report::Report report = fed.finish();
  const report::Device& device = only(report);
  REQUIRE(device.time.idle_ns == 2000 + 6000 + 1000 + 10000);
  REQUIRE(device.spacing_ns == 2000);
  REQUIRE(device.launch_bound_ns == 1000 + 10000);
  REQUIRE(device.gaps.count == 4);
  REQUIRE(device.gaps.listed_count == 2);
  REQUIRE(device.gaps.listed_ns == 16000);
}

TEST_CASE("copies on streams with kernels are counted, also when the kernel comes later") {
  Fed fed;
  Place other;
  other.stream = 8, other.handle = 80;
  fed.add(call(ApiId::memcpy_htod_async, 1, 100, 110, Expects::one)).add(copy(1, 1000, 1100));
  fed.add(call(ApiId::memcpy_htod_async, 2, 100, 110, Expects::one, other));
  fed.add(copy(2, 1200, 1300, 8, other));
  fed.run(3, 120, 2000, 2100);
  const report::Report report = fed.finish();
  REQUIRE(only(report).copies[0].time.count == 2);
  REQUIRE(only(report).copies[0].same_stream == 1);
}

TEST_CASE("devices have windows of their own") {
  Fed fed;
  Place second;
  second.device = 1, second.context = 2;
  fed.run(1, 100, 1000, 2000).run(2, 110, 5000, 6000).run(3, 120, 3000, 3500, 2, second);
  const report::Report report = fed.finish();
  REQUIRE_REPORT_HOLDS(report);
  REQUIRE(report.whole.devices.size() == 2);
  REQUIRE(report.whole.devices[0].time.window_ns == 5000);
  REQUIRE(report.whole.devices[1].time.window_ns == 500);
  REQUIRE(report.whole.devices[1].device == 1);
  REQUIRE(report.whole.overlap.window_ns == 5000);
}

TEST_CASE("lead-in and tail are outside the window") {
  Fed fed;
  fed.add(meta(MetaKey::start_ns, "400")).add(meta(MetaKey::end_ns, "9000"));
  fed.add(meta(MetaKey::pid, "4711")).add(meta(MetaKey::command, "python train.py"));
  fed.run(1, 500, 1000, 2000).run(2, 600, 2000, 3000);
  const report::Report report = fed.finish();
  REQUIRE(only(report).time.window_ns == 2000);
  REQUIRE(report.lead_in_ns == 600);
  REQUIRE(report.tail_ns == 6000);
  REQUIRE(report.process.pid == 4711);
  REQUIRE(report.process.command == "python train.py");
}

TEST_CASE("a whole graph counts as compute and says so") {
  Fed fed;
  auto graph = make_record<GraphRecord>();
  graph.start_ns = 1000, graph.end_ns = 3000, graph.correlation_id = 1;
  graph.context = 1, graph.stream = 7, graph.graph_id = 5;
  fed.add(call(ApiId::graph_launch, 1, 100, 200, Expects::many)).add(graph);
  fed.run(2, 300, 2500, 4000);
  const report::Report report = fed.finish();
  REQUIRE(only(report).time.compute_ns == 3000);
  REQUIRE(only(report).graph_granular_ns == 1500);
  REQUIRE(named(only(report), "(graph 5)").time.total_ns == 2000);
}

}  // namespace gapscope::test
