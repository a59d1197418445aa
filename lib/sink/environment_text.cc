#include "sink/environment_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "fmt/format.h"
#include "sink/figures.h"
#include "sink/safe_text.h"

namespace gapscope::sink {
namespace {

class NamedLines {
 public:
  void add(std::string_view name, std::string_view value) {
    if (value.empty()) return;
    out_ += fmt::format("{:<20} {}\n", name, printable(value, true));
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

std::string gpu_text(const report::Gpu& gpu) {
  std::string text = gpu.name.empty() ? "unknown model" : gpu.name;
  if (!gpu.uuid.empty()) absl::StrAppend(&text, ", ", gpu.uuid);
  if (gpu.memory_bytes > 0)
    absl::StrAppend(&text, ", ", bytes(static_cast<double>(gpu.memory_bytes)));
  if (gpu.multiprocessors > 0) absl::StrAppend(&text, ", ", gpu.multiprocessors, " SMs");
  if (!gpu.compute_capability.empty()) absl::StrAppend(&text, ", sm ", gpu.compute_capability);
  return text;
}

std::string of_most(std::int64_t value, std::int64_t most, double unit, const char* name) {
  const auto number = [unit](std::int64_t n) {
    return count(static_cast<std::int64_t>(static_cast<double>(n) / unit + 0.5));
  };
  if (value <= 0) return {};
  return most > 0 ? fmt::format("{} of {} {}", number(value), number(most), name)
                  : fmt::format("{} {}", number(value), name);
}

// "SM 1,980 of 1,980 MHz, memory ..., 512 of 700 W, 54 C, 2 processes"
std::string nvml_text(const report::Nvml& n) {
  std::string text;
  const auto add = [&text](std::string_view before, const std::string& piece) {
    if (!piece.empty()) absl::StrAppend(&text, text.empty() ? "" : ", ", before, piece);
  };
  add("SM ", of_most(n.sm_clock_mhz, n.max_sm_clock_mhz, 1, "MHz"));
  add("memory ", of_most(n.memory_clock_mhz, n.max_memory_clock_mhz, 1, "MHz"));
  add("", of_most(n.power_mw, n.power_limit_mw, 1000, "W"));
  add("", of_most(n.temperature_c, 0, 1, "C"));
  if (n.processes > 0) {
    add("", fmt::format("{} {}", n.processes, n.processes == 1 ? "process" : "processes"));
  }
  return text;
}

// NVML counts a stretch as busy in which anything ran, of any process: the two differ for good.
std::string utilisation_text(const report::Nvml& n, std::int64_t end_ns) {
  if (n.utilisation_since_ns <= 0) {
    return fmt::format("{:.1f} % in the last moment", n.utilisation_pct);
  }
  const double over_ns = static_cast<double>(end_ns) - static_cast<double>(n.utilisation_since_ns);
  return fmt::format(
      "{:.1f} % over the last {}; busy with this process {:.1f} % (short gaps and other processes "
      "count as use for NVML)",
      n.utilisation_pct, duration(std::max(over_ns, 0.0)), n.own_busy_pct);
}

std::string named_folder(const std::string& name, const std::string& folder) {
  if (name.empty() || folder.empty()) return name + folder;
  return absl::StrCat(name, " (", folder, ")");
}

// A name or version as package indexes allow them; anything else must not reach another program.
bool is_word(std::string_view text) {
  return !text.empty() && absl::ascii_isalnum(static_cast<unsigned char>(text.front())) &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return absl::ascii_isalnum(c) || std::string_view("._-+!*").find(c) != std::string::npos;
         });
}

bool usable(const report::Package& package) {
  return is_word(package.name) && is_word(package.version) &&
         (package.build.empty() || is_word(package.build));
}

std::string left_out(const report::Environment& environment) {
  const auto count = std::count_if(environment.packages.begin(), environment.packages.end(),
                                   [](const report::Package& p) { return !usable(p); });
  if (count == 0) return {};
  return fmt::format("# {} packages with unusual names or versions were left out\n", count);
}

std::string heading(const report::Environment& environment) {
  std::string out = "# Written by gapscope env. Package indexes and channels are not known.\n";
  if (!environment.python_version.empty())
    absl::StrAppend(&out, "# Python ", printable(environment.python_version, true), "\n");
  return out + left_out(environment);
}

}  // namespace

std::string environment_text(const report::Process& process) {
  const report::Environment& e = process.environment;
  NamedLines lines;
  lines.add("command", process.command);
  lines.add("host", process.hostname);
  lines.add("rank", process.rank);
  lines.add("operating system", e.os);
  lines.add("kernel", e.kernel);
  lines.add("CPU", e.cpu);
  if (process.cpus > 0) lines.add("CPUs", fmt::format("{}", process.cpus));
  for (const report::Gpu& gpu : e.gpus) {
    lines.add(fmt::format("GPU {}", gpu.device), gpu_text(gpu));
    if (!gpu.nvml) continue;
    lines.add("  at the end", nvml_text(*gpu.nvml));
    lines.add("  NVML utilisation", utilisation_text(*gpu.nvml, process.end_ns));
  }
  lines.add("CUDA driver", process.driver_version);
  lines.add("gapscope", process.version);
  lines.add("CUPTI API", process.cupti_version);
  lines.add("Python", named_folder(e.python_version, e.python_path));
  lines.add("torch", e.torch_version);
  lines.add("conda environment", named_folder(e.conda_name, e.conda_prefix));
  lines.add("virtualenv", e.virtualenv_prefix);
  lines.add("git revision", named_folder(e.git_revision, e.git_branch));
  for (const report::Library& library : e.libraries)
    lines.add(library.name, named_folder(library.version, library.path));
  for (const report::Variable& variable : e.variables)
    lines.add("variable", absl::StrCat(variable.name, "=", variable.value));
  if (!e.packages.empty())
    lines.add("packages", fmt::format("{} (--requirements, --conda-yaml)", e.packages.size()));
  return lines.take();
}

std::string conda_yaml(const report::Environment& environment) {
  std::string out = heading(environment);
  const bool named = is_word(environment.conda_name) && environment.conda_name != "base";
  absl::StrAppend(&out, "name: ", named ? environment.conda_name : "recreated",
                  "\ndependencies:\n");
  bool any_conda = false;
  std::string pip;
  for (const report::Package& p : environment.packages) {
    if (!usable(p)) continue;
    if (p.source == "conda") {
      any_conda = true;
      absl::StrAppend(&out, "  - ", p.name, "=", p.version, p.build.empty() ? "" : "=", p.build,
                      "\n");
    } else if (p.name != "pip") {
      absl::StrAppend(&pip, "    - ", p.name, "==", p.version, "\n");
    }
  }
  if (!any_conda) {
    const std::string& python = environment.python_version;
    absl::StrAppend(&out, "  - python", is_word(python) ? absl::StrCat("=", python) : "",
                    "\n  - pip\n");
  }
  if (!pip.empty()) absl::StrAppend(&out, "  - pip:\n", pip);
  return out;
}

std::string requirements(const report::Environment& environment) {
  std::string out = heading(environment);
  std::string conda;
  for (const report::Package& p : environment.packages) {
    if (!usable(p)) continue;
    if (p.source == "conda") {
      absl::StrAppend(&conda, "#   ", p.name, "=", p.version, "\n");
    } else {
      absl::StrAppend(&out, p.name, "==", p.version, "\n");
    }
  }
  if (!conda.empty()) absl::StrAppend(&out, "# Installed by conda (--conda-yaml):\n", conda);
  return out;
}

}  // namespace gapscope::sink
