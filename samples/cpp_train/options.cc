#include "options.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cpp_train {
namespace {

constexpr const char* kHelp =
    "cpp_train: trains a small network on synthetic data with CUDA and cuBLAS\n"
    "  --steps N        training steps (300)\n"
    "  --batch N        samples a step (256)\n"
    "  --width N        units of the two hidden layers (1024)\n"
    "  --log-every N    print the loss every N steps (20)\n"
    "  --rate X         Adam's learning rate (0.001)\n"
    "  --seed N         of data and weights (1)\n"
    "  --plant KIND     plant stalls: sleep:MS, malloc:BYTES, read:FILE or module:COUNT\n"
    "  --plant-every N  before every N-th step (10)\n";

[[noreturn]] void fail(const char* what, const char* which) {
  std::fprintf(stderr, "cpp_train: %s %s; see --help\n", what, which);
  std::exit(2);
}

int positive(const char* name, const char* value) {
  char* end = nullptr;
  const long n = std::strtol(value, &end, 10);
  if (*end != '\0' || n < 1 || n > 100'000'000) fail("bad number for", name);
  return static_cast<int>(n);
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const char* name = argv[i];
    const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
    if (is("--help")) {
      std::fputs(kHelp, stdout);
      std::exit(0);
    }
    if (i + 1 == argc) fail("unknown option or no value for", name);
    const char* value = argv[++i];
    if (is("--steps"))
      o.steps = positive(name, value);
    else if (is("--batch"))
      o.batch = positive(name, value);
    else if (is("--width"))
      o.width = positive(name, value);
    else if (is("--log-every"))
      o.log_every = positive(name, value);
    else if (is("--rate"))
      o.rate = std::strtof(value, nullptr);
    else if (is("--seed"))
      o.seed = static_cast<unsigned>(positive(name, value));
    else if (is("--plant"))
      o.plant = value;
    else if (is("--plant-every"))
      o.plant_every = positive(name, value);
    else
      fail("unknown option", name);
  }
  return o;
}

}  // namespace cpp_train
