// What would keep gapscope from recording on this machine: checks, each with a remedy.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "environment/file_view.h"
#include "runtime/config.h"

namespace gapscope::cli {

struct Finding {
  enum class Verdict { ok, note, fails };
  std::string subject;  // a word or a variable
  Verdict verdict = Verdict::ok;
  std::string what;
  std::string remedy;  // for note and fails
};

// What libcuda.so.1 answered.
struct DriverAnswer {
  std::string error;       // why it cannot be asked; the rest then is empty
  std::string path;        // of the file
  int cuda_version = 0;    // 13000
  int init_result = 0;     // of cuInit; 0 is success
  std::string init_error;  // "CUDA_ERROR_NO_DEVICE"
  int devices = 0;
};

struct CuptiAnswer {
  std::string error;  // why none can be loaded
  std::string path;
  std::string version;  // as cuptiGetVersion says
  int major = 0;        // CUDA's, from the library's own name
};

// One copy to the device, recorded by the library in a process of its own.
struct TrialAnswer {
  std::string error;  // what kept it from being recorded
  std::string cupti_path;
};

// What the checks look at. Tests bring their own.
struct Machine {
  environment::FileView files;  // /proc, /dev and the Python environments
  Environment variables;
  std::string program_folder;  // where this program lies
  std::string library;         // libgapscope.so; "" when it is not found
  std::string glibc;           // "2.36"
  // Why a shared library cannot be loaded, "" when it can and has that symbol.
  std::function<std::string(const std::string& path, const std::string& symbol)> load_error;
  std::function<DriverAnswer()> ask_driver;
  // The first of the paths that can be loaded.
  std::function<CuptiAnswer(const std::vector<std::string>& paths)> ask_cupti;
  std::function<TrialAnswer(const std::string& library, const std::string& cupti_path)>
      try_recording;
};

// In the order in which a person would look. Where one makes the next pointless that one is left
// out.
std::vector<Finding> examine(const Machine& machine);

// A line for each finding, and one that sums up.
std::string doctor_text(const std::vector<Finding>& findings);
bool any_fails(const std::vector<Finding>& findings);

}  // namespace gapscope::cli
