#include "runtime/interner.h"

#include <cstring>

namespace gapscope {

std::uint32_t Interner::define(std::string_view text, RecordSink& sink) {
  const auto id = static_cast<std::uint32_t>(ids_.size() + 1);
  auto [it, inserted] = ids_.emplace(std::string(text), id);
  storage_.push_back(std::make_unique<std::string>(it->first));
  by_id_.push_back(storage_.back().get());
  auto def = make_record<StringDefRecord>();
  def.id = id;
  emit_with_text(def, text, sink);
  return id;
}

std::uint32_t Interner::intern(std::string_view text, RecordSink& sink) {
  if (anonymous_) text = without_folders(text);
  text = text.substr(0, kMaxRecordBytes - sizeof(StringDefRecord));
  if (const auto it = ids_.find(text); it != ids_.end()) return it->second;
  if (ids_.size() < max_strings_) return define(text, sink);
  if (overflow_id_ == kNoString) overflow_id_ = define("(too many names)", sink);
  return overflow_id_;
}

std::uint32_t Interner::intern_pointer(const char* text, RecordSink& sink) {
  if (text == nullptr) return kNoString;
  if (const auto it = by_address_.find(text); it != by_address_.end()) {
    const Known& known = it->second;
    if (std::strcmp(known.text, text) == 0 || known.id == overflow_id_) return known.id;
  }
  const std::uint32_t id = intern(text, sink);
  if (by_address_.size() < 2 * max_strings_) by_address_[text] = {by_id_[id - 1]->c_str(), id};
  return id;
}

std::string_view without_folders(std::string_view text) {
  if (text.empty() || text.front() != '/') return text;
  constexpr std::string_view kPackages = "/site-packages/";
  const auto packages = text.rfind(kPackages);
  // Keep one slash: rules about frames look for "/torch/...".
  if (packages != std::string_view::npos) return text.substr(packages + kPackages.size() - 1);
  return text.substr(text.rfind('/') + 1);
}

void emit_meta(MetaKey key, std::string_view text, RecordSink& sink) {
  auto meta = make_record<MetaRecord>();
  meta.key = key;
  emit_with_text(meta, text, sink);
}

}  // namespace gapscope
