#include "scenario.h"

#include <utility>

namespace fake_driver {
namespace {

constexpr std::pair<const char*, Scenario> kScenarios[] = {
    {"basic", basic},
    {"kernels", kernels},
    {"threads", threads},
    {"many_threads", many_threads},
    {"two_devices", two_devices},
    {"communication", communication},
    {"captured", captured},
    {"graphs", graphs},
    {"device_launched", device_launched},
    {"range", range},
    {"failed_calls", failed_calls},
    {"lost_record", lost_record},
    {"lost_last", lost_last},
    {"late_record", late_record},
    {"running_kernel", running_kernel},
    {"long_kernel", long_kernel},
    {"device_reset", device_reset},
    {"clock_step", clock_step},
    {"steps", steps},
    {"snapshot", snapshot},
    {"stop_early", stop_early},
    {"range_by_api", range_by_api},
    {"overlapping", overlapping},
    {"spawn_children", spawn_children},
    {"no_cuda", no_cuda},
    {"collector_stands_still", collector_stands_still},
    {"lower_file_limit", lower_file_limit},
    {"fatal", fatal},
    {"fork_child", fork_child},
    {"fork_exec", fork_exec},
    {"launch_until_exit", launch_until_exit},
    {"exceptions", exceptions},
};

}  // namespace

Scenario find_scenario(const std::string& name) {
  for (const auto& [known, scenario] : kScenarios) {
    if (name == known) return scenario;
  }
  return nullptr;
}

}  // namespace fake_driver
