#include "truth.h"

#include <unistd.h>

#include <cstdio>

namespace fake_driver {
namespace {

constexpr const char* kFates[] = {"recorded", "lost",     "late",     "dropped",
                                  "zero",     "sentinel", "reversed", "none"};

unsigned long long ull(std::uint64_t v) { return v; }

}  // namespace

void Truth::add(const Operation& operation) {
  std::lock_guard lock(mutex_);
  operations_.push_back(operation);
}

void Truth::add_call(const std::string& name, const fake_call_spec& spec,
                     const fake_call_result& result) {
  std::lock_guard lock(mutex_);
  Calls& calls = calls_[name];
  ++calls.count;
  calls.failed += spec.result != 0 ? 1 : 0;
  calls.captured += spec.captured != 0 ? 1 : 0;
  calls.total_ns += static_cast<std::int64_t>(result.exit_ns - result.enter_ns);
}

void Truth::set(const std::string& key, std::int64_t value) {
  std::lock_guard lock(mutex_);
  values_[key] = value;
}

bool Truth::write(const std::string& path) const {
  std::lock_guard lock(mutex_);
  std::FILE* f = std::fopen(path.c_str(), "w");
  if (f == nullptr) return false;
  std::fprintf(f, "{\"pid\": %d,\n\"values\": {", static_cast<int>(getpid()));
  const char* comma = "";
  for (const auto& [key, value] : values_) {
    std::fprintf(f, "%s\"%s\": %lld", comma, key.c_str(), static_cast<long long>(value));
    comma = ", ";
  }
  std::fprintf(f, "},\n\"calls\": {");
  comma = "";
  for (const auto& [name, c] : calls_) {
    std::fprintf(f,
                 "%s\n\"%s\": {\"count\": %lld, \"failed\": %lld, \"captured\": %lld, "
                 "\"total_ns\": %lld}",
                 comma, name.c_str(), static_cast<long long>(c.count),
                 static_cast<long long>(c.failed), static_cast<long long>(c.captured),
                 static_cast<long long>(c.total_ns));
    comma = ",";
  }
  std::fprintf(f, "},\n\"operations\": [");
  comma = "";
  for (const Operation& o : operations_) {
    std::fprintf(f,
                 "%s\n{\"kind\": \"%s\", \"name\": \"%s\", \"device\": %u, \"stream\": %u, "
                 "\"start_ns\": %llu, \"end_ns\": %llu, \"bytes\": %llu, \"correlation\": %u, "
                 "\"fate\": \"%s\", \"counted\": %s, \"graph\": %s, \"enter_ns\": %llu}",
                 comma, o.kind.c_str(), o.name.c_str(), o.device, o.stream, ull(o.start_ns),
                 ull(o.end_ns), ull(o.bytes), o.correlation, kFates[o.fate],
                 o.counted ? "true" : "false", o.graph ? "true" : "false", ull(o.enter_ns));
    comma = ",";
  }
  std::fprintf(f, "]}\n");
  return std::fclose(f) == 0;
}

}  // namespace fake_driver
