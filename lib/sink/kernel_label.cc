#include "sink/kernel_label.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "sink/safe_text.h"

namespace gapscope::sink {
namespace {

// Length of what all names of a group begin with, back to the last separator before it.
std::size_t common_begin(const std::vector<std::string_view>& names) {
  std::size_t length = names.front().size();
  for (const std::string_view name : names) {
    const auto differ =
        std::mismatch(name.begin(), name.end(), names.front().begin(), names.front().end());
    length = std::min(length, static_cast<std::size_t>(differ.first - name.begin()));
  }
  while (length > 0) {
    const char before = names.front()[length - 1];
    if (before == '_' || before == '<' || before == ',' || before == ':' || before == ' ') break;
    --length;
  }
  return length;
}

// Head of the name, then what follows the first `common` bytes.
std::string label_from(std::string_view name, std::size_t common, std::size_t width, bool utf8) {
  const std::size_t head = fitting_bytes(name.substr(0, common), width * 2 / 5);
  if (head >= common) return cut(name, width, utf8);
  std::string label = cut(name, columns(name.substr(0, head)) + (utf8 ? 1 : 2), utf8);
  const std::size_t left = width - std::min(width, columns(label));
  return label += cut(name.substr(common), left, utf8);
}

}  // namespace

std::vector<std::string> kernel_labels(const std::vector<std::string>& names, std::size_t width,
                                       bool utf8) {
  std::vector<std::string> labels;
  std::map<std::string, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < names.size(); ++i) {
    labels.push_back(folded_name(names[i], width, utf8));
    alike[labels.back()].push_back(i);
  }
  for (const auto& [label, group] : alike) {
    std::vector<std::string_view> distinct;
    for (const std::size_t i : group) distinct.push_back(names[i]);
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    if (distinct.size() < 2) continue;
    const std::size_t common = common_begin(distinct);
    for (const std::size_t i : group) labels[i] = label_from(names[i], common, width, utf8);
  }
  return labels;
}

}  // namespace gapscope::sink
