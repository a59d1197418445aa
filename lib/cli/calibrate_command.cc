#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/child_output.h"
#include "cli/command.h"
#include "cli/cuda_driver.h"
#include "cli/library_path.h"
#include "cli/output.h"
#include "report/calibration.h"
#include "report/report_json.h"

namespace gapscope::cli {
namespace {

constexpr int kGraphNodes = 500, kGraphLaunches = 10, kLaunches = 5000, kCopies = 2000;
constexpr int kRepeats = 5;

struct Options {
  std::string output_path;
  std::string library;
  int rounds = 5;
  bool measure = false;  // what the children are started with
};

struct Costs {
  double launch_ns = 0, graph_node_ns = 0, copy_ns = 0;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// The median of some measurements after one that warms up.
template <typename Measure>
absl::StatusOr<double> repeated(Measure measure) {
  std::vector<double> ns;
  for (int i = 0; i <= kRepeats; ++i) {
    const absl::StatusOr<double> one = measure();
    if (!one.ok()) return one.status();
    if (i > 0) ns.push_back(*one);
  }
  return median(std::move(ns));
}

// In the child: what operations take in this process, as JSON on stdout.
int measure_here() {
  const auto driver = CudaDriver::start(kGraphNodes);
  if (!driver.ok()) {
    print_error(driver.status().message());
    return kBadInput;
  }
  const auto launch = repeated([&] { return driver->launch_ns(kLaunches); });
  const auto node = repeated([&] { return driver->graph_node_ns(kGraphLaunches); });
  const auto copy = repeated([&] { return driver->copy_ns(kCopies); });
  for (const auto* one : {&launch, &node, &copy}) {
    if (one->ok()) continue;
    print_error(one->status().message());
    return kBadInput;
  }
  const nlohmann::json told = {
      {"gpu", driver->gpu()}, {"launch_ns", *launch}, {"graph_node_ns", *node}, {"copy_ns", *copy}};
  return write_stdout(told.dump()).ok() ? kOk : kBadOutput;
}

class Calibrator {
 public:
  Calibrator(std::string library, const Environment& environment)
      : library_(std::move(library)), bare_(without_tools(environment)) {
    std::error_code error;
    program_ = std::filesystem::read_symlink("/proc/self/exe", error).string();
  }

  // The same work without the library and with it, in turns.
  absl::Status run(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      const bool bare_first = round % 2 == 0;
      absl::StatusOr<Costs> first = child(!bare_first), second = child(bare_first);
      if (!first.ok()) return first.status();
      if (!second.ok()) return second.status();
      const Costs &bare = bare_first ? *first : *second, &traced = bare_first ? *second : *first;
      launch_.push_back(traced.launch_ns - bare.launch_ns);
      node_.push_back(traced.graph_node_ns - bare.graph_node_ns);
      copy_.push_back(traced.copy_ns - bare.copy_ns);
    }
    return absl::OkStatus();
  }

  report::Calibration result() const {
    report::Calibration calibration;
    calibration.gpu = gpu_;
    calibration.driver = driver_;
    calibration.launch_ns = std::max(0.0, median(launch_) - own_call_ns_);
    calibration.graph_node_ns = std::max(0.0, median(node_));
    calibration.copy_ns = std::max(0.0, median(copy_) - own_call_ns_);
    return calibration;
  }

 private:
  static Environment without_tools(Environment environment) {
    std::erase_if(environment, [](const auto& entry) {
      const bool ours = entry.first.rfind("GAPSCOPE_", 0) == 0;
      return (ours && entry.first != "GAPSCOPE_CUPTI_PATH") ||
             entry.first.find("_INJECTION64_PATH") != std::string::npos;
    });
    return environment;
  }

  absl::StatusOr<Costs> child(bool traced) {
    Environment environment = bare_;
    const std::string report_path = fmt::format(
        "{}/gapscope-calibrate.{}.json", std::filesystem::temp_directory_path().string(), getpid());
    if (traced) {
      environment.emplace_back("CUDA_INJECTION64_PATH", library_);
      environment.emplace_back("GAPSCOPE_REPORT", report_path);
      environment.emplace_back("GAPSCOPE_QUIET", "1");
      environment.emplace_back("GAPSCOPE_SNAPSHOT", "0");
    }
    const auto text = output_of({program_, "calibrate", "--measure"}, environment);
    if (!text.ok()) return text.status();
    if (traced) {
      const absl::Status status = take_report(report_path);
      std::error_code error;
      std::filesystem::remove(report_path, error);
      if (!status.ok()) return status;
    }
    return parse(*text);
  }

  // What our own callbacks took is told apart from CUPTI's share by the library's own account.
  absl::Status take_report(const std::string& path) {
    const auto report = report::read_report(path);
    if (!report.ok()) {
      return absl::UnavailableError("the library could not work in the traced process, see above");
    }
    driver_ = report->process.driver_version;
    if (report->records.calls > 0) {
      own_call_ns_ = static_cast<double>(report->self.callback_ns) /
                     static_cast<double>(report->records.calls);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Costs> parse(const std::string& text) {
    try {
      const auto json = nlohmann::json::parse(text);
      gpu_ = json.at("gpu").get<std::string>();
      return Costs{json.at("launch_ns").get<double>(), json.at("graph_node_ns").get<double>(),
                   json.at("copy_ns").get<double>()};
    } catch (const nlohmann::json::exception& error) {
      return absl::UnavailableError(
          absl::StrCat("a measurement printed no result: ", error.what()));
    }
  }

  std::string library_, program_;
  Environment bare_;
  std::string gpu_, driver_;
  std::vector<double> launch_, node_, copy_;
  double own_call_ns_ = 0;
};

absl::Status make_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) return absl::OkStatus();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(folder.string(), ": ", error.message()));
}

int calibrate(const Options& options, const Environment& environment) {
  if (options.measure) return measure_here();
  absl::StatusOr<std::string> library = options.library;
  if (options.library.empty()) library = find_library();
  if (!library.ok()) {
    print_error(library.status().message());
    return kUsage;
  }
  Calibrator calibrator(*std::move(library), environment);
  if (const absl::Status status = calibrator.run(options.rounds); !status.ok()) {
    print_error(status.message());
    return kBadInput;
  }
  const report::Calibration result = calibrator.result();
  absl::Status status = make_folder_of(options.output_path);
  if (status.ok()) status = write_output(options.output_path, report::to_json(result));
  if (status.ok() && options.output_path != "-") {
    status =
        write_stdout(fmt::format("{}, driver {}: CUPTI adds {:.0f} ns to a launch, {:.0f} ns to a "
                                 "node of a graph, {:.0f} ns "
                                 "to a copy\nwritten to {}\n",
                                 result.gpu, result.driver, result.launch_ns, result.graph_node_ns,
                                 result.copy_ns, options.output_path));
  }
  if (status.ok()) return kOk;
  print_error(status.message());
  return kBadOutput;
}

}  // namespace

void add_calibrate(CLI::App& app, const Environment& environment, Action& action) {
  auto options = std::make_shared<Options>();
  options->output_path = load_config(environment, nullptr).calibration_path;
  CLI::App* command = app.add_subcommand(
      "calibrate", "Measure what CUPTI's tracing costs on this machine's first GPU");
  command->footer(absl::StrCat(
      "Launches, graphs and copies are timed in processes with the library and without it, in\n"
      "turns; it takes some ten seconds on an idle GPU. Later runs on this GPU and driver read "
      "the\n"
      "result (GAPSCOPE_CALIBRATION) and say on the page what CUPTI cost them.\n\n",
      kFooter));
  command->add_option("-o,--output", options->output_path,
                      "Write to this file instead of GAPSCOPE_CALIBRATION's");
  command->add_option("--library", options->library, "The libgapscope.so to measure with");
  command->add_option("--rounds", options->rounds, "Pairs of processes")->check(CLI::Range(1, 100));
  command->add_flag("--measure", options->measure)->group("");  // for our own children
  command->callback([options, &environment, &action] {
    action = [options, &environment] { return calibrate(*options, environment); };
  });
}

}  // namespace gapscope::cli
