#include "ending.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace fake_driver {

void end_process(const std::string& how, int exit_code) {
  if (how == "return") return;
  std::fflush(stdout);
  if (how == "exit") std::exit(exit_code);
  if (how == "_exit") _exit(exit_code);
  if (how == "quick_exit") std::quick_exit(exit_code);
  if (how == "thread_exit") std::thread([exit_code] { std::exit(exit_code); }).join();
  if (how == "abort") std::abort();
  if (how == "sigterm") raise(SIGTERM);
  if (how == "sigint") raise(SIGINT);
  if (how == "sigkill") raise(SIGKILL);
  if (how == "exception") throw std::runtime_error("scripted exception");
  std::fprintf(stderr, "unknown ending %s\n", how.c_str());
  std::exit(2);
}

}  // namespace fake_driver
