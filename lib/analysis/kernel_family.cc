#include "analysis/kernel_family.h"

#include <string>

#include "absl/strings/ascii.h"

namespace gapscope {
namespace {

constexpr FamilyRule kRules[] = {
    {"^nccldevkernel", "communication"}, {"^ncclkernel", "communication"},
    {"^nvshmem", "communication"},       {"gemm", "GEMM"},
    {"elementwise", "element-wise"},     {"reduce", "reduction"},
};

bool matches(std::string_view name, std::string_view pattern) {
  if (pattern.front() != '^') return name.find(pattern) != std::string_view::npos;
  pattern.remove_prefix(1);
  for (std::size_t at = name.find(pattern); at != std::string_view::npos;
       at = name.find(pattern, at + 1)) {
    if (at == 0 || name[at - 1] == ':') return true;
  }
  return false;
}

}  // namespace

absl::Span<const FamilyRule> family_rules() { return kRules; }

std::string_view kernel_family(std::string_view path, std::string_view short_name,
                               std::string_view /*full_name*/) {
  const std::string lower_path = absl::AsciiStrToLower(path);
  const std::string lower_short = absl::AsciiStrToLower(short_name);
  for (const FamilyRule& rule : kRules) {
    const bool communication = rule.family == kCommunicationFamily;
    if (matches(communication ? lower_path : lower_short, rule.pattern)) return rule.family;
  }
  return "other";
}

}  // namespace gapscope
