#include "cli/child_output.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "absl/strings/str_cat.h"

namespace gapscope::cli {
namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::string read_all(int fd) {
  std::string text;
  char part[4096];
  while (true) {
    const ssize_t n = ::read(fd, part, sizeof(part));
    if (n > 0) text.append(part, static_cast<std::size_t>(n));
    if (n == 0 || (n < 0 && errno != EINTR)) return text;
  }
}

absl::Status ended_well(pid_t pid, const std::string& name) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return absl::UnavailableError(absl::StrCat(name, " ended with ", code));
}

}  // namespace

absl::StatusOr<std::string> output_of(const std::vector<std::string>& command,
                                      const Environment& environment) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  std::vector<std::string> words = command, entries;
  for (const auto& [name, value] : environment) entries.push_back(absl::StrCat(name, "=", value));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, words[0].c_str(), &actions, nullptr, pointers(words).data(),
                                  pointers(entries).data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    return absl::UnavailableError(absl::StrCat(words[0], ": ", std::strerror(error)));
  }
  std::string text = read_all(ends[0]);
  ::close(ends[0]);
  if (const absl::Status status = ended_well(pid, words[0]); !status.ok()) return status;
  return text;
}

}  // namespace gapscope::cli
