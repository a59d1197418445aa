#include "ending.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace fake_driver {
namespace {

// As a graceful program does: it says so and leaves by exit().
void leave_on_sigterm(int) {
  const char text[] = "own handler\n";
  (void)!write(STDOUT_FILENO, text, sizeof text - 1);
  std::exit(17);
}

}  // namespace

void handle_sigterm() { signal(SIGTERM, &leave_on_sigterm); }

void end_process(const std::string& how, int exit_code) {
  if (how == "return") return;
  std::fflush(stdout);
  if (how == "exit") std::exit(exit_code);
  if (how == "_exit") _exit(exit_code);
  if (how == "two_exits") {  // the second thread comes while the first one's end is under way
    std::thread([exit_code] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      _exit(exit_code);
    }).detach();
    _exit(exit_code);
  }
  if (how == "quick_exit") std::quick_exit(exit_code);
  if (how == "thread_exit") std::thread([exit_code] { std::exit(exit_code); }).join();
  if (how == "abort") std::abort();
  if (how == "sigterm") raise(SIGTERM);
  if (how == "wait") std::this_thread::sleep_for(std::chrono::hours(1));
  if (how == "sigint") raise(SIGINT);
  if (how == "sigkill") raise(SIGKILL);
  if (how == "exception") throw std::runtime_error("scripted exception");
  std::fprintf(stderr, "unknown ending %s\n", how.c_str());
  std::exit(2);
}

}  // namespace fake_driver
