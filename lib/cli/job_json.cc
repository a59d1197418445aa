#include <algorithm>

#include "cli/job_text.h"
#include "nlohmann/json.hpp"

namespace gapscope::cli {
namespace {

using Json = nlohmann::ordered_json;

// Sums of what hostile reports hold may exceed 64 bits.
Json ns(double value) {
  constexpr double kMost = 9e18;
  return static_cast<std::int64_t>(std::clamp(value, -kMost, kMost));
}

Json rank_json(const RankSummary& r) {
  Json causes = Json::object();
  for (const auto& [cause, idle] : r.idle_by_cause) causes[cause] = ns(idle);
  return {{"rank", r.rank ? Json(*r.rank) : Json(nullptr)},
          {"report", r.path},
          {"hostname", r.hostname},
          {"pid", r.pid},
          {"devices", r.devices},
          {"steps", ns(r.steps)},
          {"step_ns", ns(r.step_ns)},
          {"window_ns", ns(r.window_ns)},
          {"compute_ns", ns(r.compute_ns)},
          {"comm_exposed_ns", ns(r.comm_exposed_ns)},
          {"copy_only_ns", ns(r.copy_only_ns)},
          {"idle_ns", ns(r.idle_ns)},
          {"unknown_ns", ns(r.unknown_ns)},
          {"idle_by_cause_ns", causes},
          {"waiting_at_least_ns", ns(r.waiting_ns)},
          {"partial", r.partial}};
}

}  // namespace

std::string job_to_json(const Job& job) {
  Json out = {{"job_schema_version", 1}, {"size", job.size},   {"missing", job.missing},
              {"slowest", nullptr},      {"notes", job.notes}, {"ranks", Json::array()}};
  if (job.slowest) {
    const RankSummary& r = job.ranks[job.slowest->index];
    out["slowest"] = {{"rank", r.rank ? Json(*r.rank) : Json(nullptr)},
                      {"report", r.path},
                      {"others_wait_at_least_ns", ns(job.slowest->others_wait_ns)},
                      {"part", job.slowest->part},
                      {"excess_ns", ns(job.slowest->excess_ns)},
                      {"per_step", job.per_step}};
  }
  for (const RankSummary& r : job.ranks) out["ranks"].push_back(rank_json(r));
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gapscope::cli
