// NVML's words on a GPU: they find their GPU by its UUID, and our own share stands beside them.
#include <string>

#include "analysis_stream.h"
#include "catch.h"
#include "report_invariants.h"

namespace gapscope::test {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

DeviceInfoRecord device(std::uint32_t ordinal, std::uint8_t last_byte) {
  auto record = make_record<DeviceInfoRecord>();
  record.device = ordinal;
  record.uuid[15] = last_byte;
  return record;
}

std::string uuid(int last_byte) {
  return "GPU-00000000-0000-0000-0000-0000000000" + std::string(last_byte < 16 ? "0" : "") +
         std::to_string(last_byte);
}

// 100 ms: the GPU works for 1 ms of every 4, and not at all in the last half.
report::Report run(const std::string& since_ns, int processes) {
  Fed fed;
  fed.add(device(0, 1)).add(device(1, 2));
  std::uint32_t id = 0;
  for (std::uint64_t at = 1000 * kMs; at < 1050 * kMs; at += 4 * kMs) {
    fed.run(++id, at - 100'000, at, at + kMs);
  }
  fed.run(++id, 1099 * kMs, 1099 * kMs + 5000, 1100 * kMs);
  for (const int gpu : {7, 1}) {
    fed.add(meta(MetaKey::environment,
                 "nvml=" + uuid(gpu) + "\t1755\t1980\t2619\t3201\t412345\t700000\t54\t" +
                     std::to_string(processes) + "\t98.5\t" + since_ns + "\t0"));
  }
  return fed.finish(1100 * kMs);
}

}  // namespace

TEST_CASE("NVML's line finds its GPU, and our share of the same time stands beside it") {
  const report::Report report = run(std::to_string(1050 * kMs), 1);
  REQUIRE_REPORT_HOLDS(report);
  const auto& gpus = report.process.environment.gpus;
  REQUIRE(gpus.size() == 2);
  REQUIRE(gpus[0].nvml);
  CHECK_FALSE(gpus[1].nvml);
  CHECK(gpus[0].nvml->sm_clock_mhz == 1755);
  CHECK(gpus[0].nvml->utilisation_pct == Approx(98.5));
  // 1 ms of the last 50.
  CHECK(gpus[0].nvml->own_busy_pct == Approx(2).margin(0.5));
  CHECK(report.warnings.empty());
  CHECK(run(std::to_string(1000 * kMs), 1).process.environment.gpus[0].nvml->own_busy_pct ==
        Approx(14).margin(0.5));
  CHECK(run("0", 1).process.environment.gpus[0].nvml->own_busy_pct == 0);
  CHECK(run(std::to_string(5000 * kMs), 1).process.environment.gpus[0].nvml->own_busy_pct == 0);
}

TEST_CASE("a GPU with other processes on it is warned of") {
  const report::Report report = run("0", 3);
  REQUIRE(report.warnings.size() == 1);
  CHECK(report.warnings[0].find("GPU 0 was shared: 3 processes") == 0);
}

}  // namespace gapscope::test
