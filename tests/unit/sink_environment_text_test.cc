#include "sink/environment_text.h"

#include "catch.h"

namespace gapscope::sink {
namespace {

report::Environment sample() {
  report::Environment e;
  e.python_version = "3.11.5";
  e.conda_name = "train";
  e.packages = {{"numpy", "1.26.4", "conda", "py311_0"},
                {"evil\n  - x", "1", "pip", ""},
                {"torch", "2.11.0+cu128", "pip", ""},
                {"--index-url", "1", "pip", ""}};
  return e;
}

TEST_CASE("an environment.yml has conda's packages with builds, and pip's below") {
  const std::string yaml = conda_yaml(sample());
  CHECK(yaml.find("name: train\ndependencies:\n  - numpy=1.26.4=py311_0\n  - pip:\n"
                  "    - torch==2.11.0+cu128\n") != std::string::npos);
  CHECK(yaml.find("# 2 packages with unusual names") != std::string::npos);
  CHECK(yaml.find("evil") == std::string::npos);
  CHECK(yaml.find("--index-url") == std::string::npos);
}

TEST_CASE("without conda's packages an environment.yml asks for Python and pip") {
  report::Environment e = sample();
  e.packages.erase(e.packages.begin());
  e.conda_name.clear();
  CHECK(conda_yaml(e).find("name: recreated\ndependencies:\n  - python=3.11.5\n  - pip\n  - pip:\n"
                           "    - torch==2.11.0+cu128\n") != std::string::npos);
}

TEST_CASE("a requirements.txt pins what pip installed") {
  const std::string text = requirements(sample());
  CHECK(text.find("\ntorch==2.11.0+cu128\n") != std::string::npos);
  CHECK(text.find("\n#   numpy=1.26.4\n") != std::string::npos);
  CHECK(text.find("\nnumpy") == std::string::npos);
}

TEST_CASE("the text names what is known and nothing else") {
  report::Process process;
  process.command = "python train.py \x1b[31m";
  process.environment = sample();
  process.environment.git_revision = "0123";
  process.environment.gpus = {{0, "H200", "GPU-1", "9.0", 132, 143'000'000'000, 0}};
  const std::string text = environment_text(process);
  CHECK(text.find("\x1b") == std::string::npos);
  CHECK(text.find("GPU 0                H200, GPU-1, 143 GB, 132 SMs, sm 9.0\n") !=
        std::string::npos);
  CHECK(text.find("git revision         0123\n") != std::string::npos);
  CHECK(text.find("virtualenv") == std::string::npos);
  CHECK(text.find("NVML") == std::string::npos);
}

TEST_CASE("what NVML saw stands beside what this process did") {
  report::Process process;
  process.end_ns = 100'000'000'000;
  process.environment.gpus = {{0, "H200", "GPU-1", "9.0", 132, 143'000'000'000, 0}};
  report::Nvml& nvml = process.environment.gpus[0].nvml.emplace();
  nvml.sm_clock_mhz = 1755;
  nvml.max_sm_clock_mhz = 1980;
  nvml.power_mw = 412'600;
  nvml.power_limit_mw = 700'000;
  nvml.temperature_c = 54;
  nvml.processes = 2;
  nvml.utilisation_pct = 98.25;
  nvml.utilisation_since_ns = 82'000'000'000;
  nvml.own_busy_pct = 41.3;
  const std::string text = environment_text(process);
  INFO(text);
  CHECK(
      text.find("  at the end         SM 1,755 of 1,980 MHz, 413 of 700 W, 54 C, 2 processes\n") !=
      std::string::npos);
  CHECK(text.find(
            "  NVML utilisation   98.2 % over the last 18.00 s; busy with this process 41.3 %") !=
        std::string::npos);
  nvml.utilisation_since_ns = 0;
  CHECK(environment_text(process).find("98.2 % in the last moment\n") != std::string::npos);
}

}  // namespace
}  // namespace gapscope::sink
