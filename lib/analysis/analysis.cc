#include "analysis/analysis.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/device_report.h"
#include "analysis/engine.h"
#include "analysis/facts.h"
#include "analysis/findings.h"
#include "analysis/names.h"
#include "analysis/nvml_beside.h"
#include "analysis/queue_full.h"
#include "analysis/step_view.h"
#include "report/per_step.h"

namespace gapscope {
namespace {

template <typename T>
Operation operation(const T& r, RecordKind kind) {
  Operation op;
  op.kind = kind;
  op.start_ns = static_cast<std::int64_t>(r.start_ns);
  op.end_ns = static_cast<std::int64_t>(r.end_ns);
  op.correlation_id = r.correlation_id;
  op.device = static_cast<std::uint8_t>(r.device);
  op.context = r.context;
  op.stream = r.stream;
  op.graph_id = r.graph_id;
  return op;
}

std::uint16_t narrow(std::uint32_t value) {
  return static_cast<std::uint16_t>(std::min<std::uint32_t>(value, 0xffff));
}

MemoryKind known(MemoryKind kind) {
  return static_cast<int>(kind) < kMemoryKinds ? kind : MemoryKind::unknown;
}

CopyDirection known(CopyDirection direction) {
  return static_cast<int>(direction) < kDirections ? direction : CopyDirection::unknown;
}

std::vector<std::string> range_warnings(const RangeTracker& ranges) {
  std::vector<std::string> warnings;
  if (ranges.overflow() > 0) {
    warnings.push_back(absl::StrCat(
        ranges.overflow(), " ranges beyond the tables' size were left out or put together"));
  }
  if (ranges.forgotten() > 0) {
    warnings.push_back(absl::StrCat(ranges.forgotten(),
                                    " operations were launched too long ago to tell their range"));
  }
  return warnings;
}

}  // namespace

class Analysis::Impl {
 public:
  explicit Impl(const AnalysisOptions& options)
      : names_(options.max_kernel_names * 4), engine_(options, names_, queue_full_) {}

  void consume(const RecordHeader& h);
  report::Report report() const;
  std::size_t outstanding() { return engine_.outstanding(); }
  std::size_t held() const { return engine_.held(); }

 private:
  template <typename T>
  bool plausible(const T& r) {
    if (plausible_times(r.start_ns, r.end_ns)) return true;
    ++invalid_;
    return false;
  }
  template <typename T>
  bool plausible_operation(const T& r) {
    if (r.device < kMaxDevices) return plausible(r);
    ++invalid_;
    return false;
  }
  void add(const KernelRecord& r);
  void add(const CopyRecord& r);
  void add(const SetRecord& r);
  void add(const GraphRecord& r);
  void add(const ApiCallRecord& r);
  void add(const MarkRecord& r);
  report::Scope scope(bool steady) const;
  report::Steps steps() const;
  report::Records records() const;

  NameTable names_;
  QueueFull queue_full_;
  Facts facts_;
  Engine engine_;
  std::int64_t invalid_ = 0;
  std::int64_t calls_ = 0;
  std::int64_t captured_ = 0;
  std::int64_t failed_ = 0;
};

void Analysis::Impl::add(const KernelRecord& r) {
  if (!plausible_operation(r)) return;
  Operation op = operation(r, RecordKind::kernel);
  op.name = names_.kernel(r.name_id);
  op.shared_bytes = r.static_shared_bytes + r.dynamic_shared_bytes;
  std::copy(r.grid, r.grid + 3, op.grid);
  for (int i = 0; i < 3; ++i) op.block[i] = narrow(r.block[i]);
  op.registers_per_thread = narrow(r.registers_per_thread);
  op.blocks_per_device = r.blocks_per_device;
  op.blocks_per_sm = r.blocks_per_sm;
  op.occupancy_limits = r.occupancy_limits;
  engine_.add(op);
}

void Analysis::Impl::add(const CopyRecord& r) {
  if (!plausible_operation(r)) return;
  Operation op = operation(r, RecordKind::copy);
  op.bytes = r.bytes;
  op.copy_key = copy_key(known(r.direction), known(r.source), known(r.destination));
  engine_.add(op);
}

void Analysis::Impl::add(const SetRecord& r) {
  if (!plausible_operation(r)) return;
  Operation op = operation(r, RecordKind::set);
  op.bytes = r.bytes;
  op.copy_key = set_key(known(r.memory));
  engine_.add(op);
}

void Analysis::Impl::add(const GraphRecord& r) {
  if (!plausible_operation(r)) return;
  Operation op = operation(r, RecordKind::graph);
  op.name = names_.graph(r.graph_id);
  engine_.add(op);
}

void Analysis::Impl::add(const ApiCallRecord& r) {
  ++calls_;
  if (!plausible(r)) return;
  if (r.header.flags & kApiFailed) ++failed_;
  if (r.header.flags & kApiCaptured) ++captured_;
  engine_.add(r);
}

void Analysis::Impl::add(const MarkRecord& r) {
  if (r.mark == MarkKind::none || r.mark >= MarkKind::instant) return;
  if (plausible_times(r.time_ns, r.time_ns)) {
    engine_.add(r);
  } else {
    ++invalid_;
  }
}

void Analysis::Impl::consume(const RecordHeader& h) {
  if (h.size_bytes < sizeof(RecordHeader)) {
    ++invalid_;
    return;
  }
  switch (h.kind) {
    case RecordKind::kernel:
      return add(record_cast<KernelRecord>(h));
    case RecordKind::copy:
      return add(record_cast<CopyRecord>(h));
    case RecordKind::set:
      return add(record_cast<SetRecord>(h));
    case RecordKind::graph:
      return add(record_cast<GraphRecord>(h));
    case RecordKind::untimed:
      return engine_.add(record_cast<UntimedRecord>(h));
    case RecordKind::api_call:
      return add(record_cast<ApiCallRecord>(h));
    case RecordKind::mark:
      return add(record_cast<MarkRecord>(h));
    case RecordKind::tick:
      engine_.tick(record_cast<TickRecord>(h));
      return queue_full_.forget_before(engine_.swept_ns());
    case RecordKind::overhead: {
      const auto r = record_cast<OverheadRecord>(h);
      if (plausible(r)) {
        queue_full_.add(r);
        engine_.evidence().add(r);
      }
      return;
    }
    case RecordKind::thread_info: {
      const auto r = record_cast<ThreadInfoRecord>(h);
      engine_.evidence().add(r);
      engine_.ranges().thread_name(h.thread, names_.string(r.name_id));
      return queue_full_.add_thread(r);
    }
    case RecordKind::thread_sample:
      return engine_.add_sample(h);
    case RecordKind::gc:
      return engine_.evidence().add(record_cast<GcRecord>(h));
    case RecordKind::throttle:
      return engine_.evidence().add(record_cast<ThrottleRecord>(h));
    case RecordKind::string_def:
      return names_.define(record_cast<StringDefRecord>(h).id, trailing_text<StringDefRecord>(h));
    case RecordKind::meta:
      return facts_.add(record_cast<MetaRecord>(h), trailing_text<MetaRecord>(h));
    case RecordKind::device_info: {
      const auto r = record_cast<DeviceInfoRecord>(h);
      return facts_.add(r, names_.string(r.name_id));
    }
    case RecordKind::data_quality:
      return facts_.add(record_cast<DataQualityRecord>(h));
    case RecordKind::lost:
      return facts_.add(record_cast<LostRecord>(h));
    case RecordKind::clock_step:
      return facts_.add(record_cast<ClockStepRecord>(h));
    case RecordKind::sync:
    case RecordKind::text_mark:
      return;  // known, not used yet
    case RecordKind::none:
    case RecordKind::count_:
      break;
  }
  // A kind of a newer version is no fault; none is.
  if (h.kind == RecordKind::none) ++invalid_;
}

report::Scope Analysis::Impl::scope(bool steady) const {
  report::Scope scope;
  const Sweep& sweep = engine_.sweep();
  for (std::uint32_t ordinal = 0; ordinal < kMaxDevices; ++ordinal) {
    const DeviceSweep* device = sweep.device(ordinal);
    if (device == nullptr) continue;
    DeviceTally tally = steady ? DeviceTally() : device->tally(Phase::warmup);
    tally.merge(device->tally(Phase::steady));
    if (tally.sums().operations == 0) continue;
    scope.devices.push_back(device_report(tally,
                                          steady ? device->steady_timeline() : device->timeline(),
                                          names_, facts_.warps_per_sm(ordinal)));
    report::Device& out = scope.devices.back();
    out.findings = findings(out);
    out.device = ordinal;
    out.name = facts_.device_name(ordinal);
    out.uuid = facts_.device_uuid(ordinal);
    out.kernel_names =
        steady ? static_cast<std::int64_t>(out.kernels.size()) : device->kernel_names();
  }
  HostTally host = steady ? HostTally() : sweep.host(Phase::warmup);
  host.merge(sweep.host(Phase::steady));
  scope.host_calls = host.host_calls();
  scope.waits = host.waits();
  scope.overlap = sweep.overlap().overlap(steady);
  scope.overlap.basis = sweep.cpu_basis();
  scope.ranges = sweep.ranges().report(steady, sweep.now_ns());
  return scope;
}

report::Records Analysis::Impl::records() const {
  report::Records records;
  records.seen = engine_.seen();
  records.calls = calls_;
  records.dropped_ring = facts_.dropped_ring();
  records.dropped_cupti = facts_.dropped_cupti();
  records.invalid = facts_.invalid() + invalid_ + engine_.invalid();
  records.incomplete = engine_.incomplete();
  records.unmatched = engine_.unmatched();
  records.orphaned = engine_.orphaned();
  records.late = engine_.late();
  records.late_ns = engine_.sweep().late_ns();
  records.late_calls = engine_.late_calls();
  records.missing_nodes = engine_.missing_nodes();
  records.captured = captured_;
  records.failed = failed_;
  records.outside = engine_.sweep().outside();
  records.overflow = engine_.overflow();
  return records;
}

report::Steps Analysis::Impl::steps() const {
  const Sweep& sweep = engine_.sweep();
  report::Steps steps = sweep.steps().report();
  const auto view = [&](const std::shared_ptr<const KeptStep>& step) {
    const auto device = static_cast<std::uint32_t>(std::max<std::int64_t>(sweep.first_device(), 0));
    return step_view(*step, device, names_, sweep.evidence());
  };
  const auto median = sweep.steps().median_step();
  const auto worst = sweep.steps().worst_step();
  if (median != nullptr) steps.median_step = view(median);
  // Of steps that were found in the past nothing is known.
  if (worst != nullptr && worst->index == steps.worst_index) steps.worst_step = view(worst);
  return steps;
}

report::Report Analysis::Impl::report() const {
  report::Report report;
  const Sweep& sweep = engine_.sweep();
  report.process = facts_.process();
  report.whole = scope(false);
  report.steps = steps();
  if (sweep.steps().steady_shown() && sweep.overlap().span_ns(Phase::steady) > 0) {
    report.steady = scope(true);
    report.warmup_ns = sweep.overlap().span_ns(Phase::warmup);
  }
  const std::int64_t first_ns = sweep.overlap().first_op_ns();
  const std::int64_t end_ns =
      report.process.end_ns > 0 ? report.process.end_ns : engine_.last_tick_ns();
  if (first_ns != kNever) {
    const std::int64_t begin_ns = report.process.start_ns;
    if (begin_ns > 0) report.lead_in_ns = std::max<std::int64_t>(first_ns - begin_ns, 0);
    report.tail_ns = std::max<std::int64_t>(end_ns - sweep.overlap().last_op_ns(), 0);
  }
  report.advice = advise(report::shown_scope(report), report::steps_shown(report), facts_.cpus());
  report.complete_until_ns = engine_.complete_until_ns();
  report.truncated = facts_.truncated();
  report.clock_step_ns = facts_.clock_step_ns();
  report.warnings = facts_.warnings();
  for (std::string& text : range_warnings(sweep.ranges())) {
    report.warnings.push_back(std::move(text));
  }
  put_nvml_beside(report, end_ns);
  report.records = records();
  return report;
}

Analysis::Analysis(const AnalysisOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Analysis::~Analysis() = default;
void Analysis::consume(const RecordHeader& record) { impl_->consume(record); }
report::Report Analysis::report() const { return impl_->report(); }
std::size_t Analysis::outstanding() const { return impl_->outstanding(); }
std::size_t Analysis::table_entries() const { return impl_->held(); }

}  // namespace gapscope
