// Idle time by cause, with what spoke for each.
//
// Bounded: kMaxEvidence pieces of evidence a cause; further ones are summed without a name.
// Thread-safety: none, one owner.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/cause.h"
#include "analysis/cause_slice.h"
#include "analysis/timeline.h"
#include "report/report.h"

namespace gapscope {

class CauseTally {
 public:
  static constexpr std::size_t kMaxEvidence = 512;

  // The slices of one gap, summed().
  void add(const CauseSlices& slices) {
    // Most gaps have one cause, and nothing special speaks for it.
    if (slices.size() == 1 && slices[0].evidence.kind == EvidenceRef::Kind::none) {
      Sum& sum = sums_[static_cast<int>(slices[0].cause)];
      sum.ns += slices[0].ns;
      ++sum.gaps;
    } else {
      add_all(slices);
    }
  }
  void merge(const CauseTally& other);

  std::int64_t total_ns() const;
  std::int64_t of(Cause cause) const { return sums_[static_cast<int>(cause)].ns; }

  // Largest first. idle_ns: the device's; what the slices do not explain (unknown time that turned
  // out to be idle) stands as unattributed, so that the entries add up to it exactly. text names a
  // piece of evidence; timeline: the device's, of the same time.
  std::vector<report::Cause> report(std::int64_t idle_ns,
                                    const std::function<std::string(const EvidenceRef&)>& text,
                                    const Timeline::Result& timeline) const;

 private:
  struct Sum {
    std::int64_t ns = 0;
    std::int64_t gaps = 0;
    absl::flat_hash_map<EvidenceRef, std::int64_t> evidence;
  };
  void add_all(const CauseSlices& slices);
  static void add_evidence(Sum& sum, const EvidenceRef& evidence, std::int64_t ns);

  std::array<Sum, kCauses> sums_;
};

}  // namespace gapscope
