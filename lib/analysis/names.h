// Names of kernels: from string ids of the stream to dense indices and demangled names.
//
// Bounded: at most max_names distinct kernels (further ones share index kOther) and kMaxStrings
// defined strings of kMaxStringBytes in all.
// Thread-safety: none, one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/kernel_name.h"

namespace gapscope {

class NameTable {
 public:
  static constexpr std::uint32_t kOther = 0;  // "(other)"
  static constexpr std::size_t kMaxStrings = 1u << 18;
  static constexpr std::size_t kMaxStringBytes = 64u << 20;

  explicit NameTable(std::size_t max_names);

  // A string was defined. The first definition of an id stays.
  void define(std::uint32_t id, std::string_view text);
  // Empty when not defined.
  std::string_view string(std::uint32_t id) const;

  // The dense index of a kernel's name; made on first sight.
  std::uint32_t kernel(std::uint32_t string_id) {
    if (string_id < resolved_.size() && resolved_[string_id] != kUnresolved) {
      return resolved_[string_id];
    }
    return find_kernel(string_id);
  }
  // Of a graph that is traced as a whole.
  std::uint32_t graph(std::uint32_t graph_id);

  const KernelName& name(std::uint32_t index) const { return names_[index].name; }
  bool communication(std::uint32_t index) const { return communication_[index]; }
  bool optimiser(std::uint32_t index) const { return optimiser_[index]; }
  std::size_t size() const { return names_.size(); }

 private:
  static constexpr std::uint32_t kUnresolved = 0xffffffffu;
  struct Entry {
    KernelName name;
    bool resolved = false;
  };
  std::uint32_t index_of(std::uint64_t key);
  std::uint32_t find_kernel(std::uint32_t string_id);
  void resolve(std::uint32_t index, KernelName name);

  std::size_t max_names_;
  std::size_t string_bytes_ = 0;
  absl::flat_hash_map<std::uint32_t, std::string> strings_;
  absl::flat_hash_map<std::uint64_t, std::uint32_t> indices_;
  std::vector<Entry> names_;
  std::vector<bool> communication_, optimiser_;  // of names_
  // By string id, as far as ids are small: the index of a name that will not change any more.
  std::vector<std::uint32_t> resolved_;
};

}  // namespace gapscope
