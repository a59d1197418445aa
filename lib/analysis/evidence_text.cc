#include "analysis/evidence_text.h"

#include <fmt/format.h>

#include "analysis/frame_rules.h"
#include "analysis/ranges_name.h"
#include "record/api.h"

namespace gapscope {
namespace {

// Only the interpreter's own lock names its holder: other waits are for a thread, not held by it.
std::string with_awaited(std::string text, const EvidenceRef& evidence, const NameTable& names) {
  const std::string_view thread = names.string(evidence.awaited);
  if (text.empty() || thread.empty()) return text;
  const bool frames = evidence.kind == EvidenceRef::Kind::frames;
  const char* certain = frames ? "in" : text == "GIL" ? "held by" : "for";
  const char* guessed = frames ? "perhaps in" : "perhaps for";
  return fmt::format("{}, {} {}", text, evidence.guess ? guessed : certain, thread);
}

std::string frames_text(const EvidenceRef& evidence, const NameTable& names) {
  const std::string inner(short_frame(names.string(evidence.id)));
  const std::string outer(short_frame(names.string(evidence.detail)));
  if (inner.empty() || outer.empty() || inner == outer) return inner.empty() ? outer : inner;
  return fmt::format("{} > {}", outer, inner);
}

std::string in_range(std::string text, const EvidenceRef& evidence, const NameTable& names) {
  const std::string_view range = strip_range_name(names.string(evidence.range));
  if (range.empty()) return text;
  return text.empty() ? fmt::format("range {}", range) : fmt::format("{} in range {}", text, range);
}

}  // namespace

std::string evidence_text(const EvidenceRef& evidence, const NameTable& names) {
  switch (evidence.kind) {
    case EvidenceRef::Kind::none:
      break;
    case EvidenceRef::Kind::api:
      return std::string(api_name(static_cast<ApiId>(evidence.id)));
    case EvidenceRef::Kind::node_tracing:
      return fmt::format("tracing the nodes of {}", api_name(static_cast<ApiId>(evidence.id)));
    case EvidenceRef::Kind::wait:
      return in_range(with_awaited(std::string(names.string(evidence.id)), evidence, names),
                      evidence, names);
    case EvidenceRef::Kind::generation:
      return fmt::format("generation {}", evidence.id);
    case EvidenceRef::Kind::frames:
      return in_range(with_awaited(frames_text(evidence, names), evidence, names), evidence, names);
    case EvidenceRef::Kind::range:
      return in_range({}, evidence, names);
    case EvidenceRef::Kind::running:
      return in_range({}, evidence, names) + ", on a CPU";
    case EvidenceRef::Kind::thread: {
      const std::string_view thread = names.string(evidence.id);
      return thread.empty() ? std::string("a thread on a CPU, in no range")
                            : fmt::format("thread {} on a CPU, in no range", thread);
    }
  }
  return {};
}

}  // namespace gapscope
