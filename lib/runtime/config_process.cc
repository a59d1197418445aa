#include "runtime/config_process.h"

#include <unistd.h>

#include <array>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/config_parse.h"

extern char** environ;

namespace gapscope {
namespace config {

std::string detect_rank(const Environment& environment) {
  struct Launcher {
    std::string_view rank, size;
  };
  // torchrun and most others first: where they run below Slurm or MPI, theirs is the program's
  // view.
  constexpr Launcher launchers[] = {{"RANK", "WORLD_SIZE"},
                                    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                    {"PMI_RANK", "PMI_SIZE"},
                                    {"SLURM_PROCID", "SLURM_NTASKS"}};
  for (const Launcher& launcher : launchers) {
    // Anyone may use such a name for something else; a rank is a number.
    const auto rank = parse_number(environment_value(environment, launcher.rank));
    if (!rank) continue;
    const auto size = parse_number(environment_value(environment, launcher.size));
    return size ? absl::StrCat(*rank, "/", *size) : absl::StrCat(*rank);
  }
  return {};
}

bool is_utf8_locale(const Environment& environment) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = environment_value(environment, name);
    if (value.empty()) continue;
    const std::string lower = absl::AsciiStrToLower(value);
    return absl::StrContains(lower, "utf-8") || absl::StrContains(lower, "utf8");
  }
  return false;
}

// What changes how a CUDA program runs, and where its Python is from. Nothing that holds secrets:
// the environment record of a report has these and no others.
constexpr std::array<std::string_view, 19> kRecorded = {"CUDA_VISIBLE_DEVICES",
                                                        "CUDA_DEVICE_ORDER",
                                                        "CUDA_LAUNCH_BLOCKING",
                                                        "CUDA_MODULE_LOADING",
                                                        "CUDA_DEVICE_MAX_CONNECTIONS",
                                                        "CUDA_CACHE_DISABLE",
                                                        "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
                                                        "NVIDIA_TF32_OVERRIDE",
                                                        "CUBLAS_WORKSPACE_CONFIG",
                                                        "PYTORCH_CUDA_ALLOC_CONF",
                                                        "PYTORCH_ALLOC_CONF",
                                                        "OMP_NUM_THREADS",
                                                        "MKL_NUM_THREADS",
                                                        "NCCL_ALGO",
                                                        "NCCL_PROTO",
                                                        "NCCL_P2P_DISABLE",
                                                        "CONDA_DEFAULT_ENV",
                                                        "CONDA_PREFIX",
                                                        "VIRTUAL_ENV"};

// Where other programs of this user keep what can be made again.
std::string default_calibration_path(const Environment& environment) {
  const std::string_view cache = environment_value(environment, "XDG_CACHE_HOME");
  if (!cache.empty()) return absl::StrCat(cache, "/gapscope/calibration.json");
  const std::string_view home = environment_value(environment, "HOME");
  return home.empty() ? "" : absl::StrCat(home, "/.cache/gapscope/calibration.json");
}

void read_process(const Environment& environment, Config& config) {
  config.rank = detect_rank(environment);
  config.no_color = !environment_value(environment, "NO_COLOR").empty();
  config.utf8_locale = is_utf8_locale(environment);
  for (const std::string_view name : kRecorded) {
    const std::string_view value = environment_value(environment, name);
    if (!value.empty()) config.recorded_variables.emplace_back(name, value);
  }
  if (config.calibration_path.empty()) {
    config.calibration_path = default_calibration_path(environment);
  }
  config.cuda_home = std::string(environment_value(environment, "CUDA_HOME"));
  if (config.cuda_home.empty()) {
    config.cuda_home = std::string(environment_value(environment, "CUDA_PATH"));
  }
}

}  // namespace config

Environment environ_entries() {
  Environment entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    entries.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return entries;
}

namespace {

// Foreign text in a file's name must not lead to another folder.
std::string one_name(std::string text) {
  const bool only_dots = text.find_first_not_of('.') == std::string::npos;
  for (char& c : text) {
    if (c == '/' || only_dots) c = '_';
  }
  return text;
}

std::string host_name_in_path() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "unknown";
  return one_name(name.data());
}

}  // namespace

std::string expand_path(const std::string& pattern, const Environment& environment) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (pattern[i] != '%' || next == '\0') {
      out += pattern[i];
      continue;
    }
    ++i;
    if (next == 'p') {
      absl::StrAppend(&out, getpid());
    } else if (next == 'h') {
      out += host_name_in_path();
    } else if (next == 'r') {
      const std::string rank = config::detect_rank(environment);
      out += rank.empty() ? "0" : rank.substr(0, rank.find('/'));
    } else if (next == '%') {
      out += '%';
    } else if (const std::size_t close = pattern.find('}', i);
               next == 'q' && i + 1 < pattern.size() && pattern[i + 1] == '{' &&
               close != std::string::npos) {
      const std::string value(
          environment_value(environment, std::string_view(pattern).substr(i + 2, close - i - 2)));
      out += i == 1 ? value : one_name(value);
      i = close;
    } else {
      out += '%';
      out += next;
    }
  }
  return out;
}

}  // namespace gapscope
