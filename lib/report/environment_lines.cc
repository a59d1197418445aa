#include "report/environment_lines.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "report/fields.h"

namespace gapscope::report {
namespace {

constexpr std::size_t kMostEntries = 4000;
constexpr std::size_t kMostGpus = 64;
constexpr char kBetween = '\t';
constexpr std::string_view kNvml = "nvml";

// Tabs and line breaks in a value would be taken for separators.
std::string plain(std::string_view value) {
  return absl::StrReplaceAll(value, {{"\t", " "}, {"\n", " "}});
}

// The strings and numbers of an entry, with tabs between.
class EntryWriter {
 public:
  explicit EntryWriter(std::string& out) : out_(out) {}
  void operator()(const char*, const std::string& value) { add(plain(value)); }
  void operator()(const char*, std::int64_t value) { add(absl::StrCat(value)); }
  void operator()(const char*, double value) { add(absl::StrCat(value)); }

 private:
  void add(const std::string& text) {
    if (!first_) out_ += kBetween;
    first_ = false;
    out_ += text;
  }

  std::string& out_;
  bool first_ = true;
};

class EntryReader {
 public:
  explicit EntryReader(std::string_view text) : parts_(absl::StrSplit(text, kBetween)) {}
  void operator()(const char*, std::string& value) {
    if (next_ < parts_.size()) value = std::string(parts_[next_++]);
  }
  // What is no number, or none that could be, stays as it was.
  void operator()(const char*, std::int64_t& value) {
    std::int64_t number = 0;
    if (next_ < parts_.size() && absl::SimpleAtoi(parts_[next_++], &number)) {
      value = std::max<std::int64_t>(number, 0);
    }
  }
  void operator()(const char*, double& value) {
    double number = 0;
    if (next_ < parts_.size() && absl::SimpleAtod(parts_[next_++], &number)) {
      value = std::isfinite(number) ? number : 0.0;
    }
  }

 private:
  std::vector<std::string_view> parts_;
  std::size_t next_ = 0;
};

class Writer {
 public:
  explicit Writer(std::vector<std::string>& lines) : lines_(lines) {}
  void operator()(const char* key, const std::string& value) {
    if (!value.empty()) lines_.push_back(absl::StrCat(key, "=", plain(value)));
  }
  // A GPU has records of its own; what NVML says of it does not.
  void operator()(const char*, const std::vector<Gpu>& gpus) {
    for (const Gpu& gpu : gpus) {
      if (!gpu.nvml) continue;
      std::string& line = lines_.emplace_back(absl::StrCat(kNvml, "="));
      EntryWriter writer(line);
      writer("uuid", gpu.uuid);
      fields(writer, *gpu.nvml);
    }
  }
  template <class T>
  void operator()(const char* key, const std::vector<T>& entries) {
    for (const T& entry : entries) {
      std::string& line = lines_.emplace_back(absl::StrCat(key, "="));
      EntryWriter writer(line);
      fields(writer, entry);
    }
  }

 private:
  std::vector<std::string>& lines_;
};

class Reader {
 public:
  Reader(std::string_view key, std::string_view value) : key_(key), value_(value) {}
  void operator()(const char* key, std::string& out) {
    if (key_ == key) out = std::string(value_);
  }
  void operator()(const char*, std::vector<Gpu>& gpus) {
    if (key_ != kNvml || gpus.size() >= kMostGpus) return;
    Gpu& gpu = gpus.emplace_back();
    EntryReader reader(value_);
    reader("uuid", gpu.uuid);
    fields(reader, gpu.nvml.emplace());
  }
  template <class T>
  void operator()(const char* key, std::vector<T>& entries) {
    if (key_ != key || entries.size() >= kMostEntries) return;
    EntryReader reader(value_);
    fields(reader, entries.emplace_back());
  }

 private:
  std::string_view key_;
  std::string_view value_;
};

}  // namespace

std::vector<std::string> environment_lines(const Environment& environment) {
  std::vector<std::string> lines;
  Writer writer(lines);
  fields(writer, environment);
  return lines;
}

void add_environment_line(std::string_view line, Environment& environment) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return;
  Reader reader(line.substr(0, equals), line.substr(equals + 1));
  fields(reader, environment);
}

}  // namespace gapscope::report
