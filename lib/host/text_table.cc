#include "host/text_table.h"

#include <cstring>

#include "record/record.h"

namespace gapscope {

std::uint32_t TextTable::announce(std::string_view text) {
  const std::size_t size = round_up_8(sizeof(StringDefRecord) + text.size());
  void* at = ring_.reserve(size, RecordKind::string_def);
  if (at == nullptr) return kNoString;
  auto record = make_record<StringDefRecord>();
  record.header.size_bytes = static_cast<std::uint16_t>(size);
  record.id = static_cast<std::uint32_t>(ids_.size() + 1);
  record.text_bytes = static_cast<std::uint32_t>(text.size());
  auto* bytes = static_cast<char*>(at);
  std::memset(bytes, 0, size);
  std::memcpy(bytes, &record, sizeof(record));
  std::memcpy(bytes + sizeof(record), text.data(), text.size());
  ring_.commit();
  ids_.emplace(std::string(text), record.id);
  return record.id;
}

std::uint32_t TextTable::id(std::string_view text) {
  if (text.empty()) return kNoString;
  if (text.size() > kMaxTextBytes) {
    std::size_t cut = kMaxTextBytes;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80) --cut;
    text = text.substr(0, cut);
  }
  if (const auto it = ids_.find(text); it != ids_.end()) return it->second;
  if (ids_.size() < max_texts_) return announce(text);
  constexpr std::string_view kOverflow = "(too many names)";
  const auto it = ids_.find(kOverflow);
  return it != ids_.end() ? it->second : announce(kOverflow);
}

}  // namespace gapscope
