// A program that uses CUDA, for tests without a GPU.
//
//   fake_driver SCENARIO [--truth FILE] [--cupti FILE] [--threads N] [--operations N]
//               [--end HOW] [--exit-code N] [--pause-ms N] [--init-ms N] [--thread-pause-us N]
//               [--step-s N] [--fork-first N] [--until FILE] [--sigterm WHEN] [--file-limit BYTES]
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "ending.h"
#include "scenario.h"
#include "start.h"

namespace {

using fake_driver::Settings;

bool parse(int argc, char** argv, Settings& s) {
  if (argc < 2) return false;
  s.self = argv[0];
  s.scenario = argv[1];
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const std::string value = argv[i + 1];
    const auto number = static_cast<std::uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
    if (name == "--truth")
      s.truth_path = value;
    else if (name == "--cupti")
      s.cupti = value;
    else if (name == "--end")
      s.end = value;
    else if (name == "--exit-code")
      s.exit_code = static_cast<int>(number);
    else if (name == "--threads")
      s.threads = number;
    else if (name == "--operations")
      s.operations = number;
    else if (name == "--pause-ms")
      s.pause_ms = number;
    else if (name == "--thread-pause-us")
      s.thread_pause_us = number;
    else if (name == "--step-s")
      s.step_s = std::strtol(value.c_str(), nullptr, 10);
    else if (name == "--fork-first")
      s.fork_first = number;
    else if (name == "--init-ms")
      s.init_ms = number;
    else if (name == "--file-limit")
      s.file_limit = number;
    else if (name == "--until")
      s.until = value;
    else if (name == "--sigterm")
      s.sigterm = value;
    else
      return false;
  }
  return argc % 2 == 0;
}

// Workers that each use CUDA: forked before it starts here. A child's truth has its number.
void fork_first(Settings& settings) {
  std::fflush(stdout);
  for (std::uint32_t i = 0; i < settings.fork_first; ++i) {
    if (fork() != 0) continue;
    settings.truth_path += "." + std::to_string(i);
    settings.fork_first = 0;
    return;
  }
}

// No file of this process may grow beyond that; 0: as it was started.
void limit_files(std::uint32_t bytes) {
  static const rlimit before = [] {
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    return limit;
  }();
  rlimit limit = before;
  if (bytes != 0) limit.rlim_cur = bytes;
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  if (!parse(argc, argv, settings)) {
    std::fprintf(stderr, "usage: fake_driver SCENARIO [--OPTION VALUE]...\n");
    return 2;
  }
  const fake_driver::Scenario scenario = fake_driver::find_scenario(settings.scenario);
  if (scenario == nullptr) {
    std::fprintf(stderr, "no scenario %s\n", settings.scenario.c_str());
    return 2;
  }
  // Threads may still launch while the process exits.
  static auto* const never_destroyed = new fake_driver::CudaProcess;
  auto& cuda = *never_destroyed;
  std::printf("training %s\n", settings.scenario.c_str());
  if (!settings.cupti.empty() && !cuda.map_cupti(settings.cupti)) return 2;
  if (!fake_driver::start_library()) return 2;
  fork_first(settings);
  if (settings.sigterm == "before") fake_driver::handle_sigterm();
  limit_files(settings.file_limit);
  if (settings.scenario != "no_cuda") cuda.init(settings.init_ms);
  if (settings.sigterm == "after") fake_driver::handle_sigterm();
  scenario(cuda, settings);
  cuda.truth().set("injected", cuda.injected() ? 1 : 0);
  if (settings.pause_ms != 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(settings.pause_ms));
  }
  limit_files(0);  // the truth is not what is tried
  if (!settings.truth_path.empty() && !cuda.truth().write(settings.truth_path)) return 2;
  limit_files(settings.file_limit);
  for (std::uint32_t i = 0; i < settings.fork_first; ++i) wait(nullptr);
  std::printf("loss 0.25\n");
  if (!settings.until.empty()) {
    std::fflush(stdout);
    while (access(settings.until.c_str(), F_OK) != 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  fake_driver::end_process(settings.end, settings.exit_code);
  return settings.exit_code;
}
