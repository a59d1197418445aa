// DeviceSweep: a record that came after its launch had been given up.

#include <algorithm>
#include <utility>

#include "analysis/device_sweep.h"

namespace gapscope {

void DeviceSweep::correct(const ClosedCall& call, const Operation& op, bool whole) {
  if (now_ns_ == kNever) return;
  UnknownCorrection correction{call.start_ns, now_ns_, op.start_ns, op.end_ns, whole};
  const ClosedUnknown* closed = closed_unknown_.find(op.correlation_id);
  if (closed != nullptr && closed->since_ns == call.start_ns) {
    correction.until_ns = closed->until_ns;
  } else {
    const auto is_its = [&](const OpenUnknown& u) {
      return u.correlation_id == op.correlation_id && u.since_ns == call.start_ns &&
             u.launches == 1;
    };
    // One that is not told apart any more: others may have run whenever it did not.
    if (std::none_of(open_unknown_.begin(), open_unknown_.end(), is_its)) correction.whole = false;
    if (correction.whole) close_unknown(is_its);
  }
  correct_committed(correction, op.op_class);
  correct_held_back(correction, op.op_class);
}

void DeviceSweep::correct_committed(const UnknownCorrection& correction, OperationClass op_class) {
  const auto show = [this](const UnknownPiece& piece, TimeKind kind) {
    timeline_.add(piece.begin_ns, piece.end_ns, kind);
    if (piece.phase == Phase::steady) steady_timeline_.add(piece.begin_ns, piece.end_ns, kind);
  };
  unknown_log_.correct(
      correction,
      [&](const UnknownPiece& piece) {
        tally(piece.phase).correct_busy(op_class, piece.end_ns - piece.begin_ns);
        show(piece, op_class == OperationClass::compute         ? TimeKind::compute
                    : op_class == OperationClass::communication ? TimeKind::comm_exposed
                                                                : TimeKind::copy_only);
      },
      [&](const UnknownPiece& piece) {
        Segment idle;
        idle.begin_ns = piece.begin_ns;
        idle.end_ns = piece.end_ns;
        tally(piece.phase).correct_idle(idle);
        show(piece, TimeKind::idle);
      });
}

void DeviceSweep::correct_held_back(const UnknownCorrection& correction, OperationClass op_class) {
  std::vector<Segment> corrected;
  for (const Segment& segment : held_back_) {
    if (segment.kind() != TimeKind::unknown) {
      corrected.push_back(segment);
      continue;
    }
    const auto add = [&](const UnknownPiece& piece, bool busy, std::uint32_t unknown) {
      Segment s = segment;
      s.begin_ns = piece.begin_ns;
      s.end_ns = piece.end_ns;
      s.unknown = unknown;
      s.compute = busy && op_class == OperationClass::compute;
      s.communication = busy && op_class == OperationClass::communication;
      s.copy = busy && op_class == OperationClass::copy;
      corrected.push_back(s);
    };
    correction.apply(
        UnknownPiece{segment.begin_ns, segment.end_ns, segment.unknown, phase_},
        [&](const UnknownPiece& piece) { add(piece, true, 0); },
        [&](const UnknownPiece& piece) { add(piece, false, 0); },
        [&](const UnknownPiece& piece) { add(piece, false, piece.launches); });
  }
  held_back_ = std::move(corrected);
}

}  // namespace gapscope
