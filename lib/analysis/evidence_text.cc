#include "analysis/evidence_text.h"

#include <fmt/format.h>

#include "analysis/frame_rules.h"
#include "record/api.h"

namespace gapscope {

std::string evidence_text(const EvidenceRef& evidence, const NameTable& names) {
  switch (evidence.kind) {
    case EvidenceRef::Kind::none:
      break;
    case EvidenceRef::Kind::api:
      return std::string(api_name(static_cast<ApiId>(evidence.id)));
    case EvidenceRef::Kind::node_tracing:
      return fmt::format("tracing the nodes of {}", api_name(static_cast<ApiId>(evidence.id)));
    case EvidenceRef::Kind::wait:
      return std::string(names.string(evidence.id));
    case EvidenceRef::Kind::generation:
      return fmt::format("generation {}", evidence.id);
    case EvidenceRef::Kind::frames: {
      const std::string inner(short_frame(names.string(evidence.id)));
      const std::string outer(short_frame(names.string(evidence.detail)));
      if (inner.empty() || outer.empty() || inner == outer) return inner.empty() ? outer : inner;
      return fmt::format("{} > {}", outer, inner);
    }
  }
  return {};
}

}  // namespace gapscope
