#include "analysis/step_entries.h"

namespace gapscope {

void StepEntries::add(const Operation& op) {
  StepEntry entry;
  entry.begin_ns = op.start_ns;
  entry.end_ns = op.end_ns;
  entry.what = op.is_kernel() ? op.name : op.copy_key;
  entry.where = op.stream;
  entry.context = op.context;
  entry.device = op.device;
  entry.kind = op.kind;
  entry.op_class = op.op_class;
  operations_.add(entry);
}

void StepEntries::add(const Call& call, bool blocks) {
  StepEntry entry;
  entry.begin_ns = call.start_ns;
  entry.end_ns = call.end_ns;
  entry.what = static_cast<std::uint32_t>(call.api);
  entry.where = call.thread;
  entry.blocks = blocks;
  calls_.add(entry);
}

void StepEntries::add_idle(std::int64_t begin_ns, std::int64_t end_ns, Cause cause) {
  StepEntry entry;
  entry.begin_ns = begin_ns;
  entry.end_ns = end_ns;
  entry.what = static_cast<std::uint32_t>(cause);
  idle_.add(entry);
}

void StepEntries::continue_from(const StepEntries& before, std::int64_t time_ns) {
  const auto take = [time_ns](const List& from, List& to) {
    for (const StepEntry& entry : from.entries) {
      if (entry.end_ns > time_ns || entry.begin_ns >= time_ns) to.add(entry);
    }
  };
  take(before.operations_, operations_);
  take(before.calls_, calls_);
  take(before.idle_, idle_);
}

void StepEntries::clear() {
  for (List* list : {&operations_, &calls_, &idle_}) {
    list->entries.clear();
    list->left_out = 0;
  }
}

}  // namespace gapscope
