#include "analysis/cause_tally.h"

#include <algorithm>
#include <map>

namespace gapscope {
namespace {

constexpr std::size_t kShown = 5;

}  // namespace

void CauseTally::add_evidence(Sum& sum, const EvidenceRef& evidence, std::int64_t ns) {
  if (evidence.kind == EvidenceRef::Kind::none) return;
  if (sum.evidence.size() >= kMaxEvidence && !sum.evidence.contains(evidence)) return;
  sum.evidence[evidence] += ns;
}

void CauseTally::add_all(const CauseSlices& slices) {
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const CauseSlice& slice = slices[i];
    Sum& sum = sums_[static_cast<int>(slice.cause)];
    sum.ns += slice.ns;
    const bool first = std::none_of(slices.begin(), slices.begin() + static_cast<std::ptrdiff_t>(i),
                                    [&](const CauseSlice& s) { return s.cause == slice.cause; });
    if (first) ++sum.gaps;
    add_evidence(sum, slice.evidence, slice.ns);
  }
}

void CauseTally::merge(const CauseTally& other) {
  for (int cause = 0; cause < kCauses; ++cause) {
    sums_[cause].ns += other.sums_[cause].ns;
    sums_[cause].gaps += other.sums_[cause].gaps;
    for (const auto& [evidence, ns] : other.sums_[cause].evidence) {
      add_evidence(sums_[cause], evidence, ns);
    }
  }
}

std::int64_t CauseTally::total_ns() const {
  std::int64_t ns = 0;
  for (const Sum& sum : sums_) ns += sum.ns;
  return ns;
}

std::vector<report::Cause> CauseTally::report(
    std::int64_t idle_ns, const std::function<std::string(const EvidenceRef&)>& text,
    const Timeline::Result& timeline) const {
  std::vector<report::Cause> causes;
  const std::int64_t unexplained_ns = idle_ns - total_ns();
  for (int i = 0; i < kCauses; ++i) {
    const auto cause = static_cast<Cause>(i);
    report::Cause out;
    out.cause = std::string(cause_name(cause));
    out.idle_ns = sums_[i].ns + (cause == Cause::unattributed ? unexplained_ns : 0);
    out.gaps = sums_[i].gaps;
    if (out.idle_ns == 0) continue;
    for (const auto& slice : timeline.idle_ns) {
      out.timeline_ns.push_back(slice[static_cast<std::size_t>(i)]);
    }
    // Different evidence may read the same (a function on two of its lines).
    std::map<std::string, std::int64_t> by_text;
    for (const auto& [evidence, ns] : sums_[i].evidence) by_text[text(evidence)] += ns;
    for (const auto& [name, ns] : by_text) {
      if (!name.empty()) out.evidence.push_back({name, ns});
    }
    std::stable_sort(out.evidence.begin(), out.evidence.end(),
                     [](const auto& a, const auto& b) { return a.ns > b.ns; });
    if (out.evidence.size() > kShown) out.evidence.resize(kShown);
    causes.push_back(std::move(out));
  }
  std::stable_sort(causes.begin(), causes.end(),
                   [](const auto& a, const auto& b) { return a.idle_ns > b.idle_ns; });
  return causes;
}

}  // namespace gapscope
