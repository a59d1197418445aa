#include "analysis/ranges.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "analysis/ranges_name.h"

namespace gapscope {

RangeTracker::Thread* RangeTracker::thread(std::uint32_t index) {
  if (index >= kMaxThreads) return nullptr;
  if (index >= threads_.size()) threads_.resize(index + 1);
  return &threads_[index];
}

void RangeTracker::thread_name(std::uint32_t index, std::string_view name) {
  if (Thread* t = thread(index)) t->autograd = absl::StartsWith(name, "pt_autograd");
}

std::uint32_t RangeTracker::domain(std::string_view name) {
  const auto known = domain_ids_.find(name);
  if (known != domain_ids_.end()) return known->second;
  if (domains_.size() >= kMaxDomains) {
    ++overflow_;
    return kNoSlot;
  }
  const auto index = static_cast<std::uint32_t>(domains_.size());
  domain_ids_.emplace(name, index);
  Domain& made = domains_.emplace_back();
  if (!name.empty()) made.root = tree_.child(RangeTree::kRoot, absl::StrCat("[", name, "]"));
  return index;
}

std::uint32_t RangeTracker::find_track(const Thread& t, std::uint32_t domain_index) const {
  for (const std::uint32_t index : t.tracks) {
    if (history_.track(index).domain == domain_index) return index;
  }
  return kNoSlot;
}

std::uint32_t RangeTracker::track(std::uint32_t thread_index, std::uint32_t domain_index) {
  Thread* t = thread(thread_index);
  if (t == nullptr || domain_index == kNoSlot) return kNoSlot;
  const std::uint32_t known = find_track(*t, domain_index);
  if (known != kNoSlot) return known;
  const std::uint32_t made = history_.make_track(thread_index, domain_index);
  if (made != kNoSlot) t->tracks.push_back(made);
  return made;
}

std::uint32_t RangeTracker::open(const RangeMark& mark, std::uint32_t domain_index,
                                 std::uint32_t parent, bool adopted) {
  const std::uint32_t above =
      parent == kNoSlot ? domains_[domain_index].root : history_[parent].node;
  RangeInstance instance;
  instance.begin_ns = mark.time_ns;
  instance.node = tree_.child(above, strip_range_name(mark.name));
  instance.name_id = mark.name_id;
  instance.parent = parent;
  instance.phase = mark.phase;
  instance.counted = mark.counted;
  instance.adopted = adopted;
  instance.step = mark.begins_step;
  if (mark.counted) ++tree_.sums(instance.node, mark.phase).calls;
  return history_.open(instance);
}

void RangeTracker::close(std::uint32_t index, std::int64_t now_ns) {
  const RangeInstance& instance = history_[index];
  if (instance.counted) {
    add_capped(tree_.sums(instance.node, instance.phase).host_ns, now_ns - instance.begin_ns);
  }
  history_.close(index);
}

void RangeTracker::push(const RangeMark& mark) {
  const std::uint32_t domain_index = domain(mark.domain);
  const std::uint32_t index = track(mark.thread, domain_index);
  if (index == kNoSlot) {
    ++overflow_;
    return;
  }
  if (mark.begins_step) end_former_step(index, mark.time_ns);
  RangeHistory::Track& t = history_.track(index);
  if (t.open.size() >= RangeHistory::kMaxDepth) {
    ++t.skipped;
    ++overflow_;
    return;
  }
  std::uint32_t parent = t.open.empty() ? kNoSlot : t.open.back();
  bool adopted = false;
  if (parent == kNoSlot && threads_[mark.thread].autograd) {
    parent = waiting_instance(mark.thread, domain_index, mark.time_ns);
    adopted = parent != kNoSlot;
  }
  const std::uint32_t instance = open(mark, domain_index, parent, adopted);
  t.open.push_back(instance);
  history_.add(index, mark.time_ns, instance, false);
  auto& open_tracks = domains_[domain_index].tracks_open;
  std::erase(open_tracks, index);
  open_tracks.push_back(index);
}

// A step that another one follows is over, and with it what it holds: their pops never came.
void RangeTracker::end_former_step(std::uint32_t track_index, std::int64_t now_ns) {
  RangeHistory::Track& t = history_.track(track_index);
  const auto first = std::find_if(t.open.begin(), t.open.end(), [this](std::uint32_t instance) {
    return history_[instance].step;
  });
  for (auto last = t.open.end(); last != first; --last) close(*(last - 1), now_ns);
  t.open.erase(first, t.open.end());
}

void RangeTracker::pop(const RangeMark& mark) {
  const std::uint32_t domain_index = domain(mark.domain);
  const std::uint32_t index = track(mark.thread, domain_index);
  if (index == kNoSlot) return;
  RangeHistory::Track& t = history_.track(index);
  if (t.skipped > 0) {
    --t.skipped;
    return;
  }
  if (t.open.empty()) {
    ++unbalanced_;
    return;
  }
  const std::uint32_t instance = t.open.back();
  t.open.pop_back();
  history_.add(index, mark.time_ns, t.open.empty() ? kNoSlot : t.open.back(), false);
  close(instance, mark.time_ns);
  if (t.open.empty()) std::erase(domains_[domain_index].tracks_open, index);
}

void RangeTracker::start(const RangeMark& mark) {
  const std::uint32_t domain_index = domain(mark.domain);
  if (domain_index == kNoSlot || started_.size() >= kMaxStarted) {
    ++overflow_;
    return;
  }
  const std::uint32_t instance = open(mark, domain_index, kNoSlot, false);
  started_.push_back({mark.range_id, domain_index, instance, mark.time_ns, kForever});
}

void RangeTracker::end(const RangeMark& mark) {
  // Ids are unique within the process; the last started one wins where they are not.
  for (std::size_t i = started_.size(); i-- > 0;) {
    if (started_[i].range_id == mark.range_id) return end_at(i, mark.time_ns);
  }
  ++unbalanced_;
}

void RangeTracker::end_at(std::size_t index, std::int64_t now_ns) {
  Started range = started_[index];
  started_.erase(started_.begin() + static_cast<std::ptrdiff_t>(index));
  range.end_ns = now_ns;
  history_.keep(range.instance);
  close(range.instance, now_ns);
  ended_.push_back(range);
  last_ended_ns_ = now_ns;
  if (ended_.size() <= kMaxStarted) return;
  ended_forgotten_ns_ = ended_.front().end_ns;
  history_.drop(ended_.front().instance);
  ended_.pop_front();
}

void RangeTracker::mark(const RangeMark& mark) {
  switch (mark.mark) {
    case MarkKind::range_push:
      any_ = true;
      return push(mark);
    case MarkKind::range_start:
      any_ = true;
      return start(mark);
    case MarkKind::range_pop:
      return pop(mark);
    case MarkKind::range_end:
      return end(mark);
    default:
      return;
  }
}

RangeTracker::OpenRanges RangeTracker::open_at(std::uint32_t index, std::int64_t time_ns) const {
  OpenRanges open;
  if (index >= threads_.size()) return open;
  std::vector<std::pair<std::int64_t, std::uint32_t>> found;  // begin, name
  for (const std::uint32_t track : threads_[index].tracks) {
    const RangeHistory::Found at = history_.at(track, time_ns);
    open.until_ns = std::min(open.until_ns, at.until_ns);
    for (std::uint32_t i = at.instance; i != kNoSlot; i = history_[i].parent) {
      found.emplace_back(history_[i].begin_ns, history_[i].name_id);
    }
  }
  // Of each domain innermost first; among domains by who began last.
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [begin_ns, name_id] : found) open.name_ids.push_back(name_id);
  return open;
}

void RangeTracker::take_back_steady() {
  tree_.take_back_steady();
  history_.all_warmup();
}

std::vector<report::Range> RangeTracker::report(bool steady_only, std::int64_t now_ns) const {
  std::vector<std::pair<std::uint32_t, std::int64_t>> open_ns;
  history_.for_each_open([&](const RangeInstance& instance) {
    if (!instance.counted || (steady_only && instance.phase != Phase::steady)) return;
    open_ns.emplace_back(instance.node, std::max<std::int64_t>(now_ns - instance.begin_ns, 0));
  });
  return tree_.report(steady_only, open_ns);
}

}  // namespace gapscope
