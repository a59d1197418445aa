// Where a recording is read from. Part of recording.h's implementation. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gapscope::recording {

class Source {
 public:
  virtual ~Source() = default;
  // As many bytes as asked for, fewer only at the end.
  virtual absl::StatusOr<std::size_t> read(void* to, std::size_t bytes) = 0;
  virtual std::uint64_t total_bytes() const = 0;  // 0 when unknown
  std::uint64_t done_bytes() const { return done_; }

 protected:
  std::uint64_t done_ = 0;
};

class FileSource final : public Source {
 public:
  static absl::StatusOr<std::unique_ptr<FileSource>> open(const std::string& path);
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  ~FileSource() override;
  absl::StatusOr<std::size_t> read(void* to, std::size_t bytes) override;
  std::uint64_t total_bytes() const override { return total_; }

 private:
  FileSource(std::string path, int fd, std::uint64_t total);
  const std::string path_;
  const int fd_;
  const std::uint64_t total_;
};

class MemorySource final : public Source {
 public:
  MemorySource(const void* data, std::size_t bytes);
  absl::StatusOr<std::size_t> read(void* to, std::size_t bytes) override;
  std::uint64_t total_bytes() const override { return total_; }

 private:
  const std::uint8_t* const data_;
  const std::size_t total_;
};

}  // namespace gapscope::recording
