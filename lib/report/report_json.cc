#include "report/report_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/fields.h"

namespace gapscope::report {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json object_of(const T& value);

Json value_of(const std::string& value) { return value; }
Json value_of(bool value) { return value; }
Json value_of(std::int64_t value) { return value; }
Json value_of(std::uint64_t value) { return value; }
Json value_of(std::uint32_t value) { return value; }
// JSON has no NaN or infinity: 0 stands for a number that is none.
Json value_of(double value) { return std::isfinite(value) ? value : 0.0; }
Json value_of(const std::uint32_t (&value)[3]) {
  return Json::array({value[0], value[1], value[2]});
}

template <class T>
Json value_of(const T& value) {
  return object_of(value);
}

template <class T>
Json value_of(const std::optional<T>& value) {
  return value ? value_of(*value) : Json(nullptr);
}

template <class T>
Json value_of(const std::vector<T>& values) {
  Json array = Json::array();
  for (const T& value : values) array.push_back(value_of(value));
  return array;
}

// Keys never repeat within an object, so they are appended without ordered_json's search.
class Writer {
 public:
  explicit Writer(Json::object_t& object) : object_(object) {}

  template <class T>
  void operator()(const char* key, const T& value) {
    append(key, value_of(value));
  }

  void device_copies(const char* key, const std::vector<Device>& devices) {
    Json array = Json::array();
    for (const Device& device : devices) {
      for (const Copy& copy : device.copies) {
        Json::object_t entry;
        Writer writer(entry);
        writer("device", device.device);
        fields(writer, copy);
        array.push_back(std::move(entry));
      }
    }
    append(key, std::move(array));
  }

 private:
  void append(const char* key, Json value) {
    static_cast<std::vector<Json::object_t::value_type>&>(object_).emplace_back(key,
                                                                                std::move(value));
  }

  Json::object_t& object_;
};

template <class T>
Json object_of(const T& value) {
  Json::object_t object;
  Writer writer(object);
  fields(writer, value);
  return object;
}

// Lists of numbers may have thousands of entries: they take one line instead of one each. A list
// that holds a string or another list has a quote or a bracket before its end.
std::string numbers_on_one_line(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  std::size_t at = 0;
  bool in_string = false;
  while (at < json.size()) {
    const char c = json[at];
    if (in_string && c == '\\') {
      out.append(json, at, 2);
      at += 2;
      continue;
    }
    if (c == '"') in_string = !in_string;
    const std::size_t end =
        !in_string && c == '[' ? json.find_first_of("]\"{[", at + 1) : std::string::npos;
    if (end == std::string::npos || json[end] != ']') {
      out += c;
      ++at;
      continue;
    }
    for (; at < end; ++at) {
      const bool space = json[at] == ' ' || json[at] == '\n';
      if (!space) out += json[at];
      if (json[at] == ',') out += ' ';
    }
  }
  return out;
}

}  // namespace

std::string to_json(const Report& report) {
  Json::object_t object;
  Writer writer(object);
  writer("schema_version", std::int64_t{report.schema_version});
  fields(writer, report);
  // Names come from the profiled program: bytes that are not UTF-8 become U+FFFD.
  return numbers_on_one_line(
             Json(std::move(object)).dump(2, ' ', false, Json::error_handler_t::replace)) +
         "\n";
}

}  // namespace gapscope::report
