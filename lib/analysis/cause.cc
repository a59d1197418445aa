#include "analysis/cause.h"

namespace gapscope {

std::string_view cause_name(Cause cause) {
  switch (cause) {
    case Cause::profiler:
      return "profiler";
    case Cause::compilation:
      return "compilation, module loading";
    case Cause::allocation:
      return "device allocation";
    case Cause::garbage_collection:
      return "garbage collection";
    case Cause::synchronisation:
      return "synchronisation";
    case Cause::input_pipeline:
      return "input pipeline";
    case Cause::launch_bound:
      return "launch-bound";
    case Cause::dependency:
      return "dependency";
    case Cause::spacing:
      return "spacing";
    case Cause::no_work:
      return "no work offered";
    case Cause::throttled:
      return "CPU throttling";
    case Cause::host:
      return "host, other";
    case Cause::unattributed:
    case Cause::count_:
      break;
  }
  return "unattributed";
}

}  // namespace gapscope
