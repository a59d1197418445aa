#include "sink/csv.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "fmt/format.h"
#include "sink/figures.h"
#include "sink/safe_text.h"

namespace gapscope::sink {
namespace {

// What is known of the executions that share a name.
class Line {
 public:
  explicit Line(std::string name) : name_(std::move(name)) {}

  void add(const report::Distribution& d) {
    if (d.count <= 0) return;
    const auto n = static_cast<double>(d.count);
    const double mean = static_cast<double>(d.total_ns) / n;
    squares_ += n * (d.stddev_ns * d.stddev_ns + mean * mean);
    least_ = parts_.empty() ? d.min_ns : std::min(least_, d.min_ns);
    most_ = parts_.empty() ? d.max_ns : std::max(most_, d.max_ns);
    count_ += n;
    total_ += static_cast<double>(d.total_ns);
    parts_.push_back(d);
  }

  bool empty() const { return parts_.empty(); }
  double total() const { return total_; }

  std::string text(std::int64_t percent_tenths) const {
    const double mean = total_ / count_;
    return fmt::format("{}.{},{:.0f},{:.0f},{:.1f},{:.1f},{},{},{:.1f},{}\n", percent_tenths / 10,
                       percent_tenths % 10, total_, count_, mean, median(), least_, most_,
                       stddev(mean), quoted());
  }

 private:
  double median() const {
    std::vector<report::Distribution> sorted = parts_;
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.p50_ns < b.p50_ns; });
    double seen = 0;
    for (const report::Distribution& part : sorted) {
      seen += static_cast<double>(part.count);
      if (seen * 2 >= count_) return static_cast<double>(part.p50_ns);
    }
    return 0;
  }

  // One part keeps its own figure: no rounding through squares.
  double stddev(double mean) const {
    if (parts_.size() == 1) return parts_.front().stddev_ns;
    return std::sqrt(std::max(squares_ / count_ - mean * mean, 0.0));
  }

  std::string quoted() const {
    if (name_.find_first_of(",\"") == std::string::npos) return name_;
    std::string out = "\"";
    for (const char c : name_) {
      if (c == '"') out += '"';
      out += c;
    }
    return out + '"';
  }

  std::string name_;
  std::vector<report::Distribution> parts_;
  double count_ = 0;
  double total_ = 0;
  double squares_ = 0;
  std::int64_t least_ = 0;
  std::int64_t most_ = 0;
};

class Lines {
 public:
  void add(const std::string& raw_name, const report::Distribution& d) {
    const std::string name = printable(raw_name, true);
    const auto [at, is_new] = index_.try_emplace(name, lines_.size());
    if (is_new) lines_.emplace_back(name);
    lines_[at->second].add(d);
  }

  std::string text(const char* header) {
    lines_.erase(
        std::remove_if(lines_.begin(), lines_.end(), [](const Line& line) { return line.empty(); }),
        lines_.end());
    std::stable_sort(lines_.begin(), lines_.end(),
                     [](const Line& a, const Line& b) { return a.total() > b.total(); });
    std::vector<double> totals;
    for (const Line& line : lines_) totals.push_back(line.total());
    const std::vector<std::int64_t> tenths = percent_tenths(totals);
    std::string out = absl::StrCat(header, "\n");
    for (std::size_t i = 0; i < lines_.size(); ++i) out += lines_[i].text(tenths[i]);
    return out;
  }

 private:
  std::vector<Line> lines_;
  absl::flat_hash_map<std::string, std::size_t> index_;
};

std::string operation(const report::Copy& copy) {
  if (copy.direction == "set") return "[CUDA memset]";
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"HtoD", "Host-to-Device"},
      {"DtoH", "Device-to-Host"},
      {"DtoD", "Device-to-Device"},
      {"HtoH", "Host-to-Host"},
      {"PtoP", "Peer-to-Peer"}};
  for (const auto& [direction, words] : kWords)
    if (copy.direction == direction) return absl::StrCat("[CUDA memcpy ", words, "]");
  return absl::StrCat("[CUDA memcpy ", copy.direction, "]");
}

}  // namespace

std::optional<CsvTable> csv_table(std::string_view word) {
  if (word == "kernels") return CsvTable::kernels;
  if (word == "copies") return CsvTable::copies;
  if (word == "api") return CsvTable::api;
  return std::nullopt;
}

std::string to_csv(const report::Report& report, CsvTable table) {
  Lines lines;
  if (table == CsvTable::api) {
    for (const report::HostCall& call : report.whole.host_calls) lines.add(call.name, call.time);
    return lines.text(
        "Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name");
  }
  for (const report::Device& device : report.whole.devices) {
    if (table == CsvTable::kernels) {
      for (const report::Kernel& kernel : device.kernels) {
        lines.add(kernel.full_name.empty() ? kernel.name : kernel.full_name, kernel.time);
      }
    } else {
      for (const report::Copy& copy : device.copies) lines.add(operation(copy), copy.time);
    }
  }
  return lines.text(
      table == CsvTable::kernels
          ? "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev "
            "(ns),Name"
          : "Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev "
            "(ns),Operation");
}

}  // namespace gapscope::sink
