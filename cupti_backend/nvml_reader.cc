#include "nvml_reader.h"

#include <dlfcn.h>

#include <algorithm>

namespace gapscope::cupti {
namespace {

// NVML's header is in few toolkits' include folder, and what is needed of its interface (stable
// since driver 450) is little.
using Device = struct nvmlDevice_st*;
constexpr int kSuccess = 0;
constexpr int kInsufficientSize = 7;
constexpr unsigned kClockSm = 1, kClockMemory = 2;
constexpr int kTemperatureGpu = 0;
constexpr int kGpuUtilisationSamples = 1;
constexpr int kUnsignedInt = 1;
struct Sample {
  unsigned long long time_us;
  union {
    double as_double;
    unsigned as_unsigned;
    unsigned long long as_wide;
  } value;
};
static_assert(sizeof(Sample) == 16);
struct Rates {
  unsigned gpu_pct, memory_pct;
};

constexpr unsigned kMostGpus = 64;
constexpr unsigned kMostSamples = 4096;

class Nvml {
 public:
  ~Nvml() {
    if (started_) call<int()>("nvmlShutdown");
  }
  // The library stays mapped: the process may use it too.
  bool start() {
    library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    started_ = library_ != nullptr && call<int()>("nvmlInit_v2") == kSuccess;
    return started_;
  }

  // The function's result, or an error where there is none of that name.
  template <typename F, typename... Arguments>
  int call(const char* name, Arguments... arguments) const {
    auto* function = reinterpret_cast<F*>(dlsym(library_, name));
    return function == nullptr ? -1 : function(arguments...);
  }
  // What the function stores, 0 where it fails.
  template <typename... Choice>
  std::int64_t number(const char* name, Device device, Choice... choice) const {
    unsigned value = 0;
    const int result = call<int(Device, Choice..., unsigned*)>(name, device, choice..., &value);
    return result == kSuccess ? value : 0;
  }

 private:
  void* library_ = nullptr;
  bool started_ = false;
};

std::int64_t processes(const Nvml& nvml, Device device) {
  unsigned count = 0;
  const int result = nvml.call<int(Device, unsigned*, void*)>(
      "nvmlDeviceGetComputeRunningProcesses_v3", device, &count, static_cast<void*>(nullptr));
  return result == kSuccess || result == kInsufficientSize ? count : 0;
}

// The mean of what NVML still has of the time since then (about the last 20 s).
bool read_samples(const Nvml& nvml, Device device, std::int64_t since_ns, report::Nvml& out) {
  using Get = int(Device, int, unsigned long long, int*, unsigned*, Sample*);
  constexpr const char* kName = "nvmlDeviceGetSamples";
  const auto since_us = static_cast<unsigned long long>(std::max<std::int64_t>(since_ns, 0) / 1000);
  int type = 0;
  unsigned count = 0;
  Sample* none = nullptr;
  if (nvml.call<Get>(kName, device, kGpuUtilisationSamples, since_us, &type, &count, none) !=
      kSuccess) {
    return false;
  }
  std::vector<Sample> samples(std::min(count, kMostSamples));
  count = static_cast<unsigned>(samples.size());
  if (count < 2 || nvml.call<Get>(kName, device, kGpuUtilisationSamples, since_us, &type, &count,
                                  samples.data()) != kSuccess) {
    return false;
  }
  samples.resize(std::min<std::size_t>(count, samples.size()));
  std::erase_if(samples, [since_us](const Sample& s) { return s.time_us < since_us; });
  if (type != kUnsignedInt || samples.size() < 2) return false;
  double sum = 0;
  for (const Sample& sample : samples) sum += sample.value.as_unsigned;
  out.utilisation_pct = sum / static_cast<double>(samples.size());
  const auto [first, last] =
      std::minmax_element(samples.begin(), samples.end(),
                          [](const Sample& a, const Sample& b) { return a.time_us < b.time_us; });
  // A sample tells of the time before it.
  const auto period_us = (last->time_us - first->time_us) / (samples.size() - 1);
  out.utilisation_since_ns =
      std::max(since_ns, static_cast<std::int64_t>(first->time_us - period_us) * 1000);
  return true;
}

void read_utilisation(const Nvml& nvml, Device device, std::int64_t since_ns, report::Nvml& out) {
  if (read_samples(nvml, device, since_ns, out)) return;
  Rates rates{};
  if (nvml.call<int(Device, Rates*)>("nvmlDeviceGetUtilizationRates", device, &rates) == kSuccess) {
    out.utilisation_pct = rates.gpu_pct;
  }
}

report::Nvml read_state(const Nvml& nvml, Device device, std::int64_t since_ns) {
  report::Nvml out;
  out.sm_clock_mhz = nvml.number("nvmlDeviceGetClockInfo", device, kClockSm);
  out.max_sm_clock_mhz = nvml.number("nvmlDeviceGetMaxClockInfo", device, kClockSm);
  out.memory_clock_mhz = nvml.number("nvmlDeviceGetClockInfo", device, kClockMemory);
  out.max_memory_clock_mhz = nvml.number("nvmlDeviceGetMaxClockInfo", device, kClockMemory);
  out.power_mw = nvml.number("nvmlDeviceGetPowerUsage", device);
  out.power_limit_mw = nvml.number("nvmlDeviceGetEnforcedPowerLimit", device);
  out.temperature_c = nvml.number("nvmlDeviceGetTemperature", device, kTemperatureGpu);
  out.processes = processes(nvml, device);
  read_utilisation(nvml, device, since_ns, out);
  return out;
}

}  // namespace

std::vector<report::Gpu> read_nvml(std::int64_t since_ns) {
  std::vector<report::Gpu> gpus;
  Nvml nvml;
  unsigned count = 0;
  if (!nvml.start()) return gpus;
  if (nvml.call<int(unsigned*)>("nvmlDeviceGetCount_v2", &count) != kSuccess) return gpus;
  for (unsigned i = 0; i < std::min(count, kMostGpus); ++i) {
    Device device = nullptr;
    char uuid[96] = {};
    if (nvml.call<int(unsigned, Device*)>("nvmlDeviceGetHandleByIndex_v2", i, &device) !=
            kSuccess ||
        nvml.call<int(Device, char*, unsigned)>("nvmlDeviceGetUUID", device, uuid,
                                                unsigned{sizeof uuid - 1}) != kSuccess) {
      continue;
    }
    report::Gpu& gpu = gpus.emplace_back();
    gpu.uuid = uuid;
    gpu.nvml = read_state(nvml, device, since_ns);
  }
  return gpus;
}

}  // namespace gapscope::cupti
