// Strings by small ids, announced in the record stream before their first use. Bounded: past the
// cap every new string gets the id of "(too many names)". Collector thread only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "record/record.h"

namespace gapscope {

class Interner {
 public:
  // anonymous: folders of Python files are cut down to what lies below site-packages, or to the
  // file's name.
  explicit Interner(std::size_t max_strings = 200'000, bool anonymous = false)
      : max_strings_(max_strings), anonymous_(anonymous) {}

  // The id of text; when it is new, its StringDefRecord goes to sink first. Text beyond
  // kMaxRecordBytes is cut.
  std::uint32_t intern(std::string_view text, RecordSink& sink);

  // The same for a C string at an address that usually holds the same text (a kernel's name in
  // CUPTI): found by address, then compared, since the memory of an unloaded module may be reused.
  // nullptr gives kNoString.
  std::uint32_t intern_pointer(const char* text, RecordSink& sink);

  std::size_t size() const { return ids_.size(); }

 private:
  std::uint32_t define(std::string_view text, RecordSink& sink);

  std::size_t max_strings_;
  bool anonymous_;
  std::uint32_t overflow_id_ = kNoString;
  absl::flat_hash_map<std::string, std::uint32_t> ids_;
  std::vector<const std::string*> by_id_;  // ids start at 1; owned by storage_
  std::vector<std::unique_ptr<std::string>> storage_;
  struct Known {
    const char* text;  // owned by storage_
    std::uint32_t id;
  };
  absl::flat_hash_map<const char*, Known> by_address_;
};

// Builds a record of type T followed by text and hands it to sink.
template <typename T>
void emit_with_text(T record, std::string_view text, RecordSink& sink) {
  constexpr std::size_t kRoom = kMaxRecordBytes - sizeof(T);
  text = text.substr(0, kRoom);
  alignas(8) char bytes[kMaxRecordBytes];
  const std::size_t size = round_up_8(sizeof(T) + text.size());
  record.header.size_bytes = static_cast<std::uint16_t>(size);
  record.text_bytes = static_cast<decltype(record.text_bytes)>(text.size());
  std::memcpy(bytes, &record, sizeof(T));
  std::memcpy(bytes + sizeof(T), text.data(), text.size());
  std::memset(bytes + sizeof(T) + text.size(), 0, size - sizeof(T) - text.size());
  sink.consume(*reinterpret_cast<const RecordHeader*>(bytes));
}

// What an anonymous recording keeps of the path that text begins with; text itself otherwise.
std::string_view without_folders(std::string_view text);

void emit_meta(MetaKey key, std::string_view text, RecordSink& sink);

}  // namespace gapscope
