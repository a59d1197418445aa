#include "host/python_code.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "absl/strings/match.h"
#include "host/python_line.h"
#include "host/python_object.h"

namespace gapscope {
namespace {

constexpr std::size_t kMaxCodeBytes = 256;  // up to the last field that is read
constexpr std::size_t kMaxFilename = 1024;  // characters
constexpr std::size_t kMaxName = 256;
constexpr std::size_t kMaxLinetable = 1u << 18;   // bytes; larger: the first line is given
constexpr std::size_t kMaxLinesRemembered = 256;  // a code object

bool plausible_file(std::string_view file) {
  if (file.size() >= 2 && file.front() == '<' && file.back() == '>') return true;
  return absl::EndsWith(file, ".py") || absl::EndsWith(file, ".pyx");
}

bool printable(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
  }
  return !text.empty();
}

}  // namespace

bool PythonCode::read_fields(std::uint64_t code, Fields& fields) const {
  const PythonLayout& l = process_.layout;
  std::array<unsigned char, kMaxCodeBytes> bytes{};
  const std::size_t size = l.code_linetable + 8;  // the last of them in every layout
  if (code == 0 || code % 8 != 0 || size > bytes.size()) return false;
  if (!memory_.read(code, bytes.data(), size)) return false;
  const auto word = [&](std::uint32_t offset) {
    std::uint64_t value = 0;
    if (offset + 8 <= size) std::memcpy(&value, bytes.data() + offset, 8);
    return value;
  };
  fields.type = word(l.object_type);
  fields.filename = word(l.code_filename);
  fields.name = word(l.code_name);
  fields.linetable = word(l.code_linetable);
  std::memcpy(&fields.first_line, bytes.data() + l.code_first_line, 4);
  return fields.type == process_.code_type;
}

std::optional<std::string> PythonCode::read_where(const Fields& fields) const {
  const auto file = read_python_text(memory_, process_, fields.filename, kMaxFilename);
  const auto name = read_python_text(memory_, process_, fields.name, kMaxName);
  if (!file || !name || !plausible_file(*file) || !printable(*file) || !printable(*name)) {
    return std::nullopt;
  }
  return *file + ':' + *name;
}

PythonCode::Code* PythonCode::find(std::uint64_t code, std::uint64_t now_ns) {
  const auto known = codes_.find(code);
  if (known != codes_.end() && now_ns - known->second.checked_ns < kTrustNs) return &known->second;
  Fields fields;
  if (!read_fields(code, fields)) return nullptr;
  auto where = read_where(fields);
  if (!where) return nullptr;
  if (known != codes_.end() && known->second.fields == fields && known->second.where == *where) {
    known->second.checked_ns = now_ns;
    return &known->second;
  }
  Code fresh;
  fresh.fields = fields;
  fresh.where = std::move(*where);
  fresh.linetable =
      read_python_bytes(memory_, process_, fields.linetable, kMaxLinetable).value_or("");
  // What was read belongs together only if the object has not changed meanwhile.
  Fields again;
  if (!read_fields(code, again) || !(again == fields)) return nullptr;
  fresh.checked_ns = now_ns;
  if (codes_.size() >= kMaxCodes) codes_.clear();
  return &(codes_[code] = std::move(fresh));
}

std::int64_t PythonCode::byte_offset(const PythonFrame& frame) const {
  const PythonLayout& l = process_.layout;
  if (l.code_instructions == kAbsent) {
    return static_cast<std::int32_t>(frame.instruction) * std::int64_t{2};
  }
  return static_cast<std::int64_t>(frame.instruction - frame.code - l.code_instructions);
}

std::uint32_t PythonCode::name(const PythonFrame& frame, std::uint64_t now_ns) {
  Code* code = find(frame.code, now_ns);
  if (code == nullptr) return kNoString;
  const std::int64_t offset = byte_offset(frame);
  if (const auto it = code->texts.find(offset); it != code->texts.end()) return it->second;
  const int first = code->fields.first_line;
  int line = process_.layout.minor == 10 ? line_of_3_10(code->linetable, offset, first)
                                         : line_of_3_11(code->linetable, offset, first);
  if (line == 0) line = first;
  const std::uint32_t id = texts_.id(fmt::format("{}:{}", code->where, line));
  if (id != kNoString && code->texts.size() < kMaxLinesRemembered) code->texts[offset] = id;
  return id;
}

}  // namespace gapscope
