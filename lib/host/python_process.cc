#include "host/python_process.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>

namespace gapscope {
namespace {

std::uint64_t address_of(const char* name) {
  return reinterpret_cast<std::uint64_t>(PythonProcess::symbol(name));
}

// 0x030c03f0 for 3.12.3; 0 when there is no telling.
std::uint32_t version_hex() {
  if (const void* version = PythonProcess::symbol("Py_Version")) {  // from 3.11
    unsigned long hex = 0;
    std::memcpy(&hex, version, sizeof(hex));
    return static_cast<std::uint32_t>(hex);
  }
  using GetVersion = const char* (*)();
  const auto get = reinterpret_cast<GetVersion>(PythonProcess::symbol("Py_GetVersion"));
  if (get == nullptr) return 0;
  const char* text = get();
  std::uint32_t hex = 0;
  for (int shift = 24; shift >= 8; shift -= 8) {
    char* end = nullptr;
    const unsigned long part = std::strtoul(text, &end, 10);
    if (end == text || part > 255) return 0;
    hex |= static_cast<std::uint32_t>(part) << shift;
    text = *end == '.' ? end + 1 : end;
  }
  return hex | 0xf0;
}

// Where the calling thread's id stands in its pthread descriptor: the one word that holds it.
std::uint32_t find_tid(const OwnMemory& memory) {
  constexpr std::size_t kLook = 512;
  std::array<std::uint32_t, kLook> words{};
  const auto self = static_cast<std::uint64_t>(pthread_self());
  const auto tid = static_cast<std::uint32_t>(::syscall(SYS_gettid));
  if (!memory.read(self, words.data(), sizeof(words))) return kAbsent;
  for (std::size_t i = 0; i < kLook; ++i) {
    if (words[i] == tid) return static_cast<std::uint32_t>(i * 4);
  }
  return kAbsent;
}

}  // namespace

void* PythonProcess::symbol(const char* name) noexcept { return ::dlsym(RTLD_DEFAULT, name); }

PythonProcess PythonProcess::find(const OwnMemory& memory) {
  PythonProcess p;
  p.runtime = address_of("_PyRuntime");
  if (p.runtime == 0) return p;
  p.state = State::unsupported;
  const std::uint32_t hex = version_hex();
  p.version = fmt::format("{}.{}.{}", hex >> 24, hex >> 16 & 0xff, hex >> 8 & 0xff);
  p.code_type = address_of("PyCode_Type");
  p.unicode_type = address_of("PyUnicode_Type");
  p.bytes_type = address_of("PyBytes_Type");
  if (p.code_type == 0 || p.unicode_type == 0 || p.bytes_type == 0) {
    p.why_not = "its symbols are hidden";
    return p;
  }
  std::array<std::uint64_t, kDebugOffsetsBytes / 8> head{};
  if (!memory.read(p.runtime, head.data(), kDebugOffsetsBytes)) {
    p.why_not = "this process may not read its own memory (process_vm_readv, /proc/self/mem)";
    return p;
  }
  const auto layout = python_layout(hex, head, &p.why_not);
  if (!layout) return p;
  p.layout = *layout;
  if (layout->thread_native_id == kAbsent) {
    p.pthread_tid = find_tid(memory);
    if (p.pthread_tid == kAbsent) {
      p.why_not = "its threads cannot be told apart with this C library";
      return p;
    }
  }
  p.state = State::ready;
  return p;
}

}  // namespace gapscope
