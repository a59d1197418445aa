#include "analysis/names.h"

#include <utility>

namespace gapscope {
namespace {

constexpr std::uint64_t kGraphKey = std::uint64_t{1} << 32;

KernelName plain_name(std::string text, std::string_view family) {
  KernelName name;
  name.short_name = text;
  name.full_name = std::move(text);
  name.family = family;
  return name;
}

}  // namespace

NameTable::NameTable(std::size_t max_names) : max_names_(max_names) {
  names_.emplace_back();
  communication_.push_back(false);
  optimiser_.push_back(false);
  resolve(kOther, plain_name("(other)", "other"));
}

void NameTable::define(std::uint32_t id, std::string_view text) {
  if (strings_.size() >= kMaxStrings || string_bytes_ + text.size() > kMaxStringBytes) return;
  if (!strings_.try_emplace(id, text).second) return;
  string_bytes_ += text.size();
  // A kernel may have used the id before it was defined.
  const auto known = indices_.find(id);
  if (known != indices_.end() && known->second != kOther && !names_[known->second].resolved) {
    resolve(known->second, parse_kernel_name(text));
  }
}

std::string_view NameTable::string(std::uint32_t id) const {
  const auto found = strings_.find(id);
  return found == strings_.end() ? std::string_view() : std::string_view(found->second);
}

std::uint32_t NameTable::index_of(std::uint64_t key) {
  const auto known = indices_.find(key);
  if (known != indices_.end()) return known->second;
  if (names_.size() > max_names_) return kOther;
  const auto index = static_cast<std::uint32_t>(names_.size());
  indices_.emplace(key, index);
  names_.emplace_back();
  communication_.push_back(false);
  optimiser_.push_back(false);
  return index;
}

void NameTable::resolve(std::uint32_t index, KernelName name) {
  communication_[index] = name.communication;
  optimiser_[index] = name.optimiser;
  names_[index] = {std::move(name), true};
}

std::uint32_t NameTable::find_kernel(std::uint32_t string_id) {
  const std::uint32_t index = index_of(string_id);
  if (!names_[index].resolved && names_[index].name.short_name.empty()) {
    const auto found = strings_.find(string_id);
    if (found != strings_.end()) {
      resolve(index, parse_kernel_name(found->second));
    } else {
      names_[index].name = plain_name("(unnamed kernel)", "other");
    }
  }
  if (names_[index].resolved && string_id < kMaxStrings) {
    if (string_id >= resolved_.size()) resolved_.resize(string_id + 1, kUnresolved);
    resolved_[string_id] = index;
  }
  return index;
}

std::uint32_t NameTable::graph(std::uint32_t graph_id) {
  const std::uint32_t index = index_of(kGraphKey | graph_id);
  if (!names_[index].resolved) {
    resolve(index, plain_name("(graph " + std::to_string(graph_id) + ")", "whole graph"));
  }
  return index;
}

}  // namespace gapscope
