// Texts by small ids of the sampler's own, announced in its ring before their first use (as
// StringDefRecords, whose ids are these until the collector interns them). Bounded: past the cap
// every new text gets the id of "(too many names)".
//
// Thread-safety: the ring's producer thread only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "ring/byte_ring.h"

namespace gapscope {

class TextTable {
 public:
  static constexpr std::size_t kMaxTexts = 32'768;
  static constexpr std::size_t kMaxTextBytes = 512;

  explicit TextTable(ByteRing& ring, std::size_t max_texts = kMaxTexts)
      : ring_(ring), max_texts_(max_texts) {}

  // kNoString for an empty text, and when the ring is too full to announce a new one. Cut at
  // kMaxTextBytes, at a character's begin.
  std::uint32_t id(std::string_view text);
  std::size_t size() const { return ids_.size(); }

 private:
  std::uint32_t announce(std::string_view text);

  ByteRing& ring_;
  const std::size_t max_texts_;
  absl::flat_hash_map<std::string, std::uint32_t> ids_;
};

}  // namespace gapscope
