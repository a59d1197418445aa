#include "cli/progress_bar.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "runtime/file_output.h"

namespace gapscope::cli {

ProgressBar::ProgressBar(std::string what)
    : what_(std::move(what)),
      terminal_(isatty(STDERR_FILENO) == 1),
      next_(Clock::now() + std::chrono::milliseconds(500)) {}

ProgressBar::~ProgressBar() {
  if (drawn_) write_all(STDERR_FILENO, "\r\x1b[K");
}

void ProgressBar::update(std::uint64_t done, std::uint64_t total) {
  if (!terminal_ || total == 0) return;
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  drawn_ = true;
  constexpr std::size_t kWidth = 40;
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  std::string bar(kWidth, '.');
  std::fill_n(bar.begin(), static_cast<std::size_t>(share * kWidth), '#');
  write_all(STDERR_FILENO, fmt::format("\r{} [{}] {:3.0f} %\x1b[K", what_, bar, share * 100));
}

}  // namespace gapscope::cli
