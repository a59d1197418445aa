#include <zlib.h>

#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "record/recording.h"
#include "record/recording_format.h"
#include "record/recording_source.h"
#include "record/recording_zlib.h"

namespace gapscope {
namespace {

// Reads one recording from front to back. Memory: one raw and one stored chunk at most.
class Reader {
 public:
  Reader(recording::Source& source, std::string name, RecordSink& sink,
         const ReplayProgress& progress)
      : source_(source), name_(std::move(name)), sink_(sink), progress_(progress) {}

  absl::StatusOr<ReplayInfo> run() {
    if (const absl::Status status = read_header(); !status.ok()) return status;
    bool more = true;
    while (more) {
      if (const absl::Status status = read_chunk(&more); !status.ok()) return status;
      if (progress_) progress_(source_.done_bytes(), source_.total_bytes());
    }
    return info_;
  }

 private:
  template <typename... Parts>
  absl::Status refuse(const Parts&... parts) const {
    return absl::InvalidArgumentError(absl::StrCat(name_, ": ", parts...));
  }

  absl::Status damaged(std::string_view what) const {
    return refuse("the recording is damaged: ", what, " (at byte ", chunk_at_, ", after ",
                  info_.records, " records)");
  }

  absl::Status read_header() {
    recording::HeaderBytes bytes{};
    const auto got = source_.read(bytes.data(), bytes.size());
    if (!got.ok()) return got.status();
    if (*got == 0) return refuse("not a gapscope recording: the file is empty");
    std::uint16_t version = 0;
    const auto error = recording::decode_header(bytes, &version);
    if (*got < 8 || error == recording::HeaderError::not_a_recording) {
      return refuse("not a gapscope recording");
    }
    if (error == recording::HeaderError::newer) {
      return refuse("written by a newer gapscope (format ", version, "; this one reads up to ",
                    kRecordingVersion, ")");
    }
    return absl::OkStatus();
  }

  // *more becomes false at the end mark and where the file was cut off.
  absl::Status read_chunk(bool* more) {
    *more = false;
    chunk_at_ = source_.done_bytes();
    recording::ChunkHeaderBytes bytes{};
    auto got = source_.read(bytes.data(), bytes.size());
    if (!got.ok()) return got.status();
    if (*got < bytes.size()) return absl::OkStatus();
    const recording::ChunkHeader header = recording::decode_chunk_header(bytes);
    if (header.raw_bytes == 0) return read_end(header);
    if (!recording::plausible(header)) return damaged("a chunk of impossible size");
    stored_.resize(header.stored_bytes);
    got = source_.read(stored_.data(), stored_.size());
    if (!got.ok()) return got.status();
    if (*got < stored_.size()) return absl::OkStatus();
    *more = true;
    return feed_chunk(header);
  }

  absl::Status read_end(const recording::ChunkHeader& header) {
    const auto reason = static_cast<recording::EndReason>(header.stored_bytes);
    const std::uint64_t records = info_.records + info_.unknown;
    if (header.crc != recording::end_mark(reason, records).crc) return damaged("its end mark");
    std::uint8_t extra = 0;
    const auto got = source_.read(&extra, 1);
    if (!got.ok()) return got.status();
    if (*got != 0) return damaged("data after its end");
    info_.complete = true;
    info_.stopped_at_limit = reason == recording::EndReason::limit;
    info_.write_failed = reason == recording::EndReason::write_error;
    return absl::OkStatus();
  }

  absl::Status feed_chunk(const recording::ChunkHeader& header) {
    // As words, so that records, multiples of 8 bytes, stay aligned.
    raw_.resize(header.raw_bytes / sizeof(std::uint64_t));
    const auto* raw = reinterpret_cast<const std::uint8_t*>(raw_.data());
    if (!inflater_.inflate(stored_.data(), stored_.size(), raw_.data(), header.raw_bytes)) {
      return damaged("a chunk cannot be uncompressed");
    }
    if (crc32(0, raw, header.raw_bytes) != header.crc) return damaged("a checksum does not match");
    if (!for_each(raw, header.raw_bytes, [](const RecordHeader&) {})) {
      return damaged("a record of impossible size");
    }
    for_each(raw, header.raw_bytes, [this](const RecordHeader& record) { feed(record); });
    return absl::OkStatus();
  }

  // False when the records do not fill the chunk exactly.
  template <typename F>
  static bool for_each(const std::uint8_t* raw, std::size_t bytes, F&& f) {
    std::size_t at = 0;
    while (at < bytes) {
      const auto& record = *reinterpret_cast<const RecordHeader*>(raw + at);
      if (!recording::plausible_record(record, bytes - at)) return false;
      f(record);
      at += record.size_bytes;
    }
    return true;
  }

  void feed(const RecordHeader& record) {
    // Kinds are only ever appended: one beyond ours comes from a newer version of this format.
    if (record.kind >= RecordKind::count_) {
      ++info_.unknown;
      return;
    }
    ++info_.records;
    sink_.consume(record);
  }

  recording::Source& source_;
  const std::string name_;
  RecordSink& sink_;
  const ReplayProgress& progress_;
  recording::Inflater inflater_;
  std::vector<std::uint8_t> stored_;
  std::vector<std::uint64_t> raw_;
  std::uint64_t chunk_at_ = 0;
  ReplayInfo info_;
};

}  // namespace

absl::StatusOr<ReplayInfo> replay_recording(const std::string& path, RecordSink& sink,
                                            const ReplayProgress& progress) {
  auto source = recording::FileSource::open(path);
  if (!source.ok()) return source.status();
  return Reader(**source, path, sink, progress).run();
}

absl::StatusOr<ReplayInfo> replay_recording(const void* data, std::size_t bytes, RecordSink& sink) {
  recording::MemorySource source(data, bytes);
  return Reader(source, "recording", sink, {}).run();
}

}  // namespace gapscope
