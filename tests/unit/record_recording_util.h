// Helpers of the recording tests: a folder that goes away, whole files, a sink that keeps bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "catch.h"
#include "record/recording.h"

namespace gapscope::test {

class TempDir {
 public:
  TempDir() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "gapscope_recording_XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

using Bytes = std::vector<std::uint8_t>;

inline Bytes read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in.good());
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

inline void write_file(const std::string& path, const Bytes& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  REQUIRE(out.good());
}

// Keeps every record's bytes, and holds the reader to what consumers are promised.
class KeepingSink final : public RecordSink {
 public:
  void consume(const RecordHeader& record) override {
    misaligned += reinterpret_cast<std::uintptr_t>(&record) % 8 != 0;
    const auto* at = reinterpret_cast<const std::uint8_t*>(&record);
    bytes.insert(bytes.end(), at, at + record.size_bytes);
    ++records;
  }
  Bytes bytes;
  std::uint64_t records = 0;
  std::uint64_t misaligned = 0;
};

// A stream of records of several kinds and sizes, texts included; the same for the same seed.
class RecordMaker {
 public:
  explicit RecordMaker(std::uint32_t seed) : random_(seed) {}

  // Gives `count` records to each sink.
  template <typename... Sinks>
  void make(std::size_t count, Sinks&... sinks) {
    for (std::size_t i = 0; i < count; ++i) {
      const RecordHeader& record = next();
      (sinks.consume(record), ...);
    }
  }

 private:
  const RecordHeader& next() {
    time_ns_ += random_() % 5000;
    switch (random_() % 4) {
      case 0: {
        auto r = make_record<ApiCallRecord>(random_() % 4);
        r.start_ns = time_ns_;
        r.end_ns = time_ns_ + random_() % 4000;
        r.correlation_id = ++correlation_;
        return put(r, "");
      }
      case 1: {
        auto r = make_record<StringDefRecord>();
        r.id = ++strings_;
        const std::string text(random_() % 300, static_cast<char>('a' + random_() % 26));
        r.text_bytes = static_cast<std::uint32_t>(text.size());
        return put(r, text);
      }
      default: {
        auto r = make_record<KernelRecord>();
        r.start_ns = time_ns_;
        r.end_ns = time_ns_ + random_() % 90000;
        r.correlation_id = correlation_;
        r.grid[0] = random_();
        return put(r, "");
      }
    }
  }

  template <typename T>
  const RecordHeader& put(T record, const std::string& text) {
    record.header.size_bytes = static_cast<std::uint16_t>(sizeof(T) + round_up_8(text.size()));
    std::memset(room_, 0, sizeof(room_));
    std::memcpy(room_, &record, sizeof(T));
    std::memcpy(room_ + sizeof(T), text.data(), text.size());
    return *reinterpret_cast<const RecordHeader*>(room_);
  }

  std::mt19937 random_;
  std::uint64_t time_ns_ = 1'700'000'000'000'000'000;
  std::uint32_t correlation_ = 0;
  std::uint32_t strings_ = 0;
  alignas(8) std::uint8_t room_[kMaxRecordBytes];
};

// A finished recording of `count` records, as bytes, and what it holds.
struct Sample {
  Bytes file;
  Bytes records;
  std::uint64_t count = 0;
};

inline Sample make_sample(std::size_t count, std::uint32_t seed = 1) {
  const TempDir dir;
  Sample sample;
  KeepingSink kept;
  {
    auto writer = RecordingWriter::open(dir / "a.gsrec", 1u << 30);
    REQUIRE(writer.ok());
    RecordMaker(seed).make(count, **writer, kept);
    REQUIRE((*writer)->close().ok());
  }
  sample.file = read_file(dir / "a.gsrec");
  sample.records = kept.bytes;
  sample.count = kept.records;
  return sample;
}

inline absl::StatusOr<ReplayInfo> replay(const Bytes& file, RecordSink& sink) {
  return replay_recording(file.data(), file.size(), sink);
}

}  // namespace gapscope::test
