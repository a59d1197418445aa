// The tree of ranges by path, and what is summed up for each of its nodes.
//
// Bounded: kMaxNodes nodes; what does not fit shares the node "(other)". When a node has
// kNumberedSiblings children that differ in digits alone ("iteration 1", "iteration 2", ...),
// further ones share a child "iteration *", and report() shows the earlier ones under that name
// too. Thread-safety: none, one owner.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "analysis/operation.h"
#include "report/report.h"

namespace gapscope {

class RangeTree {
 public:
  static constexpr std::size_t kMaxNodes = 2000;
  static constexpr std::uint32_t kNumberedSiblings = 200;
  static constexpr std::uint32_t kOther = 0;           // the node "(other)"
  static constexpr std::uint32_t kRoot = 0xffffffffu;  // parent of the outermost ranges

  struct Sums {
    std::int64_t calls = 0;
    std::int64_t host_ns = 0;
    std::int64_t device_span_ns = 0;
    std::int64_t device_union_ns = 0;
    std::int64_t idle_ns = 0;
    std::int64_t kernels = 0;
    bool via_thread = false;
    void merge(const Sums& other);
  };

  RangeTree();

  // The node of that name below a node; made on first sight, kOther when there is no room.
  std::uint32_t child(std::uint32_t parent, std::string_view name);

  Sums& sums(std::uint32_t node, Phase phase) { return nodes_[node].sums[static_cast<int>(phase)]; }
  // The part of [start_ns, end_ns) that no operation seen so far covers, for operations that come
  // in order of start.
  std::int64_t add_to_union(std::uint32_t node, std::uint8_t device, std::int64_t start_ns,
                            std::int64_t end_ns);

  void take_back_steady();

  std::size_t size() const { return nodes_.size(); }
  std::int64_t overflow() const { return overflow_; }  // times that kOther was given out
  // extra: (node, ns): host time of ranges that are still open. Ranges without calls are left out.
  // Depth first, siblings as they were first seen, "(other)" last.
  std::vector<report::Range> report(
      bool steady_only, const std::vector<std::pair<std::uint32_t, std::int64_t>>& extra) const;

 private:
  struct Reach {
    std::uint8_t device;
    std::int64_t end_ns;
  };
  struct Node {
    std::string name;
    std::uint32_t parent = kRoot;
    Sums sums[kPhases];
    absl::InlinedVector<Reach, 1> reach;
  };
  using Key = std::pair<std::uint32_t, std::string>;
  struct Numbered {
    std::uint32_t siblings = 0;
  };

  std::uint32_t find(std::uint32_t parent, std::string_view name) const;
  std::uint32_t add(std::uint32_t parent, std::string_view name);
  bool collapsed(std::uint32_t parent, const std::string& pattern) const;
  std::string shown_name(const Node& node) const;

  std::vector<Node> nodes_;
  absl::flat_hash_map<std::string, std::uint32_t> names_;       // name -> index
  absl::flat_hash_map<std::uint64_t, std::uint32_t> children_;  // parent, name index -> node
  absl::flat_hash_map<Key, Numbered> numbered_;
  std::int64_t overflow_ = 0;
};

}  // namespace gapscope
