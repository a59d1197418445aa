#include "log.h"

#include <fcntl.h>
#include <unistd.h>

namespace fake_cupti {

Log::Log(const std::string& path) {
  if (!path.empty()) fd_ = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

void Log::violation(const std::string& text) {
  violations_.fetch_add(1, std::memory_order_relaxed);
  line("violation: ", text);
}

void Log::event(const std::string& text) { line("event: ", text); }

void Log::line(const char* kind, const std::string& text) {
  if (fd_ < 0) return;
  const std::string whole = kind + text + " [pid " + std::to_string(getpid()) + "]\n";
  // One write a line: lines of several threads and processes do not mix.
  if (write(fd_, whole.data(), whole.size()) < 0) fd_ = -1;
}

}  // namespace fake_cupti
