// Stretches without a CUDA call: what the samples and the open ranges of their threads say.
#include <algorithm>

#include "analysis/attribution.h"
#include "analysis/frame_rules.h"
#include "analysis/from_time.h"

namespace gapscope {
namespace {

// One sample, or what no sample covers, is cut at so many changes of the open ranges.
constexpr int kMostCuts = 64;

}  // namespace

// Whether some sample tells what the thread was doing.
bool Attribution::sampled(std::uint32_t thread, std::int64_t begin_ns, std::int64_t end_ns) const {
  const auto* samples = thread == kNoThread ? nullptr : evidence_.samples(thread);
  if (samples == nullptr) return false;
  for (auto s = from_time(*samples, begin_ns); s != samples->end() && s->begin_ns < end_ns; ++s) {
    if (s->end_ns > begin_ns && judge(*s).cause != Cause::unattributed) return true;
  }
  return false;
}

// Running samples speak first, of the thread whose turn comes and then of the one that had it; then
// the blocked ones; then those that only tell in which range it was. What no sample covers goes by
// the open ranges, or the way of most of the stretch.
void Attribution::paint_stretch(const Turn& turn, std::int64_t begin_ns, std::int64_t end_ns,
                                Unpainted* gap) const {
  Stretch stretch{begin_ns, end_ns, {}};
  for (const Strength strength : {Strength::running, Strength::blocked, Strength::weak}) {
    for (const std::uint32_t thread : {turn.thread, turn.before}) {
      const auto* samples = thread == kNoThread ? nullptr : evidence_.samples(thread);
      if (samples == nullptr) continue;
      for (auto s = from_time(*samples, begin_ns); s != samples->end() && s->begin_ns < end_ns;
           ++s) {
        paint_sample(*s, thread, strength, &stretch, gap);
      }
    }
  }
  if (stretch.most_ns > 0) {
    gap->paint(begin_ns, end_ns, stretch.most.cause, stretch.most.evidence);
    return;
  }
  for (const std::uint32_t thread : {turn.thread, turn.before}) {
    paint_by_ranges(thread, begin_ns, end_ns, {}, false, &stretch, gap);
  }
}

// A sample that began before the stretch may owe its time on a CPU to what was before, and one that
// reaches beyond it to what came after.
bool Attribution::ran_inside(const SampleEvidence& sample, const Stretch& stretch) {
  const std::int64_t inside_ns =
      std::min(stretch.end_ns, sample.end_ns) - std::max(stretch.begin_ns, sample.begin_ns);
  const std::int64_t outside_ns = sample.end_ns - sample.begin_ns - inside_ns;
  return 2 * (sample.on_cpu_ns - outside_ns) >= inside_ns;
}

void Attribution::paint_sample(const SampleEvidence& sample, std::uint32_t thread,
                               Strength strength, Stretch* stretch, Unpainted* gap) const {
  if (sample.end_ns <= stretch->begin_ns) return;
  const Verdict verdict = judge(sample);
  const bool named = verdict.cause != Cause::unattributed;
  const bool ran = sample.running() && (named || ran_inside(sample, *stretch));
  const Strength own = ran ? Strength::running : named ? Strength::blocked : Strength::weak;
  if (own != strength) return;
  paint_by_ranges(thread, std::max(stretch->begin_ns, sample.begin_ns),
                  std::min(stretch->end_ns, sample.end_ns), verdict, ran, stretch, gap);
}

// Cut where the thread's open ranges change.
void Attribution::paint_by_ranges(std::uint32_t thread, std::int64_t begin_ns, std::int64_t end_ns,
                                  const Verdict& verdict, bool running, Stretch* stretch,
                                  Unpainted* gap) const {
  for (int cut = 1; begin_ns < end_ns; ++cut) {
    RangeTracker::OpenRanges ranges;
    if (ranges_ != nullptr) ranges = ranges_->open_at(thread, begin_ns);
    const std::int64_t until_ns = cut < kMostCuts ? std::min(end_ns, ranges.until_ns) : end_ns;
    Verdict here = in_ranges(verdict, running, ranges);
    // Only the range is known: what most of the stretch in the same range went to knows more.
    const bool weak = here.evidence.kind == EvidenceRef::Kind::range;
    if (weak && stretch->most.evidence.range == here.evidence.range) here = stretch->most;
    if (here.cause != Cause::unattributed) {
      const std::int64_t ns = gap->paint(begin_ns, until_ns, here.cause, here.evidence);
      if (ns > stretch->most_ns) {
        stretch->most_ns = ns;
        stretch->most = here;
      }
    }
    begin_ns = until_ns;
  }
}

// A range names what has no name of its own. When the innermost one loads input, it says so
// whatever the thread does in it; an outer one may hold anything else too.
Attribution::Verdict Attribution::in_ranges(Verdict verdict, bool running,
                                            const RangeTracker::OpenRanges& ranges) const {
  if (ranges.name_ids.empty()) return verdict;
  if (verdict.cause != Cause::unattributed && verdict.cause != Cause::host &&
      verdict.cause != Cause::no_work) {
    return verdict;
  }
  const std::uint32_t innermost = ranges.name_ids.front();
  const bool has_frames = verdict.evidence.kind == EvidenceRef::Kind::frames;
  const bool loads = loads_input(names_.string(innermost));
  if (has_frames && !loads) return verdict;
  if (verdict.evidence.kind == EvidenceRef::Kind::none) {
    verdict.evidence.kind = running ? EvidenceRef::Kind::running : EvidenceRef::Kind::range;
  }
  verdict.evidence.range = innermost;
  if (loads) {
    verdict.cause = Cause::input_pipeline;
  } else if (verdict.cause == Cause::unattributed) {
    verdict.cause = Cause::host;
  }
  return verdict;
}

// Of what stays without a cause: the thread that ran meanwhile, if one did.
EvidenceRef Attribution::silent_thread(const Turns& turns, std::int64_t begin_ns,
                                       std::int64_t end_ns) const {
  for (const Turn& turn : turns) {
    const auto* samples = turn.is_stretch ? evidence_.samples(turn.thread) : nullptr;
    if (samples == nullptr) continue;
    for (auto s = from_time(*samples, begin_ns); s != samples->end() && s->begin_ns < end_ns; ++s) {
      if (s->end_ns <= begin_ns || !s->running()) continue;
      return {EvidenceRef::Kind::thread, evidence_.thread_name_id(turn.thread), 0};
    }
  }
  return {};
}

bool Attribution::throttled(const SampleEvidence& sample) const {
  const bool starved =
      sample.state == 'R' || 2 * sample.runnable_ns >= sample.end_ns - sample.begin_ns;
  if (sample.running() || !starved) return false;
  const auto& all = evidence_.throttles();
  const auto t = from_time(all, sample.begin_ns);
  return std::any_of(t, all.end(), [&](const ThrottleEvidence& e) {
    return e.begin_ns < sample.end_ns && e.end_ns > sample.begin_ns && e.throttled_ns > 0;
  });
}

// What the thread that this one waits for was doing meanwhile: only what has frames to name it.
Attribution::Verdict Attribution::judge_awaited(const SampleEvidence& sample) const {
  const auto* samples = sample.running() ? nullptr : evidence_.awaited(sample);
  if (samples == nullptr) return {};
  Verdict best;
  std::int64_t best_ns = 0;
  for (auto s = from_time(*samples, sample.begin_ns);
       s != samples->end() && s->begin_ns < sample.end_ns; ++s) {
    const std::int64_t common_ns =
        std::min(s->end_ns, sample.end_ns) - std::max(s->begin_ns, sample.begin_ns);
    if (common_ns <= best_ns) continue;
    const Verdict verdict = judge_alone(*s);
    if (verdict.evidence.kind != EvidenceRef::Kind::frames) continue;
    best = verdict;
    best_ns = common_ns;
  }
  best.evidence.awaited = sample.waits_for_name_id;
  best.evidence.guess = sample.wait_guess;
  return best;
}

// The thread's own frames come first. Those of the thread that it waits for say more where it has
// none; and where the lock names that thread, so that it is no guess, also where its own frames
// only tell who waits.
Attribution::Verdict Attribution::judge(const SampleEvidence& sample) const {
  if (throttled(sample)) return {Cause::throttled, {}};
  const Verdict own = judge_alone(sample);
  if (own.cause != Cause::unattributed && own.cause != Cause::host) return own;
  const Verdict theirs = judge_awaited(sample);
  if (theirs.cause == Cause::unattributed) return own;
  if (own.evidence.kind != EvidenceRef::Kind::frames) return theirs;
  return !sample.wait_guess && theirs.cause != Cause::host ? theirs : own;
}

Attribution::Verdict Attribution::judge_alone(const SampleEvidence& sample) const {
  std::uint32_t named = kNoString;   // innermost frame that does more than wait
  std::uint32_t loader = kNoString;  // outermost frame of the input pipeline
  bool compiling = false, serving = false;
  for (const std::uint32_t id : sample.frames) {
    const std::string_view frame = names_.string(id);
    const FrameKind kind = frame_kind(frame);
    if (kind == FrameKind::loader) loader = id;
    compiling = compiling || kind == FrameKind::compiler;
    serving = serving || kind == FrameKind::idle_server;
    if (named == kNoString && kind != FrameKind::wait && !frame.empty()) named = id;
  }
  const EvidenceRef frames{EvidenceRef::Kind::frames, named, loader};
  if (loader != kNoString) return {Cause::input_pipeline, frames};
  if (compiling) return {Cause::compilation, {EvidenceRef::Kind::frames, named, kNoString}};
  const std::string_view wait = names_.string(sample.wait_id);
  if (!sample.running() && (serving || waits_for_outside(wait))) {
    return {Cause::no_work, {EvidenceRef::Kind::wait, sample.wait_id, 0}};
  }
  if (named != kNoString) return {Cause::host, frames};
  if (!sample.running() && !wait.empty()) {
    return {
        Cause::host,
        {EvidenceRef::Kind::wait, sample.wait_id, 0, sample.waits_for_name_id, sample.wait_guess}};
  }
  return {};
}

}  // namespace gapscope
