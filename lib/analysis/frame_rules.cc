#include "analysis/frame_rules.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "analysis/ranges_name.h"

namespace gapscope {
namespace {

struct Rule {
  std::string_view pattern;  // found anywhere in "path/file.py:function"
  FrameKind kind;
};

constexpr Rule kFrameRules[] = {
    {"/torch/_dynamo/", FrameKind::compiler},
    {"/torch/_inductor/", FrameKind::compiler},
    {"/torch/_functorch/_aot_autograd/", FrameKind::compiler},
    {"/torch/fx/", FrameKind::compiler},
    {"/triton/compiler/", FrameKind::compiler},
    {"/triton/backends/", FrameKind::compiler},
    {"/triton/runtime/build", FrameKind::compiler},
    {"/torch/utils/cpp_extension", FrameKind::compiler},

    {"/torch/utils/data/", FrameKind::loader},
    {"/torchdata/", FrameKind::loader},
    {"/torchvision/datasets/", FrameKind::loader},
    {"/torchvision/io/", FrameKind::loader},
    {"/torchvision/transforms/", FrameKind::loader},
    {"/torchaudio/", FrameKind::loader},
    {"/PIL/", FrameKind::loader},
    {"/cv2/", FrameKind::loader},
    {"/datasets/", FrameKind::loader},
    {"/webdataset/", FrameKind::loader},
    {"/streaming/base/", FrameKind::loader},
    {"/nvidia/dali/", FrameKind::loader},
    {"/tokenizers/", FrameKind::loader},
    {"/transformers/tokenization_", FrameKind::loader},
    {"/grain/", FrameKind::loader},
    {"/tensorflow/python/data/", FrameKind::loader},
    {"/h5py/", FrameKind::loader},
    {"/pyarrow/", FrameKind::loader},
    {"dataloader", FrameKind::loader},
    {"data_loader", FrameKind::loader},
    {"get_batch", FrameKind::loader},
    {"next_batch", FrameKind::loader},

    {"/asyncio/base_events.py", FrameKind::idle_server},
    {"/asyncio/runners.py", FrameKind::idle_server},
    {"/socketserver.py", FrameKind::idle_server},
    {"/ipykernel/", FrameKind::idle_server},
    {"/uvicorn/", FrameKind::idle_server},
    {"/grpc/_server.py", FrameKind::idle_server},
    {"/zmq/", FrameKind::idle_server},

    {"/threading.py:", FrameKind::wait},
    {"/queue.py:", FrameKind::wait},
    {"/selectors.py:", FrameKind::wait},
    {"/multiprocessing/", FrameKind::wait},
    {"/concurrent/futures/", FrameKind::wait},
    {"/subprocess.py:", FrameKind::wait},
    {"/socket.py:", FrameKind::wait},
};

// How the names of ranges begin that load input; in lower case, words apart by one blank. Few and
// whole words: what merely mentions data (a whole loop, FSDP's backward_prefetch) does not load it.
constexpr std::string_view kInputBegins[] = {
    "data loading",   "data load",      "data loader",   "dataloader",    "enumerate dataloader",
    "load data",      "data fetch",     "fetch data",    "data wait",     "wait for data",
    "next batch",     "get next batch", "load batch",    "fetch batch",   "batch load",
    "input pipeline", "load input",     "data prefetch", "prefetch data", "prefetch batch",
    "next data"};

// "Next_Batch, seq = 12" -> "next batch"
std::string words_of(std::string_view range) {
  std::string words;
  for (const char c : strip_range_name(range)) {
    if (absl::ascii_isalnum(c)) {
      words += absl::ascii_tolower(c);
    } else if (!words.empty() && words.back() != ' ') {
      words += ' ';
    }
  }
  absl::StripTrailingAsciiWhitespace(&words);
  return words;
}

}  // namespace

FrameKind frame_kind(std::string_view frame) {
  for (const Rule& rule : kFrameRules) {
    if (absl::StrContains(frame, rule.pattern)) return rule.kind;
  }
  return FrameKind::plain;
}

std::string_view short_frame(std::string_view frame) {
  const auto line = frame.rfind(':');
  if (line != std::string_view::npos && line > 0 && frame.find(':') != line &&
      std::all_of(frame.begin() + static_cast<std::ptrdiff_t>(line) + 1, frame.end(),
                  [](char c) { return c >= '0' && c <= '9'; })) {
    frame = frame.substr(0, line);
  }
  const auto function = frame.rfind(':');
  const auto slash = frame.rfind('/', function);
  return slash == std::string_view::npos ? frame : frame.substr(slash + 1);
}

bool loads_input(std::string_view range) {
  const std::string words = words_of(range);
  if (words == "data") return true;
  return std::any_of(std::begin(kInputBegins), std::end(kInputBegins), [&](std::string_view w) {
    return absl::StartsWith(words, w) && (words.size() == w.size() || words[w.size()] == ' ');
  });
}

bool waits_for_outside(std::string_view wait) {
  if (absl::StrContains(wait, "(file)")) return false;  // a disk
  constexpr std::string_view kWaits[] = {"epoll", "poll", "select", "recv", "accept", "read"};
  return std::any_of(std::begin(kWaits), std::end(kWaits),
                     [&](std::string_view w) { return absl::StrContains(wait, w); });
}

}  // namespace gapscope
