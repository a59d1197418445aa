#include "cli/job.h"
#include <limits>

#include "catch.h"

using namespace gapscope;
using namespace gapscope::cli;

namespace {

report::Report rank_report(const std::string& rank, std::int64_t idle_ns) {
  report::Report r;
  r.process.rank = rank;
  r.process.hostname = "host";
  report::Device device;
  device.time.compute_ns = 800;
  device.time.idle_ns = idle_ns;
  device.time.window_ns = 800 + idle_ns;
  device.causes.push_back({"input pipeline", idle_ns, 1, {}});
  r.whole.devices.push_back(device);
  return r;
}

Job job_of(const std::vector<report::Report>& reports) {
  std::vector<RankSummary> ranks;
  for (const auto& r : reports) ranks.push_back(summarise(r, "path"));
  return make_job(std::move(ranks));
}

}  // namespace

TEST_CASE("an empty job, a job of one") {
  CHECK(make_job({}).ranks.empty());
  const Job one = job_of({rank_report("0/1", 200)});
  CHECK_FALSE(one.slowest.has_value());
  CHECK(one.missing.empty());
  CHECK(one.notes.empty());
}

TEST_CASE("ranks are put in order, and what does not fit is said") {
  const Job job =
      job_of({rank_report("10/12", 200), rank_report("2/12", 200), rank_report("2/12", 200),
              rank_report("", 200), rank_report("x/y", 200), rank_report("-3/99999999999", 200)});
  REQUIRE(job.ranks.size() == 6);
  CHECK(job.ranks[0].rank == 2);
  CHECK(job.ranks[2].rank == 10);
  CHECK_FALSE(job.ranks[3].rank.has_value());
  CHECK(job.size == 12);
  CHECK(job.missing.size() == 10);
  CHECK(job.notes.size() == 2);  // one rank twice, three reports without
}

TEST_CASE("without steps and collectives the longest window is the slowest, with its cause") {
  const Job job =
      job_of({rank_report("0/3", 200), rank_report("1/3", 500), rank_report("2/3", 200)});
  CHECK_FALSE(job.per_step);
  REQUIRE(job.slowest.has_value());
  CHECK(job.slowest->index == 1);
  CHECK_FALSE(job.slowest->by_waiting);
  CHECK(job.slowest->part == "idle: input pipeline");
  CHECK(job.slowest->excess_ns == 300);
}

TEST_CASE("ranks that differ by one percent or less have no slowest") {
  CHECK_FALSE(job_of({rank_report("0/2", 200), rank_report("1/2", 208)}).slowest.has_value());
  CHECK(job_of({rank_report("0/2", 200), rank_report("1/2", 222)}).slowest.has_value());
}

TEST_CASE("figures of any size do not overflow") {
  constexpr auto kHuge = std::numeric_limits<std::int64_t>::max() - 800;
  auto report = rank_report("0/2", kHuge);
  report.whole.devices.push_back(report.whole.devices[0]);
  const Job job = job_of({report, rank_report("1/2", 1)});
  CHECK(job.ranks[0].idle_ns > 1e19);
  CHECK(job.slowest.has_value());
}
