#include "analysis/iterations.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace gapscope {
namespace {

bool same_level(const IterationLevel& a, const IterationLevel& b) {
  return std::abs(a.period - b.period) <= 2 * LevelRules::kTolerance * std::min(a.period, b.period);
}

}  // namespace

IterationFinder::Found IterationFinder::operation(const Operation& op, bool optimiser) {
  if (!device_) device_ = op.device;
  if (*device_ != op.device) return Found::nothing;
  boundaries_.clear();
  Found found = Found::nothing;
  symbols_.operation(op, optimiser,
                     [&](const IterationSymbol& symbol) { found = std::max(found, add(symbol)); });
  return found;
}

IterationFinder::Found IterationFinder::synchronised(std::int64_t end_ns) {
  if (!device_) return Found::nothing;
  boundaries_.clear();
  Found found = Found::nothing;
  symbols_.synchronised(end_ns, [&](const IterationSymbol& symbol) { found = add(symbol); });
  return found;
}

IterationFinder::Found IterationFinder::add(const IterationSymbol& symbol) {
  Found found = Found::nothing;
  if (level_) found = follow(symbol);
  if (!searching_) return found;
  if (piece_.size() >= kMaxPiece) {
    piece_.erase(piece_.begin(), piece_.begin() + kMaxPiece / 2);
    let_go_ += kMaxPiece / 2;
  }
  piece_.push_back(symbol);
  if (piece_.size() + let_go_ < next_look_) return found;
  return std::max(found, look());
}

IterationFinder::Found IterationFinder::look() {
  const std::size_t length = piece_.size() + let_go_;
  const std::optional<IterationLevel> level = find_iteration_level(piece_);
  const bool twice = level && candidate_ && same_level(*level, *candidate_);
  candidate_ = level;
  // Half as much again; when the piece is full, ever more rarely.
  next_look_ = length < kMaxPiece ? std::min(length + length / 2, kMaxPiece) : length * 2;
  if (twice && wanted(*level)) return take(*level);
  // The whole piece confirms what was found, or knows nothing better.
  if (length >= kMaxPiece && level_ && fits()) stop_search();
  return Found::nothing;
}

IterationFinder::Found IterationFinder::finish() {
  boundaries_.clear();
  if (level_ || piece_.size() < kFirstLook) return Found::nothing;
  const std::optional<IterationLevel> level = find_iteration_level(piece_);
  if (!level) return Found::nothing;
  // It must have been there when a third of it was still to come.
  const auto third = static_cast<std::size_t>(level->span / 3);
  candidate_ = find_iteration_level(absl::MakeConstSpan(piece_).first(piece_.size() - third));
  if (!candidate_ || !same_level(*level, *candidate_)) return Found::nothing;
  return take(*level);
}

void IterationFinder::stop_search() {
  searching_ = anew_ = false;
  candidate_.reset();
  piece_ = {};
}

bool IterationFinder::fits() const {
  return unfit_ <= std::max(kLostSymbols, 2 * kTooLong * level_->period);
}

bool IterationFinder::wanted(const IterationLevel& level) const {
  if (!level_) return true;
  if (same_level(level, *level_) && fits()) return false;
  // While the first piece grows it only gets better; later, the loop that lasted longer stays.
  return (let_go_ == 0 && fits()) || unfit_ > fitted_;
}

// Counts the iterations of the piece.
IterationFinder::Found IterationFinder::take(const IterationLevel& level) {
  level_ = level;
  in_iteration_ = false;
  optimiser_seen_ = false;
  unfit_ = fitted_ = 0;
  iterations_ = with_optimiser_ = 0;
  anew_ = false;
  boundaries_.clear();
  for (const IterationSymbol& symbol : piece_) follow(symbol);
  return Found::loop;
}

void IterationFinder::boundary(const IterationSymbol& symbol, bool resumes) {
  boundaries_.push_back({symbol.host_ns, symbol.device_ns, resumes});
  in_iteration_ = true;
  present_ = SymbolSketch();
  optimiser_seen_ = false;
}

IterationFinder::Found IterationFinder::follow(const IterationSymbol& symbol) {
  Found found = Found::nothing;
  if (level_->anchor.at(symbol)) {
    if (in_whole_iteration()) {
      ++iterations_;
      if (optimiser_seen_) ++with_optimiser_;
      fitted_ += present_.length;
      unfit_ = 0;
      boundary(symbol, false);
      found = Found::boundary;
      if (anew_) stop_search();
    } else if (!in_iteration_ || present_.length > kTooLong * level_->period) {
      boundary(symbol, true);
      found = Found::boundary;
    }
  }
  present_.add(symbol.id(level_->anchor.fine), symbol.weight());
  unfit_ += symbol.weight();
  if (symbol.symbol_class == SymbolClass::optimiser) optimiser_seen_ = true;
  if (!searching_ && unfit_ > std::max(kLostSymbols, kLostPeriods * level_->period)) search_anew();
  return found;
}

void IterationFinder::search_anew() {
  searching_ = anew_ = true;
  let_go_ = 0;
  next_look_ = kFirstLook;
}

std::int64_t IterationFinder::iterations_per_optimiser_step() const {
  if (with_optimiser_ < 3) return 0;
  return (iterations_ + with_optimiser_ / 2) / with_optimiser_;
}

std::string IterationFinder::source() const {
  if (!level_) return {};
  const std::int64_t k = iterations_per_optimiser_step();
  return k > 1 ? absl::StrCat("detected, ", k, " per optimiser step") : "detected";
}

}  // namespace gapscope
