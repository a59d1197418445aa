// gapscope doctor's checks, on a machine that the test lays out.
#include "cli/doctor.h"

#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catch.h"
#include "cli/doctor_system.h"

namespace gapscope::cli {
namespace {

namespace fs = std::filesystem;
using Verdict = Finding::Verdict;

constexpr const char* kLibrary = "/opt/gapscope/lib/libgapscope.so";
constexpr const char* kToolkitCupti = "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13";

// A machine on which all is well; each test breaks one thing.
class Bench {
 public:
  Bench() : root_(fs::temp_directory_path() / ("gapscope-doctor-" + std::to_string(getpid()))) {
    fs::remove_all(root_);
    write("/sys/module/nvidia/version", "580.159.04\n");
    write("/proc/driver/nvidia/params", "EnableMSI: 1\nRmProfilingAdminOnly: 0\n");
    write("/proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\n");
    write(kLibrary, std::string("\0GLIBC_2.14\0GLIBC_2.28\0GLIBC_2.3.4\0", 35));
    write(kToolkitCupti, "");
    driver.path = "/usr/lib/libcuda.so.1";
    driver.cuda_version = 13000;
    driver.devices = 2;
    trial.cupti_path = kToolkitCupti;
    machine.files = environment::FileView(root_.string());
    machine.library = kLibrary;
    machine.glibc = "2.36";
    machine.load_error = [this](const std::string& path, const std::string&) {
      return machine.files.exists(path) ? "" : path + ": cannot open shared object file";
    };
    machine.ask_driver = [this] { return driver; };
    machine.ask_cupti = [this](const std::vector<std::string>& paths) {
      for (const std::string& path : paths) {
        if (path[0] != '/' || !machine.files.exists(path)) continue;
        return CuptiAnswer{"", path, "130000", cupti_major};
      }
      return CuptiAnswer{"no libcupti found", "", "", 0};
    };
    machine.try_recording = [this](const std::string&, const std::string& cupti_path) {
      tried_with = cupti_path;
      return trial;
    };
  }
  ~Bench() { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root_.string() + path).parent_path());
    std::ofstream(root_.string() + path) << text;
  }
  void remove(const std::string& path) { fs::remove_all(root_.string() + path); }
  void set(const std::string& name, const std::string& value) {
    machine.variables.emplace_back(name, value);
  }

  Machine machine;
  DriverAnswer driver;
  TrialAnswer trial;
  int cupti_major = 13;
  std::string tried_with;

 private:
  fs::path root_;
};

Finding find(const std::vector<Finding>& findings, const std::string& subject) {
  for (const Finding& finding : findings) {
    if (finding.subject == subject) return finding;
  }
  return {subject, Verdict::ok, "(left out)", ""};
}

// Only this fails, it says so, and what to do.
void only(const Bench& bench, const std::string& subject, const std::string& what,
          const std::string& remedy) {
  const auto findings = examine(bench.machine);
  for (const Finding& finding : findings) {
    INFO(finding.subject << ": " << finding.what);
    CHECK((finding.verdict == Verdict::fails) == (finding.subject == subject));
    CHECK((finding.verdict == Verdict::ok) == finding.remedy.empty());
  }
  const Finding found = find(findings, subject);
  CHECK_THAT(found.what, Catch::Contains(what));
  CHECK_THAT(found.remedy, Catch::Contains(remedy));
  CHECK(any_fails(findings));
  CHECK_THAT(doctor_text(findings), Catch::Contains("FAIL  " + subject));
}

Finding note(const Bench& bench, const std::string& subject) {
  const auto findings = examine(bench.machine);
  CHECK_FALSE(any_fails(findings));
  const Finding found = find(findings, subject);
  CHECK(found.verdict == Verdict::note);
  return found;
}

TEST_CASE("doctor: a machine on which all is well") {
  Bench bench;
  const auto findings = examine(bench.machine);
  for (const Finding& finding : findings) {
    INFO(finding.subject << ": " << finding.what);
    CHECK(finding.verdict == Verdict::ok);
  }
  const std::string text = doctor_text(findings);
  CHECK_THAT(text, Catch::Contains("580.159.04, CUDA 13.0"));
  CHECK_THAT(text, Catch::Contains("2 GPUs"));
  CHECK_THAT(text, Catch::Contains("2.36 here; the library needs 2.28 or newer"));
  CHECK_THAT(text, Catch::Contains("one copy to the GPU was recorded"));
  CHECK_THAT(text, Catch::Contains("Nothing was found"));
  CHECK(bench.tried_with == kToolkitCupti);
}

TEST_CASE("doctor: driver and devices") {
  Bench bench;
  SECTION("none") {
    bench.driver = {};
    bench.driver.error = "libcuda.so.1: cannot open shared object file";
    only(bench, "driver", "none here: libcuda.so.1", "with an NVIDIA GPU");
    CHECK(find(examine(bench.machine), "devices").what == "(left out)");
    CHECK(find(examine(bench.machine), "recording").what == "(left out)");
    bench.write("/.dockerenv", "");
    only(bench, "driver", "none here", "--gpus all");
    bench.write("/dev/nvidiactl", "");
    only(bench, "driver", "a GPU's device is here", "NVIDIA_DRIVER_CAPABILITIES");
  }
  SECTION("no device") {
    bench.driver.devices = 0;
    bench.driver.init_result = 100;
    bench.driver.init_error = "CUDA_ERROR_NO_DEVICE";
    only(bench, "devices", "CUDA_ERROR_NO_DEVICE (100)", "nvidia-smi");
    bench.set("CUDA_VISIBLE_DEVICES", "7");
    only(bench, "devices", "100", "CUDA_VISIBLE_DEVICES is 7");
    CHECK(bench.tried_with.empty());
  }
}

TEST_CASE("doctor: libcupti") {
  Bench bench;
  SECTION("none") {
    bench.remove(kToolkitCupti);
    only(bench, "libcupti", "no libcupti found", "pip install nvidia-cuda-cupti,");
    bench.driver.cuda_version = 12040;
    only(bench, "libcupti", "no libcupti found", "nvidia-cuda-cupti-cu12");
  }
  SECTION("newer than the driver") {
    bench.driver.cuda_version = 12040;
    only(bench, "libcupti", "is newer than the driver's CUDA 12.4", "nvidia-cuda-cupti-cu12");
  }
  SECTION("in an environment") {
    bench.remove(kToolkitCupti);
    const std::string site = "/lib/python3.11/site-packages";
    bench.write("/venv" + site + "/nvidia/cu13/lib/libcupti.so.13", "");
    bench.set("VIRTUAL_ENV", "/venv");
    CHECK_FALSE(any_fails(examine(bench.machine)));
    CHECK(bench.tried_with == "/venv" + site + "/nvidia/cu13/lib/libcupti.so.13");
    bench.remove("/venv");
    bench.write("/conda/lib/libcupti.so.12", "");
    bench.set("CONDA_PREFIX", "/conda");
    CHECK_FALSE(any_fails(examine(bench.machine)));
    CHECK(bench.tried_with == "/conda/lib/libcupti.so.12");
    bench.remove("/conda");
    bench.write(site + "/nvidia/cuda_cupti/lib/libcupti.so.12", "");
    bench.machine.program_folder = site + "/gapscope/bin";
    CHECK_FALSE(any_fails(examine(bench.machine)));
    CHECK(bench.tried_with == site + "/nvidia/cuda_cupti/lib/libcupti.so.12");
  }
}

TEST_CASE("doctor: permission") {
  Bench bench;
  bench.write("/proc/driver/nvidia/params", "RmProfilingAdminOnly: 1\n");
  CHECK_FALSE(any_fails(examine(bench.machine)));  // it was recorded all the same
  SECTION("refused") {
    bench.trial.error = "off: not permitted";
    const auto findings = examine(bench.machine);
    CHECK(find(findings, "permission").verdict == Verdict::fails);
    CHECK_THAT(find(findings, "permission").remedy,
               Catch::Contains("NVreg_RestrictProfilingToAdminUsers=0"));
    CHECK_THAT(find(findings, "recording").what, Catch::Contains("off: not permitted"));
  }
  SECTION("an administrator") {
    bench.write("/proc/self/status", "CapEff:\t000001ffffffffff\n");
    CHECK_THAT(find(examine(bench.machine), "permission").what, Catch::Contains("CAP_SYS_ADMIN"));
  }
}

TEST_CASE("doctor: the variables") {
  Bench bench;
  SECTION("a path that is not there") {
    bench.set("CUDA_INJECTION64_PATH", "/gone/libgapscope.so");
    bench.set("NVTX_INJECTION64_PATH", "/gone/libgapscope.so");
    only(bench, "CUDA_INJECTION64_PATH", "cannot open shared object file", kLibrary);
  }
  SECTION("another tool") {
    bench.set("CUDA_INJECTION64_PATH", "/opt/nsys/libToolsInjection64.so");
    CHECK_THAT(note(bench, "CUDA_INJECTION64_PATH").what, Catch::Contains("another tool's"));
  }
  SECTION("NVTX left out") {
    bench.set("CUDA_INJECTION64_PATH", kLibrary);
    CHECK_THAT(note(bench, "NVTX_INJECTION64_PATH").remedy, Catch::Contains(kLibrary));
  }
  SECTION("NVTX elsewhere") {
    bench.set("CUDA_INJECTION64_PATH", kLibrary);
    bench.set("NVTX_INJECTION64_PATH", "/other.so");
    CHECK_THAT(note(bench, "NVTX_INJECTION64_PATH").what, Catch::Contains("/other.so"));
  }
  SECTION("both") {
    bench.set("CUDA_INJECTION64_PATH", kLibrary);
    bench.set("NVTX_INJECTION64_PATH", kLibrary);
    CHECK_THAT(doctor_text(examine(bench.machine)), Catch::Contains("NVTX ranges are seen"));
  }
}

TEST_CASE("doctor: library, conda, container") {
  Bench bench;
  SECTION("no library") {
    bench.machine.library = "";
    only(bench, "library", "not beside this program", "install both");
  }
  SECTION("a library that does not load") {
    bench.machine.load_error = [](const std::string&, const std::string&) {
      return std::string("version `GLIBC_2.38' not found");
    };
    only(bench, "library", "GLIBC_2.38", "portable");
  }
  SECTION("a stub of the driver") {
    bench.write("/conda/lib/stubs/libcuda.so.1", "");
    bench.set("CONDA_PREFIX", "/conda");
    bench.set("LD_LIBRARY_PATH", "/lib:/conda/lib/stubs");
    only(bench, "conda", "/conda/lib/stubs/libcuda.so.1", "take that folder out");
  }
  SECTION("capabilities") {
    bench.set("NVIDIA_DRIVER_CAPABILITIES", "utility,graphics");
    only(bench, "container", "has no compute", "compute,utility");
    bench.machine.variables.clear();
    bench.set("NVIDIA_DRIVER_CAPABILITIES", "utility, compute");
    CHECK_FALSE(any_fails(examine(bench.machine)));
  }
}

TEST_CASE("doctor: whatever a child does, the answer says it") {
  CHECK(ask_in_child([] { return std::string("text"); }).text == "text");
  std::string words;
  CHECK(ask_in_child(
            [] {
              (void)!write(STDERR_FILENO, "words\n", 6);
              return std::string(10'000, 'x');
            },
            &words)
            .failure.empty());
  CHECK(words == "words\n");
  const auto crash = ask_in_child([]() -> std::string {
    raise(SIGKILL);
    return "";
  });
  CHECK_THAT(crash.failure, Catch::Contains("signal 9"));
  const auto leaves = ask_in_child([]() -> std::string { _exit(3); });
  CHECK_THAT(leaves.failure, Catch::Contains("exit code 3"));
}

}  // namespace
}  // namespace gapscope::cli
