// Programs that call the library themselves. Their results stand in the truth's values.
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "library_calls.h"
#include "names.h"
#include "scenario.h"

namespace fake_driver {
namespace {

constexpr std::uint64_t kUs = 1000;

LibraryCalls library() {
  const LibraryCalls calls = LibraryCalls::find();
  if (!calls.complete()) std::exit(2);
  return calls;
}

void one_step(CudaProcess& cuda) {
  for (int i = 0; i < 10; ++i) cuda.launch(kSaxpy, 20 * kUs);
  cuda.simple(FAKE_STREAM_SYNCHRONIZE);
}

}  // namespace

// A training loop that marks its steps.
void steps(CudaProcess& cuda, const Settings& settings) {
  const LibraryCalls calls = library();
  std::int64_t refused = 0;
  for (std::uint32_t i = 0; i < settings.operations; ++i) {
    one_step(cuda);
    refused += calls.step() == GAPSCOPE_OK ? 0 : 1;
  }
  cuda.truth().set("refused", refused);
}

// Asks for the report in the middle.
void snapshot(CudaProcess& cuda, const Settings& settings) {
  const LibraryCalls calls = library();
  for (std::uint32_t i = 0; i < settings.operations; ++i) one_step(cuda);
  usleep(700'000);  // two flushes
  const std::string path = settings.truth_path + ".snapshot";
  cuda.truth().set("report", calls.report(path.c_str()));
  cuda.truth().set("nowhere", calls.report("/nonexistent/folder/report.json"));
  cuda.truth().set("null", calls.report(nullptr));
  for (std::uint32_t i = 0; i < settings.operations; ++i) one_step(cuda);
}

// Ends the session and goes on working.
void stop_early(CudaProcess& cuda, const Settings& settings) {
  const LibraryCalls calls = library();
  cuda.truth().set("running", calls.state());
  for (std::uint32_t i = 0; i < settings.operations; ++i) cuda.launch(kSaxpy, 20 * kUs);
  cuda.truth().set("stop", calls.stop());
  cuda.set_counted(false);
  for (std::uint32_t i = 0; i < settings.operations; ++i) cuda.launch(kSaxpy, 20 * kUs);
  cuda.truth().set("again", calls.stop());
  cuda.truth().set("step", calls.step());
  cuda.truth().set("state", calls.state());
}

// With GAPSCOPE_CAPTURE=range, start and stop open and close the counted range.
void range_by_api(CudaProcess& cuda, const Settings& settings) {
  const LibraryCalls calls = library();
  for (int round = 0; round < 2; ++round) {
    cuda.set_counted(false);
    for (std::uint32_t i = 0; i < settings.operations; ++i) cuda.launch(kGemm, 20 * kUs);
    cuda.truth().set("start", calls.start(nullptr));
    cuda.set_counted(true);
    for (std::uint32_t i = 0; i < settings.operations; ++i) cuda.launch(kSaxpy, 20 * kUs);
    cuda.truth().set("stop", calls.stop());
    cuda.set_counted(false);
  }
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
}

}  // namespace fake_driver
