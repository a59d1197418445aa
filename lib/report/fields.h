// Which field of a report has which key in JSON: one list, used by the writer and by the reader, so
// that the two cannot drift apart. The order here is the order in the file.
//
// A visitor is called as v(key, field) for every field, and as v.device_copies(key, devices) for
// the copies, which the file keeps in one flat list with the device beside each. T is the struct
// or the const struct: the writer only reads.
#pragma once

#include <concepts>
#include <string>
#include <type_traits>

#include "report/report.h"

namespace gapscope::report {

template <class T, class U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

// The parts of a distribution stand beside the owner's other fields.
template <class V, class T>
void distribution_fields(V& v, const char* count_key, T& d) {
  v(count_key, d.count);
  v("total_ns", d.total_ns);
  v("min_ns", d.min_ns);
  v("max_ns", d.max_ns);
  v("median_ns", d.p50_ns);
  v("p90_ns", d.p90_ns);
  v("p99_ns", d.p99_ns);
  v("stddev_ns", d.stddev_ns);
}

template <class V, Is<Occupancy> T>
void fields(V& v, T& o) {
  v("known_ns", o.known_ns);
  v("warps", o.warps);
  v("max_warps", o.max_warps);
  v("limiter", o.limiter);
  v("waves", o.waves);
  v("tail", o.tail);
}

template <class V, Is<Kernel> T>
void fields(V& v, T& k) {
  v("name", k.name);
  v("full_name", k.full_name);
  v("family", k.family);
  v("communication", k.communication);
  v("alone_ns", k.alone_ns);
  distribution_fields(v, "calls", k.time);
  v("grid", k.grid);
  v("block", k.block);
  v("registers_per_thread", k.registers_per_thread);
  v("shared_bytes", k.shared_bytes);
  v("occupancy", k.occupancy);
}

template <class V, Is<Family> T>
void fields(V& v, T& f) {
  v("name", f.name);
  v("calls", f.calls);
  v("total_ns", f.total_ns);
}

template <class V, Is<Copy> T>
void fields(V& v, T& c) {
  v("direction", c.direction);
  v("source", c.source);
  v("destination", c.destination);
  v("bytes", c.bytes);
  v("hidden_ns", c.hidden_ns);
  v("same_stream", c.same_stream);
  distribution_fields(v, "count", c.time);
}

template <class V, Is<LongGap> T>
void fields(V& v, T& g) {
  v("at_ns", g.at_ns);
  v("length_ns", g.length_ns);
  v("before", g.before);
  v("after", g.after);
  v("cause", g.cause);
}

template <class V, Is<Gaps::Bin> T>
void fields(V& v, T& b) {
  v("from_ns", b.from_ns);
  v("count", b.count);
  v("total_ns", b.total_ns);
}

template <class V, Is<Gaps> T>
void fields(V& v, T& g) {
  v("count", g.count);
  v("listed_count", g.listed_count);
  v("listed_ns", g.listed_ns);
  v("half_ns", g.half_ns);
  v("longest", g.longest);
  v("histogram", g.histogram);
}

template <class V, Is<Evidence> T>
void fields(V& v, T& e) {
  v("text", e.text);
  v("ns", e.ns);
}

template <class V, Is<Cause> T>
void fields(V& v, T& c) {
  v("cause", c.cause);
  v("idle_ns", c.idle_ns);
  v("gaps", c.gaps);
  v("evidence", c.evidence);
  v("timeline_ns", c.timeline_ns);
}

template <class V, Is<Finding> T>
void fields(V& v, T& f) {
  v("finding", f.finding);
  v("text", f.text);
  v("ns", f.ns);
}

template <class V, Is<Device::Slice> T>
void fields(V& v, T& s) {
  v("busy_ns", s.busy_ns);
  v("compute_ns", s.compute_ns);
  v("idle_ns", s.idle_ns);
}

template <class V, Is<Device> T>
void fields(V& v, T& d) {
  v("device", d.device);
  v("name", d.name);
  v("uuid", d.uuid);
  v("window_ns", d.time.window_ns);
  v("compute_ns", d.time.compute_ns);
  v("comm_exposed_ns", d.time.comm_exposed_ns);
  v("copy_only_ns", d.time.copy_only_ns);
  v("idle_ns", d.time.idle_ns);
  v("unknown_ns", d.time.unknown_ns);
  v("spacing_ns", d.spacing_ns);
  v("launch_bound_ns", d.launch_bound_ns);
  v("copy_ns", d.copy_ns);
  v("copy_overlap_ns", d.copy_overlap_ns);
  v("comm_ns", d.comm_ns);
  v("comm_overlap_ns", d.comm_overlap_ns);
  v("kernel_sum_ns", d.kernel_sum_ns);
  v("graph_granular_ns", d.graph_granular_ns);
  v("operations", d.operations);
  v("streams", d.streams);
  v("first_op_ns", d.first_op_ns);
  v("last_op_ns", d.last_op_ns);
  v("gaps", d.gaps);
  v("causes", d.causes);
  v("findings", d.findings);
  v("kernel_names", d.kernel_names);
  v("kernels", d.kernels);
  v("families", d.families);
  v("slice_ns", d.slice_ns);
  v("timeline", d.timeline);
}

template <class V, Is<HostCall> T>
void fields(V& v, T& c) {
  v("name", c.name);
  v("category", c.category);
  v("blocking_ns", c.blocking_ns);
  v("failed", c.failed);
  v("captured", c.captured);
  distribution_fields(v, "calls", c.time);
}

template <class V, Is<Wait> T>
void fields(V& v, T& w) {
  v("name", w.name);
  v("calls", w.calls);
  v("total_ns", w.total_ns);
  v("gpu_busy_ns", w.gpu_busy_ns);
  v("gpu_idle_ns", w.gpu_idle_ns);
}

template <class V, Is<Overlap> T>
void fields(V& v, T& o) {
  v("window_ns", o.window_ns);
  v("both_ns", o.both_ns);
  v("gpu_only_ns", o.gpu_only_ns);
  v("cpu_only_ns", o.cpu_only_ns);
  v("neither_ns", o.neither_ns);
  v("basis", o.basis);
}

template <class V, Is<Range> T>
void fields(V& v, T& r) {
  v("path", r.path);
  v("calls", r.calls);
  v("host_ns", r.host_ns);
  v("device_span_ns", r.device_span_ns);
  v("device_union_ns", r.device_union_ns);
  v("idle_ns", r.idle_ns);
  v("kernels", r.kernels);
  v("via_thread", r.via_thread);
}

template <class V, Is<Scope> T>
void fields(V& v, T& s) {
  v("devices", s.devices);
  v.device_copies("copies", s.devices);
  v("host_calls", s.host_calls);
  v("waits", s.waits);
  v("overlap", s.overlap);
  v("ranges", s.ranges);
}

template <class V, Is<StepView::Name> T>
void fields(V& v, T& n) {
  v("name", n.name);
  v("kind", n.kind);
}

template <class V, Is<StepView::Track> T>
void fields(V& v, T& t) {
  v("name", t.name);
  v("at_ns", t.at_ns);
  v("length_ns", t.length_ns);
  v("names", t.names);
}

template <class V, Is<StepView> T>
void fields(V& v, T& s) {
  v("index", s.index);
  v("begin_ns", s.begin_ns);
  v("length_ns", s.length_ns);
  v("left_out", s.left_out);
  v("names", s.names);
  v("tracks", s.tracks);
}

template <class V, Is<Steps> T>
void fields(V& v, T& s) {
  v("source", s.source);
  distribution_fields(v, "count", s.time);
  v("warmup_steps", s.warmup_steps);
  v("worst_index", s.worst_index);
  v("worst_cause", s.worst_cause);
  v("slow_period", s.slow_period);
  v("median_step", s.median_step);
  v("worst_step", s.worst_step);
}

template <class V, Is<Advice> T>
void fields(V& v, T& a) {
  v("text", a.text);
  v("source", a.source);
  v("cause", a.cause);
  v("before_ms", a.before_ms);
  v("after_ms", a.after_ms);
}

template <class V, Is<Library> T>
void fields(V& v, T& l) {
  v("name", l.name);
  v("version", l.version);
  v("soname", l.soname);
  v("path", l.path);
}

template <class V, Is<Package> T>
void fields(V& v, T& p) {
  v("name", p.name);
  v("version", p.version);
  v("source", p.source);
  v("build", p.build);
}

template <class V, Is<Variable> T>
void fields(V& v, T& e) {
  v("name", e.name);
  v("value", e.value);
}

template <class V, Is<Nvml> T>
void fields(V& v, T& n) {
  v("sm_clock_mhz", n.sm_clock_mhz);
  v("max_sm_clock_mhz", n.max_sm_clock_mhz);
  v("memory_clock_mhz", n.memory_clock_mhz);
  v("max_memory_clock_mhz", n.max_memory_clock_mhz);
  v("power_mw", n.power_mw);
  v("power_limit_mw", n.power_limit_mw);
  v("temperature_c", n.temperature_c);
  v("processes", n.processes);
  v("utilisation_pct", n.utilisation_pct);
  v("utilisation_since_ns", n.utilisation_since_ns);
  v("own_busy_pct", n.own_busy_pct);
}

template <class V, Is<Gpu> T>
void fields(V& v, T& g) {
  v("device", g.device);
  v("name", g.name);
  v("uuid", g.uuid);
  v("compute_capability", g.compute_capability);
  v("multiprocessors", g.multiprocessors);
  v("memory_bytes", g.memory_bytes);
  v("memory_bandwidth_bytes_per_s", g.memory_bandwidth_bytes_per_s);
  v("nvml", g.nvml);
}

template <class V, Is<Environment> T>
void fields(V& v, T& e) {
  v("os", e.os);
  v("kernel", e.kernel);
  v("cpu", e.cpu);
  v("python_version", e.python_version);
  v("python_path", e.python_path);
  v("torch_version", e.torch_version);
  v("conda_name", e.conda_name);
  v("conda_prefix", e.conda_prefix);
  v("virtualenv_prefix", e.virtualenv_prefix);
  v("git_revision", e.git_revision);
  v("git_branch", e.git_branch);
  v("gpus", e.gpus);
  v("libraries", e.libraries);
  v("packages", e.packages);
  v("variables", e.variables);
}

template <class V, Is<Process> T>
void fields(V& v, T& p) {
  v("command", p.command);
  v("pid", p.pid);
  v("rank", p.rank);
  v("hostname", p.hostname);
  v("version", p.version);
  v("cupti_path", p.cupti_path);
  v("cupti_version", p.cupti_version);
  v("driver_version", p.driver_version);
  v("exit_status", p.exit_status);
  v("capture", p.capture);
  v("graphs", p.graphs);
  v("nvtx", p.nvtx);
  v("python", p.python);
  v("cpus", p.cpus);
  v("start_ns", p.start_ns);
  v("end_ns", p.end_ns);
  v("environment", p.environment);
}

template <class V, Is<Records> T>
void fields(V& v, T& r) {
  v("seen", r.seen);
  v("calls", r.calls);
  v("dropped_ring", r.dropped_ring);
  v("dropped_cupti", r.dropped_cupti);
  v("invalid", r.invalid);
  v("incomplete", r.incomplete);
  v("unmatched", r.unmatched);
  v("orphaned", r.orphaned);
  v("late", r.late);
  v("late_ns", r.late_ns);
  v("late_calls", r.late_calls);
  v("missing_nodes", r.missing_nodes);
  v("captured", r.captured);
  v("failed", r.failed);
  v("outside", r.outside);
  v("overflow", r.overflow);
}

template <class V, Is<Self> T>
void fields(V& v, T& s) {
  v("callback_ns", s.callback_ns);
  v("collector_cpu_ns", s.collector_cpu_ns);
  v("flush_cpu_ns", s.flush_cpu_ns);
  v("host_cpu_ns", s.host_cpu_ns);
  v("ring_bytes", s.ring_bytes);
  v("buffer_bytes", s.buffer_bytes);
  v("cupti_ns", s.cupti_ns);
  v("exit_ns", s.exit_ns);
  v("rings", s.rings);
}

// schema_version comes first and is the reader's and the writer's own affair.
template <class V, Is<Report> T>
void fields(V& v, T& r) {
  v("process", r.process);
  fields(v, r.whole);
  v("steady", r.steady);
  v("steps", r.steps);
  v("lead_in_ns", r.lead_in_ns);
  v("warmup_ns", r.warmup_ns);
  v("tail_ns", r.tail_ns);
  v("complete_until_ns", r.complete_until_ns);
  v("truncated", r.truncated);
  v("clock_step_ns", r.clock_step_ns);
  v("advice", r.advice);
  v("warnings", r.warnings);
  v("records", r.records);
  v("self", r.self);
}

}  // namespace gapscope::report
