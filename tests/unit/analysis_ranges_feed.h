// Feeds a RangeTracker as the sweep does: marks, calls and operations in order of time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/ranges.h"

namespace gapscope::test {

class RangeFeed {
 public:
  explicit RangeFeed(std::size_t max_transitions = RangeHistory::kMaxTransitions)
      : tracker(max_transitions) {}

  RangeFeed& push(std::int64_t at, std::uint32_t thread, std::string name, std::string domain = {},
                  Phase phase = Phase::warmup) {
    return mark(at, thread, MarkKind::range_push, 0, std::move(name), std::move(domain), phase);
  }
  RangeFeed& pop(std::int64_t at, std::uint32_t thread, std::string domain = {}) {
    return mark(at, thread, MarkKind::range_pop, 0, {}, std::move(domain));
  }
  RangeFeed& start(std::int64_t at, std::uint32_t thread, std::uint64_t id, std::string name) {
    return mark(at, thread, MarkKind::range_start, id, std::move(name), {});
  }
  RangeFeed& end(std::int64_t at, std::uint32_t thread, std::uint64_t id) {
    return mark(at, thread, MarkKind::range_end, id, {}, {});
  }
  RangeFeed& call(std::int64_t from, std::int64_t to, std::uint32_t thread) {
    events_.push_back({from, 1, order_++, {}, thread, to, {}, {}, {}});
    return *this;
  }
  // A call and the kernel that it launches.
  RangeFeed& launch(std::int64_t at, std::uint32_t thread, std::int64_t from, std::int64_t to,
                    std::uint8_t device = 0) {
    call(at, at + 1, thread);
    RangeOperation op;
    op.start_ns = from;
    op.end_ns = to;
    op.launch_ns = at;
    op.thread = thread;
    op.device = device;
    op.kernel = true;
    events_.push_back({from, 2, order_++, {}, thread, to, {}, {}, op});
    return *this;
  }

  // Feeds what was written so far.
  RangeFeed& go() {
    std::sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
      if (a.at != b.at) return a.at < b.at;
      if (a.sort != b.sort) return a.sort < b.sort;
      return a.order < b.order;
    });
    for (Event& e : events_) feed(e);
    events_.clear();
    return *this;
  }
  std::map<std::string, report::Range> ranges(bool steady = false, std::int64_t now = 0) {
    go();
    std::map<std::string, report::Range> by_path;
    for (const report::Range& range : tracker.report(steady, now)) by_path[range.path] = range;
    return by_path;
  }

  RangeTracker tracker;

 private:
  struct Event {
    std::int64_t at;
    int sort;
    std::uint64_t order;
    RangeMark mark;
    std::uint32_t thread;
    std::int64_t to;
    std::string name, domain;
    RangeOperation op;
  };
  struct Device {
    std::int64_t idle = 0, until = 0;
  };

  RangeFeed& mark(std::int64_t at, std::uint32_t thread, MarkKind kind, std::uint64_t id,
                  std::string name, std::string domain, Phase phase = Phase::warmup) {
    RangeMark m;
    m.time_ns = at;
    m.thread = thread;
    m.mark = kind;
    m.range_id = id;
    m.phase = phase;
    events_.push_back({at, 0, order_++, m, thread, at, std::move(name), std::move(domain), {}});
    return *this;
  }
  void feed(Event& e) {
    if (e.sort == 0) {
      e.mark.name = e.name;
      e.mark.domain = e.domain;
      tracker.mark(e.mark);
    } else if (e.sort == 1) {
      tracker.call(e.thread, e.at, e.to);
    } else {
      Device& device = devices_[e.op.device];
      device.idle += std::max<std::int64_t>(e.op.start_ns - device.until, 0);
      device.until = std::max(device.until, e.op.end_ns);
      e.op.idle_measure_ns = device.idle;
      tracker.operation(e.op);
    }
  }

  std::vector<Event> events_;
  std::uint64_t order_ = 0;
  std::map<int, Device> devices_;
};

}  // namespace gapscope::test
