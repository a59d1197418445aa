// Runs a harness over files: how the corpora are tested where there is no fuzzer.
//
//   <harness> FOLDER...   every file below each folder, then each cut short and with bytes changed
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

void run(const Bytes& input) { LLVMFuzzerTestOneInput(input.data(), input.size()); }

// The same for the same file, everywhere.
void run_variants(const Bytes& original) {
  constexpr int kVariants = 200;
  std::mt19937 random(static_cast<std::uint32_t>(original.size()));
  for (int i = 0; i < kVariants && !original.empty(); ++i) {
    Bytes input = original;
    if (i % 4 == 0) input.resize(random() % input.size());
    for (std::uint32_t n = random() % 8; n > 0 && !input.empty(); --n) {
      input[random() % input.size()] = static_cast<std::uint8_t>(random());
    }
    run(input);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t files = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      const Bytes bytes{std::istreambuf_iterator<char>(in), {}};
      run(bytes);
      run_variants(bytes);
      ++files;
    }
  }
  std::printf("%zu files\n", files);
  return files > 0 ? 0 : 1;  // a corpus that has gone is a failure
}
