// Fills every field that lib/report/fields.h names, each with a value of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/fields.h"

namespace gapscope::test {

class Filler {
 public:
  explicit Filler(std::size_t list_length = 2) : list_length_(list_length) {}

  template <class T>
  void operator()(const char* key, T& out) {
    fill(key, out);
  }

  void device_copies(const char* key, std::vector<report::Device>& devices) {
    for (report::Device& device : devices) fill(key, device.copies);
  }

 private:
  void fill(const char* key, std::string& out) {
    out = std::string(key) + " " + std::to_string(++next_);
  }
  void fill(const char*, bool& out) { out = true; }
  void fill(const char*, std::int64_t& out) { out = ++next_; }
  void fill(const char*, std::uint64_t& out) { out = static_cast<std::uint64_t>(++next_); }
  void fill(const char*, std::uint32_t& out) { out = static_cast<std::uint32_t>(++next_); }
  void fill(const char*, double& out) { out = static_cast<double>(++next_) + 0.1; }
  void fill(const char*, std::uint32_t (&out)[3]) {
    for (auto& value : out) value = static_cast<std::uint32_t>(++next_);
  }
  template <class T>
  void fill(const char* key, std::optional<T>& out) {
    fill(key, out.emplace());
  }
  template <class T>
  void fill(const char* key, std::vector<T>& out) {
    for (std::size_t i = 0; i < list_length_; ++i) fill(key, out.emplace_back());
  }
  template <class T>
  void fill(const char*, T& out) {
    report::fields(*this, out);
  }

  std::size_t list_length_;
  std::int64_t next_ = 0;
};

inline report::Report filled_report() {
  report::Report report;
  Filler filler;
  report::fields(filler, report);
  return report;
}

}  // namespace gapscope::test
