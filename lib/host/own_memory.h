// Reads of this process's own memory that cannot fault: another thread may free or unmap what is
// being read at any moment. One system call a read; what comes back may be torn and is for the
// caller to check.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace gapscope {

class OwnMemory {
 public:
  OwnMemory() = default;
  ~OwnMemory();
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;

  // Finds a way that works here: process_vm_readv, which some containers forbid, else
  // /proc/self/mem. False when there is none. In the process that will read, not before a fork.
  bool open() noexcept;

  // All of bytes, or false. Any thread.
  bool read(std::uint64_t address, void* to, std::size_t bytes) const noexcept;
  template <typename T>
  bool read(std::uint64_t address, T& value) const noexcept {
    static_assert(std::is_trivially_copyable_v<T>);
    return read(address, &value, sizeof(T));
  }

 private:
  bool read_by_call(std::uint64_t address, void* to, std::size_t bytes) const noexcept;

  pid_t pid_ = 0;  // 0: process_vm_readv is not to be had
  int file_ = -1;  // /proc/self/mem
};

}  // namespace gapscope
