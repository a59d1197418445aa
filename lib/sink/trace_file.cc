#include "sink/trace_file.h"

#include <algorithm>
#include <new>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace gapscope::sink {
namespace {

constexpr std::size_t kRawBytes = 128u << 10;
constexpr std::size_t kOutBytes = 64u << 10;
// A trace is repetitive: level 1 compresses it to a twentieth at several times the speed of 6.
constexpr int kLevel = 1;
constexpr int kGzipWindow = 15 + 16;

}  // namespace

TraceFile::TraceFile(recording::OutputFile file, bool compressed, std::uint64_t limit_bytes)
    : file_(std::move(file)),
      compressed_(compressed),
      limit_bytes_(std::min(limit_bytes, file_.size_limit())),
      out_(kOutBytes) {
  raw_.reserve(kRawBytes);
  if (compressed_ &&
      deflateInit2(&stream_, kLevel, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
}

TraceFile::~TraceFile() {
  close().IgnoreError();
  if (compressed_) deflateEnd(&stream_);
}

absl::StatusOr<std::unique_ptr<TraceFile>> TraceFile::open(const std::string& path,
                                                           std::uint64_t limit_bytes) {
  auto file = recording::OutputFile::open(path, "the trace");
  if (!file.ok()) return file.status();
  try {
    return std::unique_ptr<TraceFile>(
        new TraceFile(*std::move(file), absl::EndsWith(path, ".gz"), limit_bytes));
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot write the trace ", path, ": no memory"));
  }
}

void TraceFile::append(std::string_view text) {
  while (!text.empty() && status_.ok() && !closed_) {
    const std::size_t part = std::min(text.size(), kRawBytes - raw_.size());
    raw_.append(text.substr(0, part));
    text.remove_prefix(part);
    if (raw_.size() == kRawBytes) flush(false);
  }
}

bool TraceFile::is_full() const {
  return file_.bytes_written() + raw_.size() + kReserveBytes > limit_bytes_;
}

void TraceFile::write(const void* data, std::size_t bytes) {
  // A forked child's copy shares the file's offset.
  if (!status_.ok() || !file_.owned_by_this_process()) return;
  status_ = file_.append(data, bytes);
}

void TraceFile::flush(bool last) {
  if (!compressed_) {
    write(raw_.data(), raw_.size());
    raw_.clear();
    return;
  }
  stream_.next_in = reinterpret_cast<Bytef*>(raw_.data());
  stream_.avail_in = static_cast<uInt>(raw_.size());
  do {
    stream_.next_out = out_.data();
    stream_.avail_out = static_cast<uInt>(out_.size());
    (void)::deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
    write(out_.data(), out_.size() - stream_.avail_out);
  } while (stream_.avail_out == 0);
  raw_.clear();
}

absl::Status TraceFile::close() {
  if (!closed_) {
    flush(true);
    closed_ = true;
  }
  return status_;
}

}  // namespace gapscope::sink
