#include <zlib.h>

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "record/recording.h"
#include "record/recording_file.h"
#include "record/recording_format.h"
#include "record/recording_zlib.h"

namespace gapscope {
namespace {

// Raw bytes of a full chunk: large enough to compress well, small enough that compressing one holds
// the collector up for milliseconds only.
constexpr std::size_t kChunkBytes = 256u << 10;
static_assert(kChunkBytes + kMaxRecordBytes <= kMaxChunkBytes);

// A chunk is written at the latest after this much of the recorded ticks' own time.
constexpr std::uint64_t kFlushNs = 1000ull * 1000 * 1000;

}  // namespace

class RecordingWriter::Impl {
 public:
  Impl(recording::OutputFile file, std::uint64_t limit_bytes)
      : file_(std::move(file)),
        limit_bytes_(std::min(limit_bytes, file_.size_limit())),
        deflater_(kChunkBytes) {
    raw_.reserve(kChunkBytes);
  }

  absl::Status begin() {
    const auto header = recording::encode_header(kRecordingVersion);
    if (header.size() + recording::kChunkHeaderBytes > limit_bytes_) {
      return absl::InvalidArgumentError("the limit leaves no room for a recording");
    }
    return file_.append(header.data(), header.size());
  }

  void consume(const RecordHeader& record) {
    // A record that a reader would refuse must not make the whole file unreadable.
    if (ended_ || !recording::plausible_record(record, kMaxRecordBytes)) return;
    if (raw_.size() + record.size_bytes > kChunkBytes) write_chunk();
    if (ended_) return;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&record);
    raw_.insert(raw_.end(), bytes, bytes + record.size_bytes);
    ++buffered_records_;
    if (record.kind == RecordKind::tick) flush_by_time(record_cast<TickRecord>(record).now_ns);
  }

  absl::Status close() {
    if (!ended_) write_chunk();
    if (!ended_) end(recording::EndReason::closed);
    return status_;
  }

  bool stopped() const { return stopped_; }
  std::uint64_t bytes_written() const { return file_.bytes_written(); }
  const absl::Status& status() const { return status_; }

 private:
  void flush_by_time(std::uint64_t now_ns) {
    // The clock may be set back: then the next second begins anew.
    if (now_ns >= flushed_at_ns_ && now_ns - flushed_at_ns_ < kFlushNs) return;
    if (flushed_at_ns_ != 0) write_chunk();
    flushed_at_ns_ = now_ns;
  }

  void write_chunk() {
    if (raw_.empty()) return;
    if (!file_.owned_by_this_process()) {
      ended_ = stopped_ = true;
      return;
    }
    auto& out = deflater_.deflate(raw_.data(), raw_.size(), recording::kChunkHeaderBytes);
    recording::ChunkHeader header;
    header.raw_bytes = static_cast<std::uint32_t>(raw_.size());
    header.stored_bytes = static_cast<std::uint32_t>(out.size() - recording::kChunkHeaderBytes);
    header.crc = static_cast<std::uint32_t>(crc32(0, raw_.data(), static_cast<uInt>(raw_.size())));
    const auto front = recording::encode_chunk_header(header);
    std::copy(front.begin(), front.end(), out.begin());
    append_chunk(out);
    raw_.clear();
    buffered_records_ = 0;
  }

  void append_chunk(const std::vector<std::uint8_t>& chunk) {
    // The end mark must always still fit.
    if (file_.bytes_written() + chunk.size() + recording::kChunkHeaderBytes > limit_bytes_) {
      stopped_ = true;
      return end(recording::EndReason::limit);
    }
    status_ = file_.append(chunk.data(), chunk.size());
    if (!status_.ok()) {
      stopped_ = true;
      return end(recording::EndReason::write_error);
    }
    written_records_ += buffered_records_;
  }

  void end(recording::EndReason reason) {
    ended_ = true;
    if (!file_.owned_by_this_process()) return;
    const auto mark = recording::encode_chunk_header(recording::end_mark(reason, written_records_));
    const absl::Status status = file_.append(mark.data(), mark.size());
    if (status_.ok()) status_ = status;
    stopped_ = stopped_ || !status_.ok();
  }

  recording::OutputFile file_;
  const std::uint64_t limit_bytes_;
  recording::Deflater deflater_;
  std::vector<std::uint8_t> raw_;  // the chunk being filled; its capacity never changes
  std::uint64_t buffered_records_ = 0;
  std::uint64_t written_records_ = 0;
  std::uint64_t flushed_at_ns_ = 0;  // of the ticks' clock; 0 before the first
  bool ended_ = false;               // the end mark was written, or tried
  bool stopped_ = false;
  absl::Status status_;
};

absl::StatusOr<std::unique_ptr<RecordingWriter>> RecordingWriter::open(const std::string& path,
                                                                       std::uint64_t limit_bytes) {
  auto file = recording::OutputFile::open(path);
  if (!file.ok()) return file.status();
  std::unique_ptr<Impl> impl;
  try {
    impl = std::make_unique<Impl>(*std::move(file), limit_bytes);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot write the recording ", path, ": no memory"));
  }
  if (const absl::Status status = impl->begin(); !status.ok()) return status;
  return std::unique_ptr<RecordingWriter>(new RecordingWriter(std::move(impl)));
}

RecordingWriter::RecordingWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RecordingWriter::~RecordingWriter() { impl_->close().IgnoreError(); }
void RecordingWriter::consume(const RecordHeader& record) { impl_->consume(record); }
absl::Status RecordingWriter::close() { return impl_->close(); }
bool RecordingWriter::stopped() const { return impl_->stopped(); }
std::uint64_t RecordingWriter::bytes_written() const { return impl_->bytes_written(); }
absl::Status RecordingWriter::status() const { return impl_->status(); }

}  // namespace gapscope
