#include "cli/json_path.h"

#include <charconv>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"

namespace gapscope::cli {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> parts;
  if (!path.empty() && path.front() == '/') {
    for (const std::string_view part : absl::StrSplit(path.substr(1), '/')) {
      parts.push_back(absl::StrReplaceAll(part, {{"~1", "/"}, {"~0", "~"}}));
    }
    if (parts.size() == 1 && parts[0].empty()) parts.clear();
    return parts;
  }
  const std::string dotted = absl::StrReplaceAll(path, {{"[", "."}, {"]", ""}});
  for (const std::string_view part : absl::StrSplit(dotted, '.', absl::SkipEmpty())) {
    parts.emplace_back(part);
  }
  return parts;
}

std::string what_is_there(const Json& value) {
  if (value.is_array()) return absl::StrCat("it has ", value.size(), " entries, from 0");
  if (!value.is_object()) return "it is a single value";
  std::vector<std::string> keys;
  for (const auto& item : value.items()) keys.push_back(item.key());
  return absl::StrCat("it has ", absl::StrJoin(keys, ", "));
}

const Json* child(const Json& value, const std::string& part) {
  if (value.is_object()) {
    const auto found = value.find(part);
    return found == value.end() ? nullptr : &*found;
  }
  if (!value.is_array()) return nullptr;
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
  if (error != std::errc() || end != part.data() + part.size()) return nullptr;
  return index < value.size() ? &value[index] : nullptr;
}

}  // namespace

absl::StatusOr<std::string> select_json(std::string_view document, std::string_view path) {
  const Json root = Json::parse(document.begin(), document.end(), nullptr, false);
  if (root.is_discarded()) return absl::InvalidArgumentError("not JSON");
  const Json* value = &root;
  std::string so_far;
  for (const std::string& part : split_path(path)) {
    const Json* next = child(*value, part);
    if (next == nullptr) {
      return absl::NotFoundError(absl::StrCat("no '", part, "' in ",
                                              so_far.empty() ? "the report" : so_far, ": ",
                                              what_is_there(*value)));
    }
    absl::StrAppend(&so_far, so_far.empty() ? "" : ".", part);
    value = next;
  }
  if (value->is_string()) return value->get<std::string>() + "\n";
  return value->dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gapscope::cli
