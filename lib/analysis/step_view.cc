#include "analysis/step_view.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/gap_stats.h"
#include "fmt/format.h"
#include "record/api.h"

namespace gapscope {
namespace {

const char* kind_word(OperationClass op_class) {
  switch (op_class) {
    case OperationClass::compute:
      return "compute";
    case OperationClass::communication:
      return "communication";
    case OperationClass::copy:
      break;
  }
  return "copy";
}

class ViewBuilder {
 public:
  ViewBuilder(const KeptStep& step, const NameTable& names, const HostEvidence& evidence)
      : step_(step), names_(names), evidence_(evidence) {
    view_.index = step.index;
    view_.begin_ns = step.begin_ns;
    view_.length_ns = step.end_ns - step.begin_ns;
  }

  void add_idle(std::uint32_t device) {
    const StepEntries::List& idle = step_.entries.idle();
    view_.left_out += idle.left_out;
    if (idle.entries.empty()) return;
    report::StepView::Track& track = view_.tracks.emplace_back();
    track.name = fmt::format("GPU {} idle", device);
    for (const StepEntry& entry : idle.entries) {
      const auto cause = static_cast<Cause>(entry.what);
      add(track, entry, std::string(cause_name(cause)), "idle");
    }
  }

  void add_operations() {
    const StepEntries::List& list = step_.entries.operations();
    view_.left_out += list.left_out;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, report::StepView::Track> all;
    for (const StepEntry& entry : list.entries) {
      auto& track = all[{entry.device, entry.context, entry.where}];
      add(track, entry, operation_words(entry), kind_word(entry.op_class));
    }
    for (auto& [key, track] : all) {
      const auto& [device, context, stream] = key;
      const bool contexts = std::get<1>(all.begin()->first) != std::get<1>(all.rbegin()->first);
      track.name = contexts ? fmt::format("GPU {} context {} stream {}", device, context, stream)
                            : fmt::format("GPU {} stream {}", device, stream);
      keep(std::move(track));
    }
  }

  void add_calls() {
    const StepEntries::List& list = step_.entries.calls();
    view_.left_out += list.left_out;
    std::map<std::uint32_t, report::StepView::Track> all;
    for (const StepEntry& entry : list.entries) {
      add(all[entry.where], entry, std::string(api_name(static_cast<ApiId>(entry.what))),
          entry.blocks ? "blocking call" : "call");
    }
    for (auto& [thread, track] : all) {
      const std::uint32_t os_id = evidence_.os_thread(thread);
      track.name = os_id == 0 ? fmt::format("thread #{}", thread)
                              : fmt::format("thread {} {}", os_id,
                                            names_.string(evidence_.thread_name_id(thread)));
      if (track.name.back() == ' ') track.name.pop_back();
      keep(std::move(track));
    }
  }

  report::StepView take() { return std::move(view_); }

 private:
  void keep(report::StepView::Track track) {
    if (track.at_ns.empty()) return;
    if (view_.tracks.size() < kMaxStepTracks) {
      view_.tracks.push_back(std::move(track));
    } else {
      view_.left_out += static_cast<std::int64_t>(track.at_ns.size());
    }
  }

  std::string operation_words(const StepEntry& entry) const {
    if (entry.kind == RecordKind::kernel || entry.kind == RecordKind::graph) {
      return names_.name(entry.what).short_name;
    }
    OperationRef ref;
    ref.kind = entry.kind;
    ref.direction = static_cast<CopyDirection>(entry.what / (kMemoryKinds * kMemoryKinds));
    return operation_name(ref, nullptr);
  }

  void add(report::StepView::Track& track, const StepEntry& entry, const std::string& name,
           const char* kind) {
    const std::int64_t begin_ns = std::max(entry.begin_ns, step_.begin_ns);
    const std::int64_t end_ns = std::min(entry.end_ns, step_.end_ns);
    if (end_ns < begin_ns || begin_ns >= step_.end_ns) return;
    const auto [known, fresh] =
        indices_.try_emplace({name, kind}, static_cast<std::int64_t>(view_.names.size()));
    if (fresh) view_.names.push_back({name, kind});
    track.at_ns.push_back(begin_ns - step_.begin_ns);
    track.length_ns.push_back(end_ns - begin_ns);
    track.names.push_back(known->second);
  }

  const KeptStep& step_;
  const NameTable& names_;
  const HostEvidence& evidence_;
  report::StepView view_;
  std::map<std::pair<std::string, std::string>, std::int64_t> indices_;
};

}  // namespace

report::StepView step_view(const KeptStep& step, std::uint32_t idle_device, const NameTable& names,
                           const HostEvidence& evidence) {
  ViewBuilder builder(step, names, evidence);
  builder.add_idle(idle_device);
  builder.add_operations();
  builder.add_calls();
  return builder.take();
}

}  // namespace gapscope
