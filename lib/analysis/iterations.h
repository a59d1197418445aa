// Iterations of a program that marks no steps, found in what it launches.
//
// The beginning of the stream is kept and looked at again and again as it grows by half, until
// find_iteration_level() finds the same level twice. From then on iterations are counted where the
// level's anchor occurs and what lies since the last iteration's begin is like the typical one;
// other occurrences are passed over, so a few kernels more or less or an evaluation phase do no
// harm. While the kept piece still grows, a level found twice that differs replaces the first: what
// looked like a loop was a layer. Once nothing has fitted for long, the search begins anew; another
// loop is taken only when it has lasted longer than the first, so an evaluation never replaces
// training.
//
// One device (the first seen) stands for all. Bounded: kMaxPiece symbols of 24 bytes while
// searching, nothing but a sketch afterwards; SymbolTable. Thread-safety: none, one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/iterations_levels.h"
#include "analysis/iterations_symbols.h"
#include "analysis/operation.h"

namespace gapscope {

struct IterationBoundary {
  std::int64_t host_ns = 0;    // entry of the call that launched the first operation
  std::int64_t device_ns = 0;  // its begin on the device
  bool resumes = false;        // no iteration ends here, one only begins
};

class IterationFinder {
 public:
  static constexpr std::size_t kFirstLook = 16;
  static constexpr std::size_t kMaxPiece = 1u << 16;
  static constexpr double kFollowAlike = 0.2;  // difference from the typical iteration
  static constexpr double kTooLong = 1.5;      // times the period: the iteration is given up
  static constexpr double kLostPeriods = 32;
  static constexpr double kLostSymbols = 4096;

  // What an event led to.
  enum class Found : std::uint8_t {
    nothing,
    boundary,  // boundaries() has one more
    loop       // a loop was found: boundaries() are its so far. All earlier ones are void.
  };

  // In the sweep's order: operations at their start, waits (blocking calls) at their end.
  // optimiser: the kernel's family is "optimiser".
  Found operation(const Operation& op, bool optimiser);
  Found synchronised(std::int64_t end_ns);
  // The end of the run: a last look, for programs too short for two.
  Found finish();

  // Of the last event, in order of time.
  const std::vector<IterationBoundary>& boundaries() const { return boundaries_; }

  bool any() const { return level_.has_value(); }
  // Whether what came since the last boundary is a whole iteration.
  bool in_whole_iteration() const { return in_iteration_ && alike(); }
  std::int64_t iterations() const { return iterations_; }
  // Gradient accumulation: 0 when it cannot be told.
  std::int64_t iterations_per_optimiser_step() const;
  // "detected", "detected, 4 per optimiser step"; empty when there are none.
  std::string source() const;
  std::size_t held() const { return piece_.size(); }

 private:
  Found add(const IterationSymbol& symbol);
  Found look();
  Found take(const IterationLevel& level);
  Found follow(const IterationSymbol& symbol);
  void boundary(const IterationSymbol& symbol, bool resumes);
  void search_anew();
  void stop_search();
  bool wanted(const IterationLevel& level) const;
  bool fits() const;  // the loop that was found, lately
  bool alike() const {
    return present_.length > 0 && present_.difference(level_->typical) <= kFollowAlike;
  }

  SymbolTable symbols_;
  std::optional<std::uint8_t> device_;

  // Search.
  bool searching_ = true;
  bool anew_ = false;  // the loop that was found no longer fits
  std::vector<IterationSymbol> piece_;
  std::size_t next_look_ = kFirstLook;  // symbols of the piece, those that were let go included
  std::size_t let_go_ = 0;
  std::optional<IterationLevel> candidate_;

  // The loop.
  std::optional<IterationLevel> level_;
  bool in_iteration_ = false;
  SymbolSketch present_;
  bool optimiser_seen_ = false;
  double unfit_ = 0;   // symbols since the last iteration's end
  double fitted_ = 0;  // symbols in iterations
  std::int64_t iterations_ = 0;
  std::int64_t with_optimiser_ = 0;
  std::vector<IterationBoundary> boundaries_;
};

}  // namespace gapscope
