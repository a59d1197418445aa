#include "cli/doctor_system.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/doctor_cuda.h"
#include "cli/library_path.h"
#include "environment/elf_soname.h"
#include "report/report_json.h"
#include "runtime/clock.h"

namespace gapscope::cli {
namespace {

constexpr std::uint64_t kChildNs = 60'000'000'000;
constexpr std::size_t kMostWords = 4096;
constexpr char kSeparator = '\n';

struct Pipe {
  int read = -1, write = -1;
};

Pipe make_pipe() {
  int fds[2];
  return pipe2(fds, O_CLOEXEC) == 0 ? Pipe{fds[0], fds[1]} : Pipe{};
}

[[noreturn]] void work_in_child(const std::function<std::string()>& work, const Pipe& answer,
                                const Pipe& words) {
  dup2(words.write, STDERR_FILENO);
  dup2(words.write, STDOUT_FILENO);
  const std::string text = work();
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = write(answer.write, text.data() + at, text.size() - at);
    if (n <= 0) break;
    at += static_cast<std::size_t>(n);
  }
  _exit(0);
}

// The answer until its end, and the words that have come until then: whatever the driver starts may
// keep those open. False when time is up.
bool read_both(int answer, int words, std::string& text, std::string& said) {
  const std::uint64_t deadline = monotonic_ns() + kChildNs;
  pollfd fds[2] = {{answer, POLLIN, 0}, {words, POLLIN, 0}};
  std::string* into[2] = {&text, &said};
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    const std::uint64_t now = monotonic_ns();
    if (now >= deadline) return false;
    const int wait_ms = fds[0].fd < 0 ? 0 : static_cast<int>((deadline - now) / 1'000'000) + 1;
    const int ready = poll(fds, 2, wait_ms);
    if (ready < 0 && errno != EINTR) return false;
    if (ready == 0 && fds[0].fd < 0) return true;
    for (int i = 0; i < 2; ++i) {
      if (ready <= 0 || fds[i].fd < 0 || fds[i].revents == 0) continue;
      char chunk[4096];
      const ssize_t n = read(fds[i].fd, chunk, sizeof chunk);
      if (n <= 0) {
        fds[i].fd = -1;
      } else if (into[i]->size() < kMostWords) {
        into[i]->append(chunk, static_cast<std::size_t>(n));
      }
    }
  }
  return true;
}

std::string ending_text(int state) {
  if (WIFSIGNALED(state)) {
    return absl::StrCat("ended by signal ", WTERMSIG(state), " (", strsignal(WTERMSIG(state)), ")");
  }
  return absl::StrCat("ended with exit code ", WEXITSTATUS(state));
}

std::string load_error(const std::string& path, const std::string& symbol) {
  const ChildAnswer answer = ask_in_child([&]() -> std::string {
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return dlerror();
    if (dlsym(handle, symbol.c_str()) == nullptr) return absl::StrCat(path, " has no ", symbol);
    return "";
  });
  return answer.failure.empty() ? answer.text : absl::StrCat(path, ": ", answer.failure);
}

std::string file_of_symbol(void* symbol) {
  Dl_info info{};
  return dladdr(symbol, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "?";
}

CuptiAnswer ask_cupti(const std::vector<std::string>& paths) {
  const ChildAnswer answer = ask_in_child([&]() -> std::string {
    std::string last;
    for (const std::string& path : paths) {
      void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle == nullptr) {
        if (path[0] == '/' && std::filesystem::exists(path)) last = dlerror();
        continue;
      }
      auto* get_version =
          reinterpret_cast<int (*)(std::uint32_t*)>(dlsym(handle, "cuptiGetVersion"));
      std::uint32_t version = 0;
      if (get_version == nullptr || get_version(&version) != 0) {
        last = absl::StrCat(path, " does not tell its version");
        continue;
      }
      return absl::StrCat(version, std::string(1, kSeparator),
                          file_of_symbol(reinterpret_cast<void*>(get_version)));
    }
    return absl::StrCat(std::string(1, kSeparator), last);
  });
  CuptiAnswer out;
  if (!answer.failure.empty()) {
    out.error = absl::StrCat("loading it ", answer.failure);
    return out;
  }
  const std::vector<std::string> parts = absl::StrSplit(answer.text, kSeparator);
  if (parts.size() != 2 || parts[0].empty()) {
    out.error = parts.size() == 2 && !parts[1].empty() ? parts[1] : "no libcupti found";
    return out;
  }
  out.version = parts[0];
  out.path = parts[1];
  const std::string soname = environment::elf_soname(environment::FileView(), out.path);
  const std::size_t at = soname.find(".so.");
  if (at != std::string::npos) out.major = std::atoi(soname.c_str() + at + 4);
  return out;
}

DriverAnswer ask_driver() {
  DriverAnswer out;
  const ChildAnswer answer = ask_in_child([] { return driver_answer_text(); });
  if (answer.failure.empty() && parse_driver_answer(answer.text, out)) return out;
  out = {};
  out.error = answer.failure.empty() ? answer.text : absl::StrCat("asking it ", answer.failure);
  return out;
}

// The last line of what a program printed.
std::string last_line(const std::string& words) {
  const std::vector<std::string> lines = absl::StrSplit(words, '\n', absl::SkipEmpty());
  return lines.empty() ? std::string() : lines.back();
}

TrialAnswer try_recording(const std::string& library, const std::string& cupti_path) {
  TrialAnswer out;
  std::string pattern = std::filesystem::temp_directory_path() / "gapscope-doctor-";
  pattern.append(6, 'X');
  if (mkdtemp(pattern.data()) == nullptr) {
    out.error = absl::StrCat("no temporary folder: ", std::strerror(errno));
    return out;
  }
  const std::string path = pattern + "/report.json";
  std::string words;
  const ChildAnswer answer =
      ask_in_child([&] { return copy_under_injection(library, cupti_path, path); }, &words);
  const auto report = report::read_report(path);
  std::error_code ignored;
  std::filesystem::remove_all(pattern, ignored);
  if (!answer.failure.empty() || !answer.text.empty()) {
    out.error = absl::StrCat(answer.failure, answer.text);
  } else if (!report.ok() || report->records.seen == 0) {
    out.error = last_line(words).empty() ? "the library wrote no report" : last_line(words);
  } else {
    out.cupti_path = report->process.cupti_path;
  }
  return out;
}

}  // namespace

ChildAnswer ask_in_child(const std::function<std::string()>& work, std::string* words) {
  const Pipe answer = make_pipe(), said = make_pipe();
  ChildAnswer out;
  const pid_t child = answer.read < 0 || said.read < 0 ? -1 : fork();
  if (child < 0) {
    out.failure = absl::StrCat("could not be tried: ", std::strerror(errno));
    return out;
  }
  if (child == 0) work_in_child(work, answer, said);
  close(answer.write);
  close(said.write);
  std::string ignored;
  const bool in_time = read_both(answer.read, said.read, out.text, words ? *words : ignored);
  close(answer.read);
  close(said.read);
  if (!in_time) kill(child, SIGKILL);
  int state = 0;
  while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) out.failure = "did not end within 60 s";
  if (in_time && state != 0) out.failure = ending_text(state);
  return out;
}

Machine this_machine(const Environment& environment) {
  Machine machine;
  machine.variables = environment;
  machine.glibc = gnu_get_libc_version();
  std::error_code ignored;
  machine.program_folder =
      std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path().string();
  machine.library = find_library().value_or("");
  machine.load_error = load_error;
  machine.ask_driver = ask_driver;
  machine.ask_cupti = ask_cupti;
  machine.try_recording = try_recording;
  return machine;
}

}  // namespace gapscope::cli
