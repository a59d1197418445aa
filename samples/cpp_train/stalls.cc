#include "stalls.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "cuda_check.h"
#include "gapscope/gapscope.hpp"

namespace cpp_train {
namespace {

[[noreturn]] void usage(const std::string& what) {
  std::fprintf(stderr, "cpp_train: %s\n", what.c_str());
  std::exit(2);
}

// Reads the whole file, from the disk where the system can be talked into it.
void read_file(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) usage("cannot read " + path);
  posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  std::vector<char> block(1 << 20);
  while (read(fd, block.data(), block.size()) > 0) {
  }
  close(fd);
}

// A kernel in PTX that no cache has seen: `number` makes it new, its length takes time to compile.
std::string module_text(long number) {
  std::string text =
      ".version 7.0\n.target sm_75\n.address_size 64\n"
      ".visible .entry planted_" +
      std::to_string(number) +
      "(.param .u64 out)\n{\n"
      "  .reg .u64 %p;\n  .reg .f32 %a, %b;\n"
      "  ld.param.u64 %p, [out];\n  cvta.to.global.u64 %p, %p;\n"
      "  ld.global.f32 %a, [%p];\n  ld.global.f32 %b, [%p+4];\n";
  for (int i = 0; i < 2000; ++i) text += "  fma.rn.f32 %a, %a, %b, %a;\n  sin.approx.f32 %b, %a;\n";
  return text + "  st.global.f32 [%p], %a;\n  ret;\n}\n";
}

}  // namespace

Stalls::Stalls(const std::string& spec, int every) : spec_(spec), every_(every) {
  if (spec.empty() || spec == "none") return;
  const std::size_t colon = spec.find(':');
  const std::string kind = spec.substr(0, colon);
  const std::string value = colon == std::string::npos ? "" : spec.substr(colon + 1);
  if (value.empty()) usage("--plant needs sleep:MS, malloc:BYTES, read:FILE or module:COUNT");
  if (kind == "read") {
    kind_ = Kind::read;
    file_ = value;
    return;
  }
  char* end = nullptr;
  amount_ = std::strtoll(value.c_str(), &end, 10);
  if (*end != '\0' || amount_ <= 0) usage("--plant " + spec + ": not a positive number");
  if (kind == "sleep") kind_ = Kind::sleep;
  if (kind == "malloc") kind_ = Kind::malloc;
  if (kind == "module") kind_ = Kind::module;
  if (kind_ == Kind::none) usage("--plant " + spec + ": unknown kind of stall");
}

void Stalls::before_step(int step, cudaStream_t stream) {
  if (kind_ == Kind::none || step == 0 || step % every_ != 0) return;
  // Polled, not waited for: a blocking call here would be a second cause for the same gap.
  cudaError_t status = cudaErrorNotReady;
  while ((status = cudaStreamQuery(stream)) == cudaErrorNotReady) std::this_thread::yield();
  CPP_TRAIN_CHECK(status);
  const auto begin = std::chrono::steady_clock::now();
  {
    const gapscope::Range range(("planted " + spec_.substr(0, spec_.find(':'))).c_str());
    stall();
  }
  total_ += std::chrono::steady_clock::now() - begin;
  ++count_;
}

void Stalls::stall() {
  if (kind_ == Kind::sleep) std::this_thread::sleep_for(std::chrono::milliseconds(amount_));
  if (kind_ == Kind::read) read_file(file_);
  if (kind_ == Kind::malloc) {
    void* memory = nullptr;
    CPP_TRAIN_CHECK(cudaMalloc(&memory, static_cast<std::size_t>(amount_)));
    CPP_TRAIN_CHECK(cudaFree(memory));
  }
  if (kind_ == Kind::module) {
    for (long long i = 0; i < amount_; ++i) load_module();
  }
}

// Through the driver, as frameworks load what they have just compiled.
void Stalls::load_module() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) usage("the CUDA driver library is not loaded");
  using Load = int (*)(void**, const void*);
  using Unload = int (*)(void*);
  const auto load = reinterpret_cast<Load>(dlsym(driver, "cuModuleLoadData"));
  const auto unload = reinterpret_cast<Unload>(dlsym(driver, "cuModuleUnload"));
  if (load == nullptr || unload == nullptr) usage("the CUDA driver cannot load modules");
  void* module = nullptr;
  const std::string text = module_text(1000L * getpid() + modules_++);
  const int status = load(&module, text.c_str());
  if (status != 0) usage("cuModuleLoadData failed with " + std::to_string(status));
  unload(module);
  dlclose(driver);
}

}  // namespace cpp_train
