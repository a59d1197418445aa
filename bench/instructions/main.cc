// gapscope_instructions [SUBJECT]: without one, names them all; with one, runs it and prints how
// many records were worked on.
#include <cinttypes>
#include <cstdio>
#include <utility>
#include <vector>

#include "subject.h"

namespace gapscope::bench {
namespace {

std::vector<std::pair<const char*, Subject>>& subjects() {
  static std::vector<std::pair<const char*, Subject>> list;
  return list;
}

}  // namespace

[[gnu::noinline]] void count_here(void (*f)(void*), void* context) {
  f(context);
  asm volatile("" ::: "memory");  // no tail call: it would leave this function first
}

bool register_subject(const char* name, Subject subject) {
  subjects().emplace_back(name, subject);
  return true;
}

int run(const char* wanted) {
  for (const auto& [name, subject] : subjects()) {
    if (wanted == nullptr) {
      std::puts(name);
    } else if (std::strcmp(wanted, name) == 0) {
      const std::uint64_t records = subject();
      std::printf("%" PRIu64 "\n", records);
      return records == 0 ? 1 : 0;
    }
  }
  return wanted == nullptr ? 0 : 2;
}

}  // namespace gapscope::bench

int main(int argc, char** argv) { return gapscope::bench::run(argc > 1 ? argv[1] : nullptr); }
