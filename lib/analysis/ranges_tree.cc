#include "analysis/ranges_tree.h"

#include <algorithm>

#include "analysis/operation.h"
#include "analysis/ranges_name.h"

namespace gapscope {
namespace {

std::uint64_t child_key(std::uint32_t parent, std::uint32_t name) {
  return std::uint64_t{parent} << 32 | name;
}

}  // namespace

void RangeTree::Sums::merge(const Sums& other) {
  calls += other.calls;
  add_capped(host_ns, other.host_ns);
  add_capped(device_span_ns, other.device_span_ns);
  add_capped(device_union_ns, other.device_union_ns);
  add_capped(idle_ns, other.idle_ns);
  kernels += other.kernels;
  via_thread = via_thread || other.via_thread;
}

RangeTree::RangeTree() {
  nodes_.emplace_back();
  nodes_[kOther].name = "(other)";
}

std::uint32_t RangeTree::find(std::uint32_t parent, std::string_view name) const {
  const auto index = names_.find(name);
  if (index == names_.end()) return kRoot;
  const auto node = children_.find(child_key(parent, index->second));
  return node == children_.end() ? kRoot : node->second;
}

std::uint32_t RangeTree::add(std::uint32_t parent, std::string_view name) {
  if (nodes_.size() >= kMaxNodes) {
    ++overflow_;
    return kOther;
  }
  const auto node = static_cast<std::uint32_t>(nodes_.size());
  const auto index = names_.try_emplace(name, static_cast<std::uint32_t>(names_.size())).first;
  children_.emplace(child_key(parent, index->second), node);
  Node& made = nodes_.emplace_back();
  made.name = name;
  made.parent = parent;
  return node;
}

bool RangeTree::collapsed(std::uint32_t parent, const std::string& pattern) const {
  const auto found = numbered_.find(Key(parent, pattern));
  return found != numbered_.end() && found->second.siblings >= kNumberedSiblings;
}

std::uint32_t RangeTree::child(std::uint32_t parent, std::string_view name) {
  if (parent == kOther) {
    ++overflow_;
    return kOther;
  }
  const std::uint32_t known = find(parent, name);
  if (known != kRoot) return known;
  const std::string pattern = numbered_pattern(name);
  if (pattern == name) return add(parent, name);
  if (collapsed(parent, pattern)) {
    const std::uint32_t shared = find(parent, pattern);
    return shared != kRoot ? shared : add(parent, pattern);
  }
  if (nodes_.size() < kMaxNodes) ++numbered_[Key(parent, pattern)].siblings;
  return add(parent, name);
}

std::int64_t RangeTree::add_to_union(std::uint32_t node, std::uint8_t device, std::int64_t start_ns,
                                     std::int64_t end_ns) {
  auto& reaches = nodes_[node].reach;
  auto reach = std::find_if(reaches.begin(), reaches.end(),
                            [&](const Reach& r) { return r.device == device; });
  if (reach == reaches.end()) {
    reaches.push_back({device, start_ns});
    reach = reaches.end() - 1;
  }
  const std::int64_t added = std::max<std::int64_t>(end_ns - std::max(start_ns, reach->end_ns), 0);
  reach->end_ns = std::max(reach->end_ns, end_ns);
  return added;
}

void RangeTree::take_back_steady() {
  for (Node& node : nodes_) {
    node.sums[0].merge(node.sums[1]);
    node.sums[1] = Sums();
  }
}

std::string RangeTree::shown_name(const Node& node) const {
  std::string pattern = numbered_pattern(node.name);
  return collapsed(node.parent, pattern) ? pattern : node.name;
}

std::vector<report::Range> RangeTree::report(
    bool steady_only, const std::vector<std::pair<std::uint32_t, std::int64_t>>& extra) const {
  std::vector<Sums> sums(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    sums[i] = nodes_[i].sums[static_cast<int>(Phase::steady)];
    if (!steady_only) sums[i].merge(nodes_[i].sums[static_cast<int>(Phase::warmup)]);
  }
  for (const auto& [node, ns] : extra) add_capped(sums[node].host_ns, ns);
  // A parent comes before its children. Nodes that are shown under one path become one.
  std::vector<std::string> paths(nodes_.size());
  std::vector<std::vector<std::uint32_t>> below(nodes_.size() + 1);
  absl::flat_hash_map<std::string, std::uint32_t> shown;
  for (std::uint32_t i = 1; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    const std::string name = shown_name(node);
    paths[i] = node.parent == kRoot ? name : paths[node.parent] + "/" + name;
    const auto [first, fresh] = shown.try_emplace(paths[i], i);
    if (!fresh) {
      sums[first->second].merge(sums[i]);
      continue;
    }
    const std::uint32_t parent =
        node.parent == kRoot ? kRoot : shown.find(paths[node.parent])->second;
    below[parent == kRoot ? nodes_.size() : parent].push_back(i);
  }
  std::vector<report::Range> ranges;
  const auto emit = [&](std::uint32_t i) {
    const Sums& s = sums[i];
    if (s.calls == 0) return;
    ranges.push_back({i == kOther ? nodes_[kOther].name : paths[i], s.calls, s.host_ns,
                      s.device_span_ns, s.device_union_ns, s.idle_ns, s.kernels, s.via_thread});
  };
  std::vector<std::uint32_t> pending(below.back().rbegin(), below.back().rend());
  while (!pending.empty()) {
    const std::uint32_t i = pending.back();
    pending.pop_back();
    emit(i);
    pending.insert(pending.end(), below[i].rbegin(), below[i].rend());
  }
  emit(kOther);
  return ranges;
}

}  // namespace gapscope
