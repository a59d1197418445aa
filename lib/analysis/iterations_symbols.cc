#include "analysis/iterations_symbols.h"

namespace gapscope {
namespace {

enum class Sort : std::uint64_t { name, name_and_grid, graph, copy };

std::uint64_t key(Sort sort, std::uint64_t value, std::uint64_t more = 0) {
  // Any mixing will do: two symbols that fall together do not hurt much.
  std::uint64_t h = (value + 1) * 0x9e3779b97f4a7c15u ^ (more + static_cast<std::uint64_t>(sort));
  h ^= h >> 29;
  h *= 0xbf58476d1ce4e5b9u;
  return h ^ (h >> 32);
}

std::uint64_t grid_of(const Operation& op) {
  return (std::uint64_t{op.grid[0]} * 0x100000001b3u + op.grid[1]) * 0x100000001b3u +
         std::uint64_t{op.grid[2]} * 8;
}

}  // namespace

std::uint16_t SymbolTable::id(std::uint64_t symbol_key) {
  const auto known = ids_.find(symbol_key);
  if (known != ids_.end()) return known->second;
  if (next_ >= kMaxSymbols) return kOther;
  ids_.emplace(symbol_key, next_);
  return next_++;
}

bool SymbolTable::new_graph_launch(const Operation& op) {
  for (const std::uint32_t launch : graph_launches_) {
    if (launch == op.correlation_id) return false;
  }
  graph_launches_[next_launch_] = op.correlation_id;
  next_launch_ = (next_launch_ + 1) % graph_launches_.size();
  return true;
}

void SymbolTable::set_kernel_ids(const Operation& op, IterationSymbol& symbol) {
  const std::uint64_t grid = grid_of(op);
  KernelIds ids;
  if (op.name < kernel_ids_.size()) ids = kernel_ids_[op.name];
  if (!ids.known || ids.grid != grid) {
    ids = {grid, id(key(Sort::name, op.name)), id(key(Sort::name_and_grid, op.name, grid)), true};
    if (op.name < kMaxKernelIds) {
      if (op.name >= kernel_ids_.size()) kernel_ids_.resize(op.name + 1);
      kernel_ids_[op.name] = ids;
    }
  }
  symbol.symbol = ids.symbol;
  symbol.fine_symbol = ids.fine_symbol;
}

IterationSymbol SymbolTable::symbol_of(const Operation& op, bool optimiser) {
  IterationSymbol symbol{};
  symbol.device_ns = op.start_ns;
  symbol.host_ns = op.launch.known() ? op.launch.start_ns : op.start_ns;
  symbol.symbol_class = SymbolClass::kernel;
  if (op.graph_id != 0) {
    symbol.symbol_class = SymbolClass::graph;
    symbol.symbol = symbol.fine_symbol = id(key(Sort::graph, op.graph_id));
  } else if (op.is_kernel()) {
    if (optimiser) symbol.symbol_class = SymbolClass::optimiser;
    set_kernel_ids(op, symbol);
  } else {
    const auto direction = static_cast<CopyDirection>(op.copy_key / (kMemoryKinds * kMemoryKinds));
    symbol.symbol = symbol.fine_symbol = id(key(Sort::copy, static_cast<std::uint64_t>(direction)));
    if (op.kind == RecordKind::copy && direction == CopyDirection::htod) {
      symbol.symbol_class = SymbolClass::htod;
      symbol.symbol = symbol.fine_symbol = kHtod;
    } else if (op.kind == RecordKind::copy && direction == CopyDirection::dtoh) {
      symbol.symbol_class = SymbolClass::sync;
      symbol.symbol = symbol.fine_symbol = kDtoh;
    }
  }
  return symbol;
}

}  // namespace gapscope
