// JSON to a report. The text may be anything: it is bounded before it is parsed, every type is
// checked, and no exception leaves this file.
#include <cstdio>
#include <exception>
#include <fstream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "report/fields.h"
#include "report/report_json.h"

namespace gapscope::report {
namespace {

// std::map inside: a hostile object with a million keys costs n log n, not n squared.
using Json = nlohmann::json;

constexpr std::size_t kMaxBytes = std::size_t{1} << 30;
constexpr int kMaxDepth = 32;  // a report needs 6

// Where in the document we are: a list on the call stack, spelled out only for an error.
struct Place {
  const Place* parent;
  const char* key;
  std::size_t index;

  std::string text() const {
    if (key == nullptr) return absl::StrCat(parent ? parent->text() : "", "[", index, "]");
    const std::string before = parent ? parent->text() : "";
    return before.empty() ? key : absl::StrCat(before, ".", key);
  }
};

class Reader {
 public:
  Reader(const Json& object, const Place* place, absl::Status& status)
      : object_(object), place_(place), status_(status) {}

  // A missing field keeps its default: older and newer writers differ in what they know.
  template <class T>
  void operator()(const char* key, T& out) {
    if (!status_.ok()) return;
    const auto found = object_.find(key);
    if (found == object_.end()) return;
    const Place place{place_, key, 0};
    read(*found, out, place);
  }

  void device_copies(const char* key, std::vector<Device>& devices) {
    if (!status_.ok()) return;
    const auto found = object_.find(key);
    if (found == object_.end()) return;
    const Place list{place_, key, 0};
    if (!found->is_array()) return fail(list, "a list");
    std::size_t index = 0;
    for (const Json& entry : *found) {
      const Place place{&list, nullptr, index++};
      read_copy(entry, devices, place);
      if (!status_.ok()) return;
    }
  }

 private:
  void fail(const Place& place, const char* wanted) {
    if (!status_.ok()) return;
    status_ = absl::InvalidArgumentError(
        absl::StrCat("not a valid gapscope report: ", place.text(), " must be ", wanted));
  }

  void read(const Json& json, std::string& out, const Place& place) {
    if (!json.is_string()) return fail(place, "a string");
    out = json.get_ref<const std::string&>();
  }

  void read(const Json& json, bool& out, const Place& place) {
    if (!json.is_boolean()) return fail(place, "true or false");
    out = json.get<bool>();
  }

  void read(const Json& json, std::int64_t& out, const Place& place) {
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (!json.is_number_integer() ||
        (json.is_number_unsigned() && json.get<std::uint64_t>() > kMax))
      return fail(place, "a whole number of 64 bits");
    out = json.get<std::int64_t>();
  }

  void read(const Json& json, std::uint64_t& out, const Place& place) {
    if (!json.is_number_unsigned()) return fail(place, "a whole number of 0 or more");
    out = json.get<std::uint64_t>();
  }

  void read(const Json& json, std::uint32_t& out, const Place& place) {
    constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
    if (!json.is_number_unsigned() || json.get<std::uint64_t>() > kMax)
      return fail(place, "a whole number of 0 or more, of 32 bits");
    out = json.get<std::uint32_t>();
  }

  void read(const Json& json, double& out, const Place& place) {
    if (!json.is_number()) return fail(place, "a number");
    out = json.get<double>();
  }

  void read(const Json& json, std::uint32_t (&out)[3], const Place& place) {
    if (!json.is_array() || json.size() != 3) return fail(place, "a list of 3 numbers");
    for (std::size_t i = 0; i < 3; ++i) {
      const Place entry{&place, nullptr, i};
      read(json[i], out[i], entry);
    }
  }

  template <class T>
  void read(const Json& json, std::optional<T>& out, const Place& place) {
    if (json.is_null()) return out.reset();
    read(json, out.emplace(), place);
  }

  template <class T>
  void read(const Json& json, std::vector<T>& out, const Place& place) {
    if (!json.is_array()) return fail(place, "a list");
    out.reserve(json.size());
    std::size_t index = 0;
    for (const Json& entry : json) {
      const Place here{&place, nullptr, index++};
      read(entry, out.emplace_back(), here);
      if (!status_.ok()) return;
    }
  }

  template <class T>
  void read(const Json& json, T& out, const Place& place) {
    if (!json.is_object()) return fail(place, "an object");
    Reader reader(json, &place, status_);
    fields(reader, out);
  }

  void read_copy(const Json& json, std::vector<Device>& devices, const Place& place) {
    if (!json.is_object()) return fail(place, "an object");
    std::uint32_t ordinal = 0;
    Reader reader(json, &place, status_);
    reader("device", ordinal);
    for (Device& device : devices) {
      if (device.device != ordinal) continue;
      fields(reader, device.copies.emplace_back());
      return;
    }
    const Place device{&place, "device", 0};
    fail(device, "one of the devices of the report");
  }

  const Json& object_;
  const Place* place_;
  absl::Status& status_;
};

// Whether brackets nest deeper than max_depth, strings left out. A look at every byte before the
// parser sees the text: what it builds is then no deeper.
bool nests_deeper(const std::string& text, int max_depth) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > max_depth) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

absl::StatusOr<Report> read_document(const Json& document) {
  const auto version = document.find("schema_version");
  const bool ours = document.is_object() && version != document.end() &&
                    version->is_number_integer() && document.contains("process") &&
                    document.contains("devices") && document.contains("records");
  if (!ours) {
    return absl::InvalidArgumentError(
        "JSON, but not a gapscope report (schema_version, process, devices and records are "
        "expected)");
  }
  const auto number = version->get<std::int64_t>();
  if (number > kSchemaVersion) {
    return absl::InvalidArgumentError(absl::StrCat("report of schema version ", number,
                                                   ", written by a newer gapscope; this one "
                                                   "reads up to version ",
                                                   kSchemaVersion));
  }
  if (number < 1) return absl::InvalidArgumentError("not a valid gapscope report: schema_version");
  Report report;
  report.schema_version = static_cast<int>(number);
  absl::Status status;
  Reader reader(document, nullptr, status);
  fields(reader, report);
  if (!status.ok()) return status;
  return report;
}

}  // namespace

absl::StatusOr<Report> from_json(const std::string& text) {
  if (text.empty()) return absl::InvalidArgumentError("not a gapscope report: the file is empty");
  if (text.size() > kMaxBytes) return absl::InvalidArgumentError("larger than 1 GiB: refused");
  if (nests_deeper(text, kMaxDepth))
    return absl::InvalidArgumentError("not a gapscope report: nested too deeply");
  try {
    const Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (document.is_discarded()) {
      return absl::InvalidArgumentError("not JSON (damaged or cut off), or not a report at all");
    }
    return read_document(document);
  } catch (const std::exception& error) {  // memory, above all
    return absl::InvalidArgumentError(absl::StrCat("cannot be read: ", error.what()));
  }
}

absl::StatusOr<Report> read_report(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": cannot be opened"));
  std::string text;
  char buffer[1 << 16];
  while (file.read(buffer, sizeof buffer) || file.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMaxBytes) break;
  }
  if (file.bad()) return absl::InvalidArgumentError(absl::StrCat(path, ": cannot be read"));
  auto report = from_json(text);
  if (report.ok()) return report;
  return absl::Status(report.status().code(), absl::StrCat(path, ": ", report.status().message()));
}

}  // namespace gapscope::report
