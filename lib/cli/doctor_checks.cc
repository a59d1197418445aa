#include "cli/doctor_checks.h"

#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "environment/cupti_search.h"
#include "fmt/format.h"
#include "sink/safe_text.h"

namespace gapscope::cli {
namespace {

using environment::file_of;
using environment::folder_of;
using Verdict = Finding::Verdict;

constexpr std::size_t kSmallFile = 65536;
constexpr const char* kDriver = "CUDA_INJECTION64_PATH";
constexpr const char* kNvtx = "NVTX_INJECTION64_PATH";

std::string value(const Machine& machine, std::string_view name) {
  return std::string(environment_value(machine.variables, name));
}

Finding ok(std::string subject, std::string what) {
  return {std::move(subject), Verdict::ok, std::move(what), ""};
}

// "0" of "Name: 0" on a line of its own.
std::string field_of(std::string_view text, std::string_view name) {
  for (std::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::ConsumePrefix(&line, name) && absl::ConsumePrefix(&line, ":"))
      return std::string(absl::StripAsciiWhitespace(line));
  }
  return {};
}

bool in_container(const Machine& machine) {
  return machine.files.exists("/.dockerenv") || machine.files.exists("/run/.containerenv") ||
         machine.files.exists("/.singularity.d") ||
         !value(machine, "KUBERNETES_SERVICE_HOST").empty() ||
         !value(machine, "NVIDIA_DRIVER_CAPABILITIES").empty();
}

std::string cuda_text(int version) {
  return fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
}

bool is_gapscope(std::string_view path) { return absl::StartsWith(file_of(path), "libgapscope."); }

// The folders of modules of the active Python environments, and the one that this program is
// installed in.
std::vector<std::string> module_folders(const Machine& machine) {
  std::vector<std::string> folders;
  const std::string_view package = folder_of(machine.program_folder);
  if (absl::EndsWith(folder_of(package), "-packages")) folders.emplace_back(folder_of(package));
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const std::string prefix = value(machine, name);
    if (prefix.empty()) continue;
    const std::string lib = absl::StrCat(prefix, "/lib");
    for (const std::string& python : machine.files.list(lib, 1000)) {
      if (absl::StartsWith(python, "python"))
        folders.push_back(absl::StrCat(lib, "/", python, "/site-packages"));
    }
  }
  return folders;
}

}  // namespace

Finding check_driver(const Machine& machine, const DriverAnswer& driver) {
  if (driver.error.empty()) {
    const std::string module = machine.files.read("/sys/module/nvidia/version", 64);
    const std::string version(absl::StripAsciiWhitespace(module));
    return ok("driver", absl::StrCat(version, version.empty() ? "" : ", ",
                                     cuda_text(driver.cuda_version), " (", driver.path, ")"));
  }
  const bool device = machine.files.exists("/dev/nvidiactl") || machine.files.exists("/dev/dxg");
  const std::string what = absl::StrCat(
      device ? "a GPU's device is here, but the driver's library cannot be used: " : "none here: ",
      driver.error);
  if (in_container(machine)) {
    return {"driver", Verdict::fails, what,
            "start the container with its GPUs (docker run --gpus all; in Kubernetes a limit on "
            "nvidia.com/gpu) and with NVIDIA_DRIVER_CAPABILITIES=compute,utility"};
  }
  return {"driver", Verdict::fails, what,
          device ? "install the driver's libraries of the kernel module's version"
                 : "run it on a machine with an NVIDIA GPU and its driver"};
}

Finding check_devices(const Machine& machine, const DriverAnswer& driver) {
  if (driver.init_result == 0 && driver.devices > 0) {
    return ok("devices", absl::StrCat(driver.devices, driver.devices == 1 ? " GPU" : " GPUs"));
  }
  const std::string visible = value(machine, "CUDA_VISIBLE_DEVICES");
  const bool hidden =
      !environment_value(machine.variables, "CUDA_VISIBLE_DEVICES").empty() && driver.devices == 0;
  return {"devices", Verdict::fails,
          driver.init_result == 0
              ? std::string("the driver shows no GPU")
              : absl::StrCat("cuInit failed: ", driver.init_error, " (", driver.init_result, ")"),
          hidden ? absl::StrCat("CUDA_VISIBLE_DEVICES is ", visible, ": name GPUs that exist")
                 : std::string("nvidia-smi says more; every CUDA program fails here")};
}

CuptiAnswer find_cupti(const Machine& machine) {
  environment::CuptiHints hints{value(machine, "GAPSCOPE_CUPTI_PATH"), value(machine, "CUDA_HOME")};
  if (hints.cuda_home.empty()) hints.cuda_home = value(machine, "CUDA_PATH");
  std::vector<std::string> paths = environment::cupti_candidates(machine.files, hints, {});
  for (const std::string& folder : module_folders(machine)) {
    for (std::string& path : environment::cupti_wheels(machine.files, folder))
      paths.push_back(std::move(path));
  }
  if (const std::string conda = value(machine, "CONDA_PREFIX"); !conda.empty()) {
    for (const std::string_view name : environment::cupti_names())
      paths.push_back(absl::StrCat(conda, "/lib/", name));
  }
  return machine.ask_cupti(paths);
}

Finding check_cupti(const CuptiAnswer& cupti, const DriverAnswer& driver) {
  const int driver_major = driver.cuda_version / 1000;
  const std::string wheel = driver_major == 0 || driver_major >= 13
                                ? "nvidia-cuda-cupti"
                                : absl::StrCat("nvidia-cuda-cupti-cu", driver_major);
  if (!cupti.error.empty()) {
    return {"libcupti", Verdict::fails, cupti.error,
            absl::StrCat("pip install ", wheel,
                         ", or the CUDA toolkit, or set GAPSCOPE_CUPTI_PATH to its folder")};
  }
  const std::string what =
      absl::StrCat("of CUDA ", cupti.major, ", version ", cupti.version, " (", cupti.path, ")");
  if (driver_major != 0 && cupti.major > driver_major) {
    return {"libcupti", Verdict::fails,
            absl::StrCat(what, " is newer than the driver's ", cuda_text(driver.cuda_version)),
            absl::StrCat("pip install ", wheel, " and set GAPSCOPE_CUPTI_PATH to its folder")};
  }
  return ok("libcupti", what);
}

Finding check_library(const Machine& machine) {
  if (machine.library.empty()) {
    return {"library", Verdict::fails, "libgapscope.so is not beside this program, nor in ../lib",
            "install both of them together"};
  }
  const std::string error = machine.load_error(machine.library, "InitializeInjection");
  if (error.empty()) return ok("library", absl::StrCat(machine.library, " loads"));
  return {"library", Verdict::fails, absl::StrCat("it cannot be loaded: ", error),
          "the portable build (pip install gapscope, preset portable) loads where glibc is 2.28 or "
          "newer"};
}

Finding check_permission(const Machine& machine, bool recorded) {
  const std::string params = machine.files.read("/proc/driver/nvidia/params", kSmallFile);
  const std::string restricted = field_of(params, "RmProfilingAdminOnly");
  if (restricted.empty()) {
    return ok("permission", "the driver does not say that profiling is restricted");
  }
  if (restricted == "0") return ok("permission", "everybody may profile (RmProfilingAdminOnly: 0)");
  constexpr std::uint64_t kSysAdmin = std::uint64_t{1} << 21;
  std::uint64_t capabilities = 0;
  const std::string held = field_of(machine.files.read("/proc/self/status", kSmallFile), "CapEff");
  (void)absl::SimpleHexAtoi(held, &capabilities);
  if ((capabilities & kSysAdmin) != 0) {
    return ok("permission", "only administrators may profile, and this is one (CAP_SYS_ADMIN)");
  }
  const std::string what = "only administrators may profile (RmProfilingAdminOnly: 1)";
  if (recorded) return ok("permission", absl::StrCat(what, "; tracing was not refused"));
  return {
      "permission", Verdict::fails, what,
      "the kernel module option NVreg_RestrictProfilingToAdminUsers=0, or CAP_SYS_ADMIN (docker "
      "run --cap-add=SYS_ADMIN)"};
}

Finding check_injection(const Machine& machine) {
  const std::string path = value(machine, kDriver);
  if (path.empty()) return ok(kDriver, "not set; gapscope run and import gapscope set it");
  const std::string unset = absl::StrCat("unset it, or set it to ", machine.library);
  if (!is_gapscope(path)) {
    return {kDriver, Verdict::note, absl::StrCat(path, " is another tool's"), unset};
  }
  const std::string error = machine.load_error(path, "InitializeInjection");
  if (!error.empty()) {
    return {kDriver, Verdict::fails, absl::StrCat("it cannot be loaded: ", error), unset};
  }
  if (path[0] != '/') {
    return {kDriver, Verdict::note,
            absl::StrCat(path, " depends on the folder that a program runs in"),
            "set it to the absolute path"};
  }
  return ok(kDriver, absl::StrCat(path, " loads"));
}

Finding check_nvtx(const Machine& machine) {
  const std::string path = value(machine, kNvtx);
  const std::string driver = value(machine, kDriver);
  if (path == driver) {
    return ok(kNvtx, path.empty() ? "not set; gapscope run and import gapscope set it"
                                  : "the same library: NVTX ranges are seen");
  }
  if (path.empty()) {
    return {kNvtx, Verdict::note, "not set: NVTX ranges (torch.cuda.nvtx) are not seen",
            absl::StrCat("set it to ", driver, " too")};
  }
  if (driver.empty()) {
    return {kNvtx, Verdict::note, absl::StrCat(path, ", and ", kDriver, " is not set"),
            "set both, or none"};
  }
  return {kNvtx, Verdict::note, absl::StrCat(path, " is not ", kDriver, "'s: ranges go elsewhere"),
          absl::StrCat("set it to ", driver)};
}

Finding check_glibc(const Machine& machine) {
  // Names of versions stand in the library as text.
  constexpr std::size_t kMost = 64U << 20;
  const std::string image = machine.files.read(machine.library, kMost);
  int needed = 0;
  constexpr std::string_view kVersion = "GLIBC_2.";
  for (std::size_t at = image.find(kVersion); at != std::string::npos;
       at = image.find(kVersion, at + 1)) {
    const std::string_view rest = std::string_view(image).substr(at + kVersion.size(), 2);
    int minor = 0;
    const std::size_t digits = rest.find_first_not_of("0123456789");
    if (absl::SimpleAtoi(rest.substr(0, digits), &minor)) needed = std::max(needed, minor);
  }
  const std::string what = absl::StrCat(machine.glibc, " here");
  if (needed == 0) return ok("glibc", what);
  return ok("glibc", absl::StrCat(what, "; the library needs 2.", needed, " or newer"));
}

std::optional<Finding> check_conda(const Machine& machine) {
  const std::string prefix = value(machine, "CONDA_PREFIX");
  if (prefix.empty()) return std::nullopt;
  // One that is for linking alone: a program that finds it first has no driver.
  for (const std::string_view folder : absl::StrSplit(value(machine, "LD_LIBRARY_PATH"), ':')) {
    if (environment::lies_below(folder, prefix) && !absl::StrContains(folder, "compat") &&
        machine.files.exists(absl::StrCat(folder, "/libcuda.so.1"))) {
      return Finding{"conda", Verdict::fails,
                     absl::StrCat(folder, "/libcuda.so.1 in LD_LIBRARY_PATH is no driver"),
                     "take that folder out of LD_LIBRARY_PATH"};
    }
  }
  return ok("conda", absl::StrCat(prefix, "; its libstdc++ is not used by gapscope"));
}

std::optional<Finding> check_container(const Machine& machine) {
  if (!in_container(machine)) return std::nullopt;
  const std::string granted = value(machine, "NVIDIA_DRIVER_CAPABILITIES");
  if (granted.empty()) {
    return ok("container", "NVIDIA_DRIVER_CAPABILITIES is not set: the runtime's default holds");
  }
  for (const std::string_view word : absl::StrSplit(granted, ',')) {
    const std::string_view name = absl::StripAsciiWhitespace(word);
    if (name == "compute" || name == "all")
      return ok("container", absl::StrCat("NVIDIA_DRIVER_CAPABILITIES=", granted));
  }
  return Finding{"container", Verdict::fails,
                 absl::StrCat("NVIDIA_DRIVER_CAPABILITIES=", granted, " has no compute: no CUDA"),
                 "-e NVIDIA_DRIVER_CAPABILITIES=compute,utility"};
}

}  // namespace gapscope::cli
