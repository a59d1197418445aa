#include "analysis_oracle.h"

#include <algorithm>
#include <set>

namespace gapscope::test {
namespace {

constexpr std::int64_t kEnd = INT64_MAX;

std::int64_t measure(const Interval& i) { return std::max<std::int64_t>(i.second - i.first, 0); }
bool covers(const Interval& i, std::int64_t begin, std::int64_t end) {
  return i.first <= begin && i.second >= end;
}

class Oracle {
 public:
  Oracle(const TrueRun& run, const Selection& selection) : run_(run), selection_(selection) {}

  OracleReport compute() {
    find_unmatched();
    std::set<std::uint32_t> devices;
    for (const auto& op : run_.operations) {
      if (op.delivered) devices.insert(op.device);
    }
    for (const std::uint32_t device : devices) one_device(device);
    overlap();
    calls();
    totals();
    return out_;
  }

 private:
  const ApiCallRecord* launch(const TrueOperation& op) const {
    if (op.call < 0 || !run_.calls[op.call].delivered) return nullptr;
    return &run_.calls[op.call].record;
  }
  std::int64_t counting_time(const TrueOperation& op) const {
    const ApiCallRecord* call = launch(op);
    return call ? static_cast<std::int64_t>(call->start_ns) : op.start_ns;
  }
  bool in_capture(const TrueOperation& op) const {
    return op.delivered && selection_.range_at(counting_time(op)) >= 0;
  }
  bool selected(const TrueOperation& op) const {
    return in_capture(op) && counting_time(op) >= selection_.since_ns;
  }
  static int class_of(const TrueOperation& op) {  // 0 compute, 1 communication, 2 copy
    if (op.kind == RecordKind::copy || op.kind == RecordKind::set) return 2;
    return op.name_id == 3 ? 1 : 0;
  }
  static bool expects(const ApiCallRecord& call) {
    const bool none = call.header.flags & (kApiFailed | kApiCaptured | kApiZeroBytes);
    return !none && (call.expects == Expects::one || call.expects == Expects::many);
  }

  // Entry order decides which device a context belongs to.
  std::optional<std::uint32_t> device_of(std::uint32_t context, std::int64_t time) const {
    std::optional<std::uint32_t> device;
    std::int64_t last = INT64_MIN;
    for (const auto& op : run_.operations) {
      if (op.delivered && op.context == context && op.start_ns < time && op.start_ns >= last) {
        device = op.device, last = op.start_ns;
      }
    }
    return device;
  }

  void find_unmatched() {
    for (std::size_t i = 0; i < run_.calls.size(); ++i) {
      const auto& [record, delivered] = run_.calls[i];
      if (!delivered || !expects(record)) continue;
      const bool has = std::any_of(run_.operations.begin(), run_.operations.end(), [&](auto& op) {
        return op.delivered && op.call == static_cast<int>(i);
      });
      if (has) continue;
      ++out_.unmatched;
      const auto since = static_cast<std::int64_t>(record.start_ns);
      const auto device = device_of(record.context, since);
      if (device) unknown_[*device].push_back({since, unknown_until(record)});
    }
  }
  std::int64_t unknown_until(const ApiCallRecord& lost) const {
    std::int64_t until = kEnd;
    for (const auto& op : run_.operations) {
      const ApiCallRecord* call = launch(op);
      if (op.delivered && call && call->stream_handle == lost.stream_handle &&
          call->context == lost.context && call->start_ns >= lost.end_ns &&
          call->start_ns > lost.start_ns) {
        until = std::min(until, op.start_ns);
      }
    }
    for (const auto& [record, delivered] : run_.calls) {
      if (!delivered || record.category != ApiCategory::sync || record.header.flags) continue;
      const auto api = static_cast<ApiId>(record.api);
      const bool covered =
          record.context == lost.context &&
          (api == ApiId::context_synchronize ||
           (api == ApiId::stream_synchronize && record.stream_handle == lost.stream_handle));
      if (covered && record.start_ns >= lost.end_ns && record.start_ns > lost.start_ns) {
        until = std::min(until, static_cast<std::int64_t>(record.end_ns));
      }
    }
    return until;
  }

  // The window: from the first to the last counted operation, pauses between ranges left out.
  template <typename Counts>
  std::vector<Interval> windows(Counts&& counts) const {
    std::vector<const TrueOperation*> ops;
    std::int64_t begin = kEnd;
    for (const auto& op : run_.operations) {
      if (!in_capture(op) || !counts(op)) continue;
      ops.push_back(&op);
      if (counting_time(op) >= selection_.since_ns) begin = std::min(begin, op.start_ns);
    }
    std::sort(ops.begin(), ops.end(), [](auto* a, auto* b) { return a->start_ns < b->start_ns; });
    std::vector<Interval> result;
    int range = -1;
    for (const auto* op : ops) {
      const int of = selection_.range_at(counting_time(*op));
      if (result.empty() || (of > range && op->start_ns >= result.back().second)) {
        result.push_back({op->start_ns, op->end_ns});
      } else {
        result.back().second = std::max(result.back().second, op->end_ns);
      }
      range = std::max(range, of);
    }
    for (auto& w : result) w.first = std::max(w.first, begin);
    result.erase(std::remove_if(result.begin(), result.end(),
                                [&](auto& w) { return w.second < w.first || begin == kEnd; }),
                 result.end());
    return result;
  }
  static bool within(const std::vector<Interval>& windows, std::int64_t begin, std::int64_t end) {
    return std::any_of(windows.begin(), windows.end(),
                       [&](const Interval& w) { return covers(w, begin, end); });
  }

  void one_device(std::uint32_t ordinal) {
    OracleDevice& d = out_.devices[ordinal];
    std::vector<const TrueOperation*> ops;
    for (const auto& op : run_.operations) {
      if (op.delivered && op.device == ordinal) ops.push_back(&op);
    }
    for (const auto* op : ops) table(d, *op);
    const auto windows = this->windows([&](auto& op) { return op.device == ordinal; });
    if (d.operations == 0) {
      out_.devices.erase(ordinal);
      return;
    }
    d.first = windows.front().first;
    d.last = windows.back().second;
    std::set<std::int64_t> cuts;
    for (const auto* op : ops) cuts.insert({op->start_ns, op->end_ns});
    for (const auto& u : unknown_[ordinal]) cuts.insert({u.first, u.second});
    for (const auto& w : windows) cuts.insert({w.first, w.second});
    for (auto cut = cuts.begin(); cut != cuts.end() && std::next(cut) != cuts.end(); ++cut) {
      if (within(windows, *cut, *std::next(cut)))
        elementary(d, ordinal, ops, *cut, *std::next(cut));
    }
    std::sort(d.gaps.rbegin(), d.gaps.rend());
  }

  void table(OracleDevice& d, const TrueOperation& op) {
    if (!selected(op)) return;
    ++d.operations;
    const std::int64_t ns = op.end_ns - op.start_ns;
    if (class_of(op) == 2) {
      ++d.copies;
      d.copied_bytes += static_cast<std::int64_t>(op.bytes);
    } else {
      d.kernel_sum += ns;
      ++d.kernels[op.name_id].first;
      d.kernels[op.name_id].second += ns;
      d.alone[op.name_id] += 0;
    }
  }

  // Nothing changes within [begin, end), which lies in the window.
  void elementary(OracleDevice& d, std::uint32_t ordinal,
                  const std::vector<const TrueOperation*>& ops, std::int64_t begin,
                  std::int64_t end) {
    const std::int64_t ns = end - begin;
    int running[3] = {0, 0, 0};
    std::vector<const TrueOperation*> active;
    for (const auto* op : ops) {
      if (!covers({op->start_ns, op->end_ns}, begin, end)) continue;
      ++running[class_of(*op)];
      active.push_back(op);
    }
    d.window += ns;
    const bool unknown = std::any_of(unknown_[ordinal].begin(), unknown_[ordinal].end(),
                                     [&](auto& u) { return covers(u, begin, end); });
    if (running[0]) {
      d.compute += ns;
    } else if (running[1]) {
      d.comm_exposed += ns;
    } else if (running[2]) {
      d.copy_only += ns;
    } else if (unknown) {
      d.unknown += ns;
    } else {
      idle(d, ordinal, ops, begin, end);
    }
    const bool kernel = running[0] || running[1];
    if (running[2]) d.copy += ns, d.copy_overlap += kernel ? ns : 0;
    if (running[1]) d.comm += ns, d.comm_overlap += running[0] ? ns : 0;
    for (const auto* op : active) {
      if (!selected(*op)) continue;
      if (class_of(*op) == 2) d.hidden += kernel ? ns : 0;
      if (class_of(*op) != 2 && active.size() == 1) d.alone[op->name_id] += ns;
    }
  }

  // Every boundary of an idle interval is an edge of the gap: it is a whole gap.
  void idle(OracleDevice& d, std::uint32_t ordinal, const std::vector<const TrueOperation*>& ops,
            std::int64_t begin, std::int64_t end) {
    d.idle += end - begin;
    d.gaps.push_back(end - begin);
    const bool lost_first = std::any_of(unknown_[ordinal].begin(), unknown_[ordinal].end(),
                                        [&](auto& u) { return u.first == end; });
    if (lost_first) {
      d.launch_bound += end - begin;
      return;
    }
    const TrueOperation* next = nullptr;
    for (const auto* op : ops) {
      if (op->start_ns != end) continue;
      if (!next || op->end_ns < next->end_ns || (op->end_ns == next->end_ns && op->id < next->id)) {
        next = op;
      }
    }
    const ApiCallRecord* call = next ? launch(*next) : nullptr;
    if (!call) return;
    const bool blocked =
        (call->category == ApiCategory::copy || call->category == ApiCategory::set) &&
        next->end_ns <= static_cast<std::int64_t>(call->end_ns);
    const auto queued = static_cast<std::int64_t>(blocked ? call->start_ns : call->end_ns);
    if (queued > begin) {
      d.launch_bound += end - begin;
    } else if (end - begin < 5000) {
      d.spacing += end - begin;
    }
  }

  bool waits(std::size_t index) const {
    const ApiCallRecord& call = run_.calls[index].record;
    if (call.category == ApiCategory::sync) return true;
    if (call.category == ApiCategory::copy || call.category == ApiCategory::set) {
      return std::any_of(run_.operations.begin(), run_.operations.end(), [&](auto& op) {
        return op.delivered && op.call == static_cast<int>(index) &&
               op.end_ns <= static_cast<std::int64_t>(call.end_ns);
      });
    }
    if (call.category != ApiCategory::launch && call.category != ApiCategory::graph_launch) {
      return false;
    }
    return std::any_of(run_.queue_full.begin(), run_.queue_full.end(), [&](auto& full) {
      return full.thread == call.header.thread &&
             full.start_ns < static_cast<std::int64_t>(call.end_ns) &&
             full.end_ns > static_cast<std::int64_t>(call.start_ns);
    });
  }

  // Some operation of the device (or of any) runs.
  bool busy(std::optional<std::uint32_t> device, std::int64_t begin, std::int64_t end) const {
    return std::any_of(run_.operations.begin(), run_.operations.end(), [&](auto& op) {
      return op.delivered && (!device || op.device == *device) &&
             covers({op.start_ns, op.end_ns}, begin, end);
    });
  }
  bool unknown(std::optional<std::uint32_t> device, std::int64_t begin, std::int64_t end) const {
    for (const auto& [ordinal, list] : unknown_) {
      if (device && ordinal != *device) continue;
      if (std::any_of(list.begin(), list.end(), [&](auto& u) { return covers(u, begin, end); })) {
        return true;
      }
    }
    return false;
  }
  std::set<std::int64_t> all_cuts() const {
    std::set<std::int64_t> cuts;
    for (const auto& op : run_.operations) {
      if (op.delivered) cuts.insert({op.start_ns, op.end_ns});
    }
    for (const auto& [record, delivered] : run_.calls) {
      if (!delivered) continue;
      cuts.insert(static_cast<std::int64_t>(record.start_ns));
      cuts.insert(static_cast<std::int64_t>(record.end_ns));
    }
    for (const auto& [ordinal, list] : unknown_) {
      for (const auto& u : list) cuts.insert({u.first, u.second});
    }
    return cuts;
  }

  void overlap() {
    const auto windows = this->windows([](auto&) { return true; });
    std::vector<Interval> work;
    for (std::size_t i = 0; i < run_.calls.size(); ++i) {
      const auto& [record, delivered] = run_.calls[i];
      if (delivered && !waits(i)) {
        work.push_back(
            {static_cast<std::int64_t>(record.start_ns), static_cast<std::int64_t>(record.end_ns)});
      }
    }
    auto cuts = all_cuts();
    for (const auto& w : windows) cuts.insert({w.first, w.second});
    for (auto cut = cuts.begin(); cut != cuts.end() && std::next(cut) != cuts.end(); ++cut) {
      const std::int64_t begin = *cut, end = *std::next(cut);
      if (!within(windows, begin, end)) continue;
      const bool cpu = std::any_of(work.begin(), work.end(),
                                   [&](const Interval& w) { return covers(w, begin, end); });
      if (busy({}, begin, end)) {
        (cpu ? out_.both : out_.gpu_only) += end - begin;
      } else if (!unknown({}, begin, end)) {
        (cpu ? out_.cpu_only : out_.neither) += end - begin;
      }
    }
  }

  void calls() {
    const auto cuts = all_cuts();
    for (std::size_t i = 0; i < run_.calls.size(); ++i) {
      const auto& [record, delivered] = run_.calls[i];
      const Interval time{static_cast<std::int64_t>(record.start_ns),
                          static_cast<std::int64_t>(record.end_ns)};
      if (!delivered || selection_.range_at(time.first) < 0 || time.first < selection_.since_ns) {
        continue;
      }
      OracleCalls& c = out_.calls[std::string(api_name(static_cast<ApiId>(record.api)))];
      ++c.count;
      c.total += measure(time);
      c.failed += record.header.flags & kApiFailed ? 1 : 0;
      c.captured += record.header.flags & kApiCaptured ? 1 : 0;
      if (!waits(i)) continue;
      c.blocking += measure(time);
      ++c.waits;
      const auto device = device_of(record.context, time.first);
      auto cut = cuts.lower_bound(time.first);
      for (; cut != cuts.end() && *cut < time.second; ++cut) {
        const std::int64_t end = *std::next(cut);
        if (busy(device, *cut, end)) {
          c.wait_busy += end - *cut;
        } else if (!unknown(device, *cut, end)) {
          c.wait_idle += end - *cut;
        }
      }
    }
  }

  void totals() {
    for (const auto& op : run_.operations) {
      if (!op.delivered) continue;
      ++out_.seen;
      if (!launch(op)) ++out_.orphaned;
      if (!in_capture(op)) ++out_.outside;
    }
  }

  const TrueRun& run_;
  const Selection& selection_;
  OracleReport out_;
  std::map<std::uint32_t, std::vector<Interval>> unknown_;
};

}  // namespace

int Selection::range_at(std::int64_t time_ns) const {
  if (!ranges) return 0;
  for (std::size_t i = 0; i < ranges->size(); ++i) {
    if (time_ns >= (*ranges)[i].first && time_ns < (*ranges)[i].second) return static_cast<int>(i);
  }
  return -1;
}

OracleReport oracle(const TrueRun& run, const Selection& selection) {
  return Oracle(run, selection).compute();
}

}  // namespace gapscope::test
