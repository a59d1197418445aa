// Recent time that was counted as unknown, so that a record which comes after all can correct it.
//
// Bounded: the last kPieces pieces; older ones stay unknown.
// Thread-safety: none, one owner.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "analysis/operation.h"

namespace gapscope {

struct UnknownPiece {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t launches = 0;  // that may have run then
  Phase phase = Phase::warmup;
};

// A launch that may have run in [from_ns, until_ns) turns out to have run in [start_ns, end_ns)
// and, where whole, at no other time.
struct UnknownCorrection {
  std::int64_t from_ns, until_ns;
  std::int64_t start_ns, end_ns;
  bool whole;

  // Cuts a piece: busy(part) is called for what is busy after all, idle(part) for that in which no
  // other launch may have run either, still(part) for what stays unknown; in order of time.
  template <typename Busy, typename Idle, typename Still>
  void apply(const UnknownPiece& piece, Busy&& busy, Idle&& idle, Still&& still) const {
    const std::int64_t low = std::max(piece.begin_ns, from_ns);
    const std::int64_t high = std::min(piece.end_ns, until_ns);
    if (low >= high) return still(piece);
    const auto part = [&piece](std::int64_t begin_ns, std::int64_t end) {
      UnknownPiece p = piece;
      p.begin_ns = begin_ns;
      p.end_ns = end;
      return p;
    };
    const auto outside = [&](std::int64_t begin_ns, std::int64_t end) {
      if (begin_ns >= end) return;
      UnknownPiece p = part(begin_ns, end);
      if (whole && --p.launches == 0) return idle(p);
      still(p);
    };
    const std::int64_t busy_begin = std::clamp(start_ns, low, high);
    const std::int64_t busy_end = std::clamp(end_ns, busy_begin, high);
    if (piece.begin_ns < low) still(part(piece.begin_ns, low));
    outside(low, busy_begin);
    if (busy_begin < busy_end) busy(part(busy_begin, busy_end));
    outside(busy_end, high);
    if (high < piece.end_ns) still(part(high, piece.end_ns));
  }
};

class UnknownLog {
 public:
  static constexpr std::size_t kPieces = 4096;

  void add(const UnknownPiece& piece) {
    pieces_.push_back(piece);
    if (pieces_.size() > kPieces) pieces_.pop_front();
  }
  void all_warmup() {
    for (UnknownPiece& piece : pieces_) piece.phase = Phase::warmup;
  }

  // See UnknownCorrection. busy(piece) and idle(piece) are called for what is known now.
  template <typename Busy, typename Idle>
  void correct(const UnknownCorrection& correction, Busy&& busy, Idle&& idle) {
    std::deque<UnknownPiece> kept;
    for (const UnknownPiece& piece : pieces_) {
      correction.apply(piece, busy, idle, [&](const UnknownPiece& p) { kept.push_back(p); });
    }
    pieces_ = std::move(kept);
  }

 private:
  std::deque<UnknownPiece> pieces_;
};

}  // namespace gapscope
