// lib/report/report.schema.json describes what to_json() writes: every field of fields.h, with its
// type, no other, each with a description that names the unit.
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "catch.h"
#include "report/fields.h"

namespace gapscope {
namespace {

using Json = nlohmann::ordered_json;

std::string name_of(const report::Occupancy&) { return "occupancy"; }
std::string name_of(const report::Kernel&) { return "kernel"; }
std::string name_of(const report::Family&) { return "family"; }
std::string name_of(const report::LongGap&) { return "long_gap"; }
std::string name_of(const report::Gaps::Bin&) { return "gap_bin"; }
std::string name_of(const report::Gaps&) { return "gaps"; }
std::string name_of(const report::Evidence&) { return "evidence"; }
std::string name_of(const report::Cause&) { return "cause"; }
std::string name_of(const report::Finding&) { return "finding"; }
std::string name_of(const report::Device::Slice&) { return "slice"; }
std::string name_of(const report::Device&) { return "device"; }
std::string name_of(const report::HostCall&) { return "host_call"; }
std::string name_of(const report::Wait&) { return "wait"; }
std::string name_of(const report::Overlap&) { return "overlap"; }
std::string name_of(const report::StepView::Name&) { return "step_name"; }
std::string name_of(const report::StepView::Track&) { return "step_track"; }
std::string name_of(const report::StepView&) { return "step_view"; }
std::string name_of(const report::Range&) { return "range"; }
std::string name_of(const report::Scope&) { return "scope"; }
std::string name_of(const report::Steps&) { return "steps"; }
std::string name_of(const report::Advice&) { return "advice"; }
std::string name_of(const report::Library&) { return "library"; }
std::string name_of(const report::Package&) { return "package"; }
std::string name_of(const report::Variable&) { return "variable"; }
std::string name_of(const report::Nvml&) { return "nvml"; }
std::string name_of(const report::Gpu&) { return "gpu"; }
std::string name_of(const report::Environment&) { return "environment"; }
std::string name_of(const report::Process&) { return "process"; }
std::string name_of(const report::Records&) { return "records"; }
std::string name_of(const report::Self&) { return "self"; }

// The schema without words, from fields.h.
class Builder {
 public:
  explicit Builder(Json& defs) : defs_(defs) {}

  template <class T>
  void operator()(const char* key, T& value) {
    add(key, of(value));
  }

  void device_copies(const char* key, std::vector<report::Device>&) {
    Json copy = object<report::Copy>();
    copy["properties"]["device"] = of(std::uint32_t{});
    copy["required"].push_back("device");
    defs_["copy"] = copy;
    add(key, {{"type", "array"}, {"items", {{"$ref", "#/$defs/copy"}}}});
  }

  template <class T>
  Json object() {
    Builder builder(defs_);
    T value{};
    report::fields(builder, value);
    return {{"type", "object"},
            {"properties", builder.properties_},
            {"required", builder.required_},
            {"additionalProperties", false}};
  }

 private:
  void add(const char* key, Json schema) {
    properties_[key] = std::move(schema);
    required_.push_back(key);
  }

  static Json of(const std::string&) { return {{"type", "string"}}; }
  static Json of(bool) { return {{"type", "boolean"}}; }
  static Json of(std::int64_t) { return {{"type", "integer"}}; }
  static Json of(std::uint64_t) { return {{"type", "integer"}, {"minimum", 0}}; }
  static Json of(std::uint32_t) { return {{"type", "integer"}, {"minimum", 0}}; }
  static Json of(double) { return {{"type", "number"}}; }
  static Json of(const std::uint32_t (&)[3]) {
    return {{"type", "array"}, {"items", of(std::uint32_t{})}, {"minItems", 3}, {"maxItems", 3}};
  }
  template <class T>
  Json of(const std::optional<T>&) {
    return {{"anyOf", Json::array({of(T{}), Json{{"type", "null"}}})}};
  }
  template <class T>
  Json of(const std::vector<T>&) {
    return {{"type", "array"}, {"items", of(T{})}};
  }
  template <class T>
  Json of(const T& value) {
    const std::string name = name_of(value);
    if (!defs_.contains(name)) defs_[name] = object<T>();
    return {{"$ref", "#/$defs/" + name}};
  }

  Json& defs_;
  Json properties_ = Json::object();
  Json required_ = Json::array();
};

Json read_schema() {
  std::ifstream file(GAPSCOPE_SOURCE_DIR "/lib/report/report.schema.json");
  REQUIRE(file);
  return Json::parse(file);
}

Json without_words(const Json& schema) {
  if (!schema.is_structured()) return schema;
  Json out = schema.is_array() ? Json::array() : Json::object();
  for (const auto& [key, value] : schema.items()) {
    if (schema.is_array()) {
      out.push_back(without_words(value));
    } else if (key != "description") {
      out[key] = without_words(value);
    }
  }
  return out;
}

std::vector<std::string> sorted(const Json& strings) {
  auto out = strings.get<std::vector<std::string>>();
  std::sort(out.begin(), out.end());
  return out;
}

void check_object(const std::string& name, const Json& written, const Json& wanted) {
  INFO(name);
  REQUIRE(written.contains("properties"));
  for (const auto& [key, value] : wanted["properties"].items()) {
    INFO("property " << key << " must be " << value.dump());
    REQUIRE(written["properties"].contains(key));
    CHECK(nlohmann::json(written["properties"][key]) == nlohmann::json(value));
  }
  CHECK(written["properties"].size() == wanted["properties"].size());
  CHECK(sorted(written["required"]) == sorted(wanted["required"]));
  CHECK(written["additionalProperties"] == false);
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

void check_words(const std::string& name, const Json& object) {
  for (const auto& [key, value] : object["properties"].items()) {
    INFO(name << "." << key);
    REQUIRE(value.contains("description"));
    const auto words = value["description"].get<std::string>();
    CHECK(words.size() > 10);
    if (ends_with(key, "_ns") || key == "ns") {
      CHECK(words.find("anoseconds") != std::string::npos);
    }
    if (ends_with(key, "_ms")) CHECK(words.find("illiseconds") != std::string::npos);
    if (key.find("bytes") != std::string::npos) CHECK(words.find("ytes") != std::string::npos);
  }
}

TEST_CASE("the JSON schema has every field of the report and no other") {
  Json defs = Json::object();
  Json root = Builder(defs).object<report::Report>();
  root["properties"]["schema_version"] = {{"type", "integer"}, {"const", report::kSchemaVersion}};
  root["required"].push_back("schema_version");

  const Json written = without_words(read_schema());
  check_object("the report", written, root);
  for (const auto& [name, wanted] : defs.items()) {
    INFO("$defs/" << name << " must be " << wanted.dump(1));
    REQUIRE(written["$defs"].contains(name));
    check_object(name, written["$defs"][name], wanted);
  }
  CHECK(written["$defs"].size() == defs.size());
}

TEST_CASE("the JSON schema describes every field with its unit") {
  const Json written = read_schema();
  check_words("report", written);
  for (const auto& [name, object] : written["$defs"].items()) check_words(name, object);
}

}  // namespace
}  // namespace gapscope
