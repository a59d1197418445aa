// Prints what operations of the CUDA driver take, as JSON: for each row the median over the repeats
// and the repeats, in nanoseconds an operation; and the shared objects that are mapped, which show
// whether a tool was there. overhead.py runs it with tools and without.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "workload.h"

namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

nlohmann::json measure(const bench::Gpu& gpu, const bench::Row& row, int repeat, double scale) {
  const long operations =
      std::max(1L, static_cast<long>(static_cast<double>(row.operations) * scale));
  row.measure(gpu, std::max(1L, operations / 10));  // warms up: code, pools, the tool's buffers
  std::vector<double> ns;
  for (int i = 0; i < repeat; ++i) ns.push_back(row.measure(gpu, operations));
  return {{"ns_per_operation", median(ns)}, {"repeats", ns}};
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const bench::Row& row : bench::rows()) names.emplace_back(row.name);
  return names;
}

std::set<std::string> mapped_libraries() {
  std::set<std::string> names;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const auto slash = line.rfind('/');
    if (slash != std::string::npos && line.find(".so", slash) != std::string::npos) {
      names.insert(line.substr(slash + 1));
    }
  }
  return names;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("What operations of the CUDA driver take, in nanoseconds");
  std::vector<std::string> names = all_names();
  int repeat = 5;
  double scale = 1;
  app.add_option("--rows", names, "Rows to run, separated by commas (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember(all_names()));
  app.add_option("--repeat", repeat, "Measurements of each row")->check(CLI::Range(1, 1000));
  app.add_option("--scale", scale, "Factor for the numbers of operations")
      ->check(CLI::Range(1e-4, 1e4));
  CLI11_PARSE(app, argc, argv);
  try {
    const bench::Gpu gpu;
    nlohmann::json measured = nlohmann::json::object();
    for (const bench::Row& row : bench::rows()) {
      if (std::find(names.begin(), names.end(), row.name) == names.end()) continue;
      measured[std::string(row.name)] = measure(gpu, row, repeat, scale);
    }
    const nlohmann::json told = {{"rows", measured}, {"libraries", mapped_libraries()}};
    std::puts(told.dump().c_str());
    std::fflush(stdout);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_launches: {}\n", error.what());
    return 1;
  }
  return 0;
}
