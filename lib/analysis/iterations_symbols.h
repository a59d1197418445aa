// From a device's operations and the host's synchronisations to a sequence of symbols, in which a
// training loop shows as a repetition.
//
// A symbol is what runs, not how long: a kernel's name, a copy's direction, a launch of a graph
// (all of its operations together). Bounded: kMaxSymbols; further ones share symbol 0.
// Thread-safety: none, one owner.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/operation.h"

namespace gapscope {

// What tells a step: an optimiser's kernels, input, output or waiting, a pause, a graph launch.
enum class SymbolClass : std::uint8_t { optimiser, htod, sync, idle, graph, kernel };
inline constexpr int kSymbolClasses = 6;

struct IterationSymbol {
  std::int64_t host_ns;    // entry of the launch where known, else as device_ns
  std::int64_t device_ns;  // begin of the operation, end of the call
  std::uint16_t symbol;
  std::uint16_t fine_symbol;  // the same, told apart by the kernel's grid as well
  SymbolClass symbol_class;
  bool begins;  // the one before was of another class: a burst begins

  // Optimisers run once for several iterations, pauses come as they like: neither counts in
  // distances and similarities.
  std::uint32_t weight() const {
    return symbol_class == SymbolClass::optimiser || symbol_class == SymbolClass::idle ? 0 : 1;
  }
  std::uint16_t id(bool fine) const { return fine ? fine_symbol : symbol; }
};

class SymbolTable {
 public:
  static constexpr std::uint16_t kMaxSymbols = 4096;  // of each sort
  static constexpr std::int64_t kIdleNs = 1'000'000;  // a pause of the device

  // Calls f(IterationSymbol) for each symbol that the operation is: none within a graph launch, a
  // pause first where the device was idle before it. In order of start. optimiser: the kernel's
  // family.
  template <typename F>
  void operation(const Operation& op, bool optimiser, F&& f) {
    if (end_ns_ != kNever && op.start_ns - end_ns_ >= kIdleNs) {
      emit({end_ns_, end_ns_, kIdle, kIdle, SymbolClass::idle, true}, f);
    }
    end_ns_ = std::max(end_ns_, op.end_ns);
    if (op.graph_id != 0 && op.kind != RecordKind::graph && !new_graph_launch(op)) return;
    emit(symbol_of(op, optimiser), f);
  }
  // A call that waited ended; not before the last operation began.
  template <typename F>
  void synchronised(std::int64_t end_ns, F&& f) {
    emit({end_ns, end_ns, kSync, kSync, SymbolClass::sync, true}, f);
  }

 private:
  enum : std::uint16_t { kOther, kIdle, kSync, kHtod, kDtoh, kFirstFree };

  template <typename F>
  void emit(IterationSymbol symbol, F&& f) {
    symbol.begins = symbol.symbol_class != last_class_;
    if (symbol.symbol_class != SymbolClass::idle) last_class_ = symbol.symbol_class;
    f(symbol);
  }
  IterationSymbol symbol_of(const Operation& op, bool optimiser);
  bool new_graph_launch(const Operation& op);
  std::uint16_t id(std::uint64_t key);
  void set_kernel_ids(const Operation& op, IterationSymbol& symbol);

  // The ids that a kernel's name had last; most kernels keep their grid.
  struct KernelIds {
    std::uint64_t grid = 0;
    std::uint16_t symbol = 0;
    std::uint16_t fine_symbol = 0;
    bool known = false;
  };
  static constexpr std::uint32_t kMaxKernelIds = 1u << 16;

  std::vector<KernelIds> kernel_ids_;  // by the name's index
  absl::flat_hash_map<std::uint64_t, std::uint16_t> ids_;
  std::uint16_t next_ = kFirstFree;
  std::int64_t end_ns_ = kNever;
  SymbolClass last_class_ = SymbolClass::idle;
  std::array<std::uint32_t, 4> graph_launches_{};  // correlation ids of the last ones
  std::size_t next_launch_ = 0;
};

}  // namespace gapscope
