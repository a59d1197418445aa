// What is not a whole recording: other files, newer versions, damage, files cut off. Never a crash,
// and never records that were not recorded.
#include <zlib.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "record/recording_format.h"
#include "record_recording_util.h"

using namespace gapscope;
using namespace gapscope::test;
using recording::kChunkHeaderBytes;
using recording::kHeaderBytes;

namespace {

std::string error_of(const Bytes& file) {
  KeepingSink sink;
  const auto info = replay(file, sink);
  REQUIRE_FALSE(info.ok());
  CHECK(info.status().code() == absl::StatusCode::kInvalidArgument);
  CHECK_FALSE(absl::StrContains(info.status().message(), "\n"));
  return std::string(info.status().message());
}

Bytes text(const std::string& s) { return Bytes(s.begin(), s.end()); }

bool is_prefix(const Bytes& part, const Bytes& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

// A recording with one chunk of exactly these raw bytes, checksums and all, as an enemy writes it.
Bytes forge(const Bytes& raw, std::uint64_t records) {
  uLongf stored_bytes = compressBound(raw.size());
  Bytes stored(stored_bytes);
  REQUIRE(compress(stored.data(), &stored_bytes, raw.data(), raw.size()) == Z_OK);
  const auto header = recording::encode_header(kRecordingVersion);
  Bytes file(header.begin(), header.end());
  const auto chunk = recording::encode_chunk_header(
      {static_cast<std::uint32_t>(raw.size()), static_cast<std::uint32_t>(stored_bytes),
       static_cast<std::uint32_t>(crc32(0, raw.data(), static_cast<uInt>(raw.size())))});
  file.insert(file.end(), chunk.begin(), chunk.end());
  file.insert(file.end(), stored.begin(),
              stored.begin() + static_cast<std::ptrdiff_t>(stored_bytes));
  const auto end =
      recording::encode_chunk_header(recording::end_mark(recording::EndReason::closed, records));
  file.insert(file.end(), end.begin(), end.end());
  return file;
}

template <typename T>
Bytes bytes_of(const T& value) {
  const auto* at = reinterpret_cast<const std::uint8_t*>(&value);
  return Bytes(at, at + sizeof(T));
}

}  // namespace

TEST_CASE("files that are something else") {
  CHECK(absl::StrContains(error_of({}), "empty"));
  for (const Bytes& other : {text("{\"schema_version\": 1}\n"),
                             text("\x7f"
                                  "ELF and so on, and more"),
                             text("GSREC"), Bytes(5000, 0), Bytes(3, 'G')}) {
    CHECK(absl::StrContains(error_of(other), "not a gapscope recording"));
  }
}

TEST_CASE("a newer version is called that") {
  Sample sample = make_sample(5);
  sample.file[6] = kRecordingVersion + 1;
  CHECK(absl::StrContains(error_of(sample.file), "newer gapscope (format 2"));
  sample.file[6] = kRecordingVersion;
  sample.file[8] = 1;  // a flag that this version does not know
  CHECK(absl::StrContains(error_of(sample.file), "newer gapscope"));
}

TEST_CASE("files that cannot be read at all") {
  const TempDir dir;
  KeepingSink sink;
  const auto missing = replay_recording(dir / "none.gsrec", sink);
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.status().code() == absl::StatusCode::kNotFound);
  CHECK(absl::StrContains(missing.status().message(), dir / "none.gsrec"));
  const auto folder = replay_recording(dir / ".", sink);
  REQUIRE_FALSE(folder.ok());
  CHECK(absl::StrContains(folder.status().message(), "directory"));
  write_file(dir / "other", text("hello"));
  const auto other = replay_recording(dir / "other", sink);
  REQUIRE_FALSE(other.ok());
  CHECK(absl::StrContains(other.status().message(), dir / "other"));
}

TEST_CASE("cut off at any byte: what is there is fed, and it is said") {
  const Sample sample = make_sample(40, 5);
  for (std::size_t n = 8; n < sample.file.size(); ++n) {
    KeepingSink sink;
    const auto info =
        replay(Bytes(sample.file.begin(), sample.file.begin() + std::ptrdiff_t(n)), sink);
    INFO(n);
    REQUIRE(info.ok());
    REQUIRE_FALSE(info->complete);
    REQUIRE(info->records == sink.records);
    REQUIRE(is_prefix(sink.bytes, sample.records));
    const bool whole_chunk = n >= sample.file.size() - kChunkHeaderBytes;
    REQUIRE(sink.records == (whole_chunk ? sample.count : 0));
  }
}

TEST_CASE("cut off between chunks: the chunks before are fed") {
  const Sample sample = make_sample(9000, 5);
  const std::size_t half = sample.file.size() / 2;
  KeepingSink sink;
  const auto info =
      replay(Bytes(sample.file.begin(), sample.file.begin() + std::ptrdiff_t(half)), sink);
  REQUIRE(info.ok());
  CHECK_FALSE(info->complete);
  CHECK(info->records > 0);
  CHECK(info->records < sample.count);
  CHECK(is_prefix(sink.bytes, sample.records));
}

TEST_CASE("any bit flipped: an error, or nothing but what was recorded") {
  const Sample sample = make_sample(30, 11);
  std::size_t noticed = 0;
  for (std::size_t bit = 0; bit < sample.file.size() * 8; ++bit) {
    Bytes file = sample.file;
    file[bit / 8] = static_cast<std::uint8_t>(file[bit / 8] ^ (1u << (bit % 8)));
    KeepingSink sink;
    const auto info = replay(file, sink);
    INFO(bit);
    REQUIRE(is_prefix(sink.bytes, sample.records));
    REQUIRE(sink.misaligned == 0);
    if (!info.ok() || !info->complete) {
      ++noticed;
    } else {
      REQUIRE(sink.bytes == sample.records);
      REQUIRE(bit / 8 >= 12);  // only the header's reserved bytes and zlib's own spare bits
    }
  }
  CHECK(noticed > sample.file.size() * 8 - 8 * kHeaderBytes);
}

TEST_CASE("random damage of several bytes, several chunks") {
  const Sample sample = make_sample(6000, 12);
  std::mt19937 random(99);
  for (int round = 0; round < 300; ++round) {
    Bytes file = sample.file;
    for (int i = 0; i < 4; ++i) file[random() % file.size()] = static_cast<std::uint8_t>(random());
    if (round % 3 == 0) file.resize(random() % file.size());
    KeepingSink sink;
    const auto info = replay(file, sink);
    INFO(round);
    REQUIRE(is_prefix(sink.bytes, sample.records));
    if (info.ok() && info->complete) REQUIRE(sink.bytes == sample.records);
  }
}

TEST_CASE("a chunk taken out or put twice is noticed") {
  const Sample sample = make_sample(9000, 5);
  recording::ChunkHeaderBytes first{};
  std::copy_n(sample.file.begin() + kHeaderBytes, kChunkHeaderBytes, first.begin());
  const auto chunk = recording::decode_chunk_header(first);
  const auto begin = sample.file.begin() + kHeaderBytes;
  const auto end = begin + kChunkHeaderBytes + chunk.stored_bytes;
  Bytes without(sample.file.begin(), begin);
  without.insert(without.end(), end, sample.file.end());
  CHECK(absl::StrContains(error_of(without), "damaged"));
  Bytes twice(sample.file.begin(), end);
  twice.insert(twice.end(), begin, sample.file.end());
  CHECK(absl::StrContains(error_of(twice), "damaged"));
}

TEST_CASE("data after the end, and zeros where chunks were, are damage") {
  Sample sample = make_sample(5);
  Bytes longer = sample.file;
  longer.push_back(0);
  CHECK(absl::StrContains(error_of(longer), "after its end"));
  std::fill(sample.file.begin() + kHeaderBytes, sample.file.end(), std::uint8_t{0});
  CHECK(absl::StrContains(error_of(sample.file), "damaged"));
}

TEST_CASE("sizes in a chunk header are bounded before anything is read or allocated") {
  const Sample sample = make_sample(5);
  for (const recording::ChunkHeader& bad : {recording::ChunkHeader{0xfffffff8u, 100, 0},
                                            {kMaxChunkBytes + 8, 100, 0},
                                            {16, 0xffffffffu, 0},
                                            {16, 0, 0},
                                            {12, 10, 0},
                                            {4, 10, 0}}) {
    Bytes file(sample.file.begin(), sample.file.begin() + kHeaderBytes);
    const auto header = recording::encode_chunk_header(bad);
    file.insert(file.end(), header.begin(), header.end());
    CHECK(absl::StrContains(error_of(file), "impossible size"));
  }
}

TEST_CASE("well-formed chunks of malformed records are refused, none of them fed") {
  auto good = make_record<KernelRecord>();
  for (const std::uint16_t size : {0, 4, 7, 20, 104, 65528}) {
    auto bad = good;
    bad.header.size_bytes = size;
    Bytes raw = bytes_of(good);
    const Bytes second = bytes_of(bad);
    raw.insert(raw.end(), second.begin(), second.end());
    KeepingSink sink;
    const auto info = replay(forge(raw, 2), sink);
    INFO(size);
    REQUIRE_FALSE(info.ok());
    CHECK(sink.records == 0);
  }
  auto none = good;
  none.header.kind = RecordKind::none;
  CHECK(absl::StrContains(error_of(forge(bytes_of(none), 1)), "damaged"));
  KeepingSink sink;
  CHECK(replay(forge(bytes_of(good), 1), sink).ok());
}

TEST_CASE("records of kinds from the future are counted and skipped") {
  const auto good = make_record<KernelRecord>();
  auto future = good;
  future.header.kind = static_cast<RecordKind>(200);
  Bytes raw = bytes_of(future);
  const Bytes second = bytes_of(good);
  raw.insert(raw.end(), second.begin(), second.end());
  KeepingSink sink;
  const auto info = replay(forge(raw, 2), sink);
  REQUIRE(info.ok());
  CHECK(info->complete);
  CHECK(info->records == 1);
  CHECK(info->unknown == 1);
  CHECK(sink.bytes == second);
}
