// The figures on the page: that they are there, are the report's, and add up.
#include <cmath>

#include "catch.h"
#include "sink_page_text.h"
#include "sink_sample.h"

namespace gapscope {
namespace {

using test::figures;
using test::PageText;

// Rows of the table of time without its header and total.
std::vector<std::string> time_rows(const PageText& page, std::string_view corner) {
  std::vector<std::string> rows;
  for (const std::string& line : page.below(corner)) {
    if (absl::StartsWith(line, "total")) break;
    if (line[0] != ' ') rows.push_back(line.substr(17));
  }
  return rows;
}

void check_columns_add_up(const PageText& page, std::string_view corner, std::size_t columns) {
  const std::vector<std::string> rows = time_rows(page, corner);
  REQUIRE(rows.size() >= 2);
  std::vector<double> sums(columns, 0);
  for (const std::string& row : rows) {
    const std::vector<double> row_figures = figures(row);
    REQUIRE(row_figures.size() >= columns);
    for (std::size_t i = 0; i < columns; ++i) sums[i] += row_figures[i];
  }
  std::string total;
  for (const std::string& line : page.below(corner))
    if (absl::StartsWith(line, "total")) total = line;
  const std::vector<double> totals = figures(total);
  REQUIRE(totals.size() == columns);
  for (std::size_t i = 0; i < columns; ++i) {
    INFO(corner << " column " << i);
    CHECK(std::fabs(sums[i] - totals[i]) < 1e-6);
  }
  CHECK(totals[1] == 100.0);
}

// tensorboard#3360, xprof#564: "idle" says why, of which window, and adds up: this case and the
// next two.
TEST_CASE("the first lines say what most people read") {
  const PageText page(test::sample_report_with_causes());
  CHECK(page.lines[0] ==
        "gapscope 0.1.0  python train.py --epochs 3\u2026  pid 4711 rank 0/1  exit 0  62.40 s");
  CHECK(page.lines[1] ==
        "GPU 0 H200  compute 62.0 %  copy only 3.0 %  IDLE 35.0 %  (this process, steady)");
  CHECK(page.lines[2] == "WHY IDLE    input pipeline 31.5 %: JPEG decoding in the training thread");
  CHECK(page.lines[3] ==
        "TRY FIRST   DataLoader num_workers=4\u2026: 39.7 \u2192 27.2 ms/step at "
        "best (up to 1.46x)");
  CHECK(page.lines[4] ==
        "TRUST       0 records lost; 0.3 % unattributed; host cost ~1.07 s + CUPTI's own");
  CHECK(page.lines[5].empty());
}

TEST_CASE("without causes their lines are left out and idle is told by launches") {
  const PageText page(test::sample_report());
  CHECK_FALSE(page.has("WHY IDLE"));
  CHECK_FALSE(page.has("TRY FIRST"));
  CHECK_FALSE(page.has("unattributed"));
  CHECK(figures(page.line("idle, unlaunched")) == std::vector<double>{0.63, 1.1, 0.5});
  CHECK(page.has("next operation not yet launched"));
  CHECK(absl::StrContains(page.line("spacing < 5 us"), "0.31"));
  CHECK(figures(page.line("idle, other")) == std::vector<double>{18.35, 33.3, 13.2});
}

TEST_CASE("the table adds up, column by column") {
  check_columns_add_up(PageText(test::sample_report()), "steady window", 3);
  check_columns_add_up(PageText(test::sample_report_with_causes()), "steady window", 3);
  const PageText three(test::sample_report_three_gpus());
  check_columns_add_up(three, "GPU 0, steady", 3);
  check_columns_add_up(three, "GPU 1, steady", 3);
  check_columns_add_up(three, "2 GPUs, device-time", 2);
}

TEST_CASE("headline shares are the table's to the last digit") {
  const PageText page(test::sample_report_three_gpus());
  double sum = 0;
  for (const std::string& line : {page.lines[2], page.lines[3]})
    for (const double figure : figures(line.substr(10))) sum += figure;
  CHECK(std::fabs(sum - 100.0) < 1e-9);
  CHECK(page.has("exposed comm 3.6 %"));
  CHECK(page.has("unknown 0.2 %"));
  CHECK(absl::StrContains(page.line("unknown"), "0.09"));
}

TEST_CASE("steps, what was left out, gaps and waits") {
  const PageText page(test::sample_report_with_causes());
  CHECK(page.line("Steady") ==
        "Steady      55.10 s = 1,388 steps (marked): mean 39.7, p50 39.4, p99 44.0 ms");
  CHECK(page.line("Left out") ==
        "Left out    4.05 s before first op, 3.10 s warm-up (12 steps), 150 ms after last");
  CHECK(page.line("Worst step") ==
        "Worst step  step 812 took 44.1 ms, mostly input pipeline; every 5th step is slow");
  CHECK(page.line("Gaps") ==
        "Gaps        1,431 of 5 us or more; half of the idle time is in gaps >= 12.4 ms");
  CHECK(page.line("Waits") ==
        "Waits       cudaStreamSynchronize 26.40 s: GPU busy in 25.57 of it, idle in 0.83");
}

TEST_CASE("CPU/GPU shares add up and overlap has its definition and basis") {
  const PageText page(test::sample_report());
  const std::vector<double> shares =
      figures(absl::StrReplaceAll(page.line("CPU/GPU"), {{",", " "}, {"(of window)", ""}}));
  REQUIRE(shares.size() == 4);
  CHECK(std::fabs(shares[0] + shares[1] + shares[2] + shares[3] - 100.0) < 1e-9);
  CHECK(page.has("overlap 34.4 % = both / (both + CPU only); CPU = CUDA calls only"));
}

TEST_CASE("families add up to 100 % of kernel time") {
  const PageText page(test::sample_report(), {.width = 200});
  const std::string line = page.line("Families");
  double sum = 0;
  for (const double figure : figures(absl::StrReplaceAll(line, {{",", " "}}))) sum += figure;
  CHECK(sum == 100.0);
  CHECK(absl::StrContains(line, "% of kernel time, summed over streams"));
}

TEST_CASE("kernel shares add up to the compute time") {
  const PageText page(test::sample_report());
  CHECK(page.line("Kernels") == "Kernels     top 10 of 412; % = time alone on the GPU / compute");
  const std::vector<std::string> rows = page.below("Kernels");
  REQUIRE(rows.size() == 13);
  double share = 0;
  double alone = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    share += figures(rows[i])[0];
    alone += figures(rows[i])[1];
  }
  CHECK(std::fabs(share - 100.0) < 1e-9);
  CHECK(std::fabs(alone - 34.16) < 0.06);  // each row is rounded by itself
  CHECK(figures(rows[1]).at(2) == 73564);
  CHECK(absl::StrContains(rows[5], "batch_norm_backwar\u2026last_kernel"));
}

TEST_CASE("kernels: occupancy with what limits it, within 80 columns") {
  report::Report report = test::sample_report();
  report::Scope& scope = report.steady ? *report.steady : report.whole;
  std::vector<report::Kernel>& kernels = scope.devices[0].kernels;
  kernels[0].occupancy = {1000, 16, 64, "registers", 12.5, 0.04};
  kernels[1].occupancy = {1000, 32, 64, "shared memory", 1.25, 0.3};
  kernels[2].occupancy = {1000, 64, 64, "threads", 3, 0};
  kernels[3].occupancy = {1000, 64, 64, "threads", 0.25, 0.75};
  const PageText page(report);
  const std::vector<std::string> rows = page.below("Kernels");  // the caption goes on in the first
  REQUIRE(rows.size() == 14);
  CHECK(absl::EndsWith(rows[1], "occ %     name"));
  CHECK(absl::StrContains(rows[2], "  25 reg    sm90"));
  CHECK(absl::StrContains(rows[3], "  50 smem   sm90"));
  CHECK(absl::StrContains(rows[4], "  100       cutlass"));
  CHECK(absl::StrContains(rows[5], "  100 grid  batch"));
  CHECK(absl::StrContains(rows[6], "  -         batch"));  // not known
  for (const std::string& line : rows) CHECK(sink::columns(line) <= 80);
  const PageText wide(report, {.width = 160});
  CHECK(wide.has("occ = warps that fit / warp slots"));
  CHECK(absl::StrContains(wide.line_with("dgrad"), "  50 smem     1.3  sm90"));
  CHECK(absl::StrContains(wide.line_with("fprop"), "  25 reg       13  sm90"));
  CHECK(absl::StrContains(wide.line_with("multi_tensor"), "  -             -  at::"));
}

TEST_CASE("communication kernels have no share of compute") {
  const PageText page(test::sample_report_three_gpus());
  const std::string row = page.line_with("ncclDevKernel");
  CHECK(absl::StartsWith(row, "     -     2.00    8,328"));
}

TEST_CASE("copies, longest gaps and calls") {
  const PageText page(test::sample_report_with_causes());
  CHECK(page.line("  HtoD") ==
        "  HtoD       2,776  6.82 GB     4.1  1.66 s     1 %  pageable \u2192 device");
  CHECK(absl::StrContains(page.line("  memset"), "70 %  device"));
  CHECK(absl::StrContains(page.line("  DtoH"), "<0.1"));
  CHECK(absl::StrContains(page.line_with("96.4 ms"), "input pipeline"));
  CHECK(absl::StrContains(page.line_with("96.4 ms"), "\u2192 memcpy HtoD"));
  CHECK(figures(page.line("  blocking sync"))[0] == 1388);
  CHECK(absl::StrContains(page.line("  launch "), "cudaLaunchKernel"));
}

TEST_CASE("records, libcupti and our own cost are named") {
  const PageText page(test::sample_report());
  CHECK(page.has("655,300 GPU operations, 616,917 calls; dropped 0 (rings), 0 (CUPTI)"));
  CHECK(page.has("libcupti 130000  driver 580.95"));
  CHECK(page.has("/usr/local/cuda-13.0/extras/CUPTI/lib64/libcupti.so.13"));
  CHECK(page.has("160 ms in callbacks (estimate), 890 ms collector CPU"));
}

TEST_CASE("advice carries its bound and says that bounds do not add") {
  const PageText page(test::sample_report_with_causes());
  CHECK(page.has("What to try (bounds do not add)"));
  CHECK(page.has("39.7 \u2192 27.2 ms/step at best, 1.46x"));
  CHECK(page.has("39.7 \u2192 38.5 ms/step at best"));
  CHECK(page.has("gapscope diff"));
  CHECK(page.has("copy not overlapped 1.65 s = 3.0 % of the steady window"));
}

TEST_CASE("a page without steps speaks of the whole run") {
  report::Report report = test::sample_report();
  report.steady.reset();
  report.steps = {};
  report.warmup_ns = 0;
  const PageText page(report);
  CHECK(page.has("(this process, whole)"));
  CHECK_FALSE(page.has("steady window"));
  CHECK_FALSE(page.has("/step"));
  CHECK_FALSE(page.has("warm-up"));
  CHECK(absl::StrContains(page.line("Window"), "55.10 s"));
  check_columns_add_up(page, "window", 2);
}

TEST_CASE("the first line of advice is the edit, cut between its arguments") {
  report::Report report = test::sample_report_with_causes();
  report.advice[0].text = "pin_memory=True: copies from pageable memory block the host";
  CHECK(absl::StartsWith(PageText(report).line("TRY FIRST"),
                         "TRY FIRST   pin_memory=True: 39.7 \u2192 27.2 ms/step"));
  report.advice[0].text = "DataLoader num_workers=4, persistent_workers=True: the thread loads";
  CHECK(absl::StartsWith(PageText(report).line("TRY FIRST"),
                         "TRY FIRST   DataLoader num_workers=4\u2026: 39.7"));
  report.advice[0].before_ms = 1.987;
  report.advice[0].after_ms = 1.246;
  CHECK(absl::StrContains(PageText(report).line("TRY FIRST"), "1.99 \u2192 1.25 ms/step"));
}

TEST_CASE("advice that promises nothing has no bound") {
  report::Report report = test::sample_report_with_causes();
  report.advice.resize(1);
  report.advice[0].text = "look at the kernels, the GPU hardly waits: ncu --kernel-name gemm";
  report.advice[0].after_ms = report.advice[0].before_ms;
  const PageText page(report);
  INFO(page.line("TRY FIRST"));
  CHECK(absl::StartsWith(page.line("TRY FIRST"), "TRY FIRST   look at the kernels"));
  CHECK(absl::EndsWith(page.line("TRY FIRST"), "what it wins is not known here"));
  CHECK(page.has("ncu --kernel-name gemm"));
  CHECK_FALSE(page.has("at best"));
}

TEST_CASE("a device that was never idle has no idle rows") {
  report::Report report = test::sample_report_with_causes();
  report.steady.reset();
  report::Device& device = report.whole.devices[0];
  device.time.compute_ns += device.time.idle_ns;
  device.time.idle_ns = device.spacing_ns = device.launch_bound_ns = 0;
  device.causes.clear();
  device.gaps = {};
  const PageText page(report);
  CHECK(page.has("IDLE 0.0 %"));
  CHECK_FALSE(page.has("unlaunched"));
  CHECK_FALSE(page.has("spacing"));
  CHECK_FALSE(page.has("idle, other"));
  check_columns_add_up(page, "window", 3);
}

TEST_CASE("operations that do not count are told from launches put into graphs") {
  report::Report report = test::sample_report();
  report.records.outside = 44;
  report.records.captured = 7;
  report.process.capture = "steps:5-9";
  const PageText page(report, {.width = 160});
  CHECK(page.has("44 GPU operations outside GAPSCOPE_CAPTURE=steps:5-9"));
  CHECK(page.has("7 launches put into CUDA graphs"));
  report.process.capture = "all";
  CHECK(PageText(report, {.width = 160}).has("44 GPU operations launched after the end"));
}

TEST_CASE("causes that would read 0.0 % are one row and the table still adds up") {
  report::Report report = test::sample_report_with_causes();
  for (report::Scope* scope : {&report.whole, &*report.steady}) {
    auto& causes = scope->devices[0].causes;
    causes[0].idle_ns -= 30'000'000;
    causes.push_back({"dependency", 20'000'000, 4, {}});
    causes.push_back({"profiler", 10'000'000, 4, {}});
  }
  const PageText page(report);
  CHECK(page.line("profiler").empty());
  CHECK(absl::StrContains(page.line("other causes"), "dependency, profiler"));
  CHECK(test::figures(page.line("other causes")).at(0) == 0.03);
  check_columns_add_up(page, "steady window", 3);
}

TEST_CASE("a captured range is named as such") {
  report::Report report = test::sample_report();
  report.steady.reset();
  report.process.capture = "range";
  CHECK(PageText(report).has("(this process, range)"));
}

TEST_CASE("iterations that were detected are not called steps") {
  report::Report report = test::sample_report();
  report.steps.source = "detected";
  const PageText page(report, {.width = 160});
  CHECK(page.has("1,388 iterations (found in the kernels' order, none marked)"));
  report.steps.source = "detected, 4 per optimiser step";
  CHECK(PageText(report, {.width = 160})
            .has("(found in the kernels' order, none marked, 4 per optimiser step)"));
  CHECK(page.has("ms/iter"));
  CHECK_FALSE(page.has("ms/step"));
}

TEST_CASE("several devices: blocks, device-seconds, one line for a device with few operations") {
  const PageText page(test::sample_report_three_gpus());
  CHECK(page.has("GPU 2 H200  12 operations: busy 1.0 ms of a window of 4.0 ms"));
  CHECK_FALSE(page.has("GPU 2, steady"));
  CHECK(absl::StartsWith(page.line("2 GPUs  "), "2 GPUs      compute 60.2 %"));
  CHECK(page.has("(of device-seconds)"));
}

}  // namespace
}  // namespace gapscope
