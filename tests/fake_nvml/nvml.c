/* libnvidia-ml.so.1 for tests: one GPU with the UUID of the fake libcupti's device 0, and one that
   this process does not use. FAKE_NVML in the environment: "refuse" (no call works), "old" (no
   samples of utilisation), "hang" (the first call does not return), "shared" (two more processes),
   "log=FILE" (each call's thread goes there). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
enum {
  SUCCESS = 0,
  NOT_SUPPORTED = 3,
  DRIVER_NOT_LOADED = 9,
  INSUFFICIENT_SIZE = 7,
  NOT_FOUND = 6
};
typedef struct {
  unsigned long long time_us;
  union {
    unsigned value;
    unsigned long long wide;
  } of;
} sample_t;

static int gpus[2];
static int started;

static int mode(const char* word) {
  const char* set = getenv("FAKE_NVML");
  return set != NULL && strstr(set, word) != NULL;
}

static void log_call(const char* name) {
  const char* set = getenv("FAKE_NVML");
  const char* path = set == NULL ? NULL : strstr(set, "log=");
  if (path == NULL) return;
  char thread[17] = "";
  prctl(PR_GET_NAME, thread);
  FILE* file = fopen(path + 4, "a");
  if (file == NULL) return;
  fprintf(file, "%s %s\n", thread, name);
  fclose(file);
}

static int index_of(const int* device) { return (int)(device - gpus); }

EXPORT int nvmlInit_v2(void) {
  log_call("nvmlInit_v2");
  while (mode("hang")) sleep(1);
  if (mode("refuse")) return DRIVER_NOT_LOADED;
  started = 1;
  return SUCCESS;
}
EXPORT int nvmlShutdown(void) {
  log_call("nvmlShutdown");
  started = 0;
  return SUCCESS;
}
EXPORT int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return started ? SUCCESS : DRIVER_NOT_LOADED;
}
EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, int** device) {
  if (index >= 2) return NOT_FOUND;
  *device = &gpus[index];
  return SUCCESS;
}
EXPORT int nvmlDeviceGetUUID(int* device, char* uuid, unsigned size) {
  /* The other one comes first, as it may. */
  return snprintf(uuid, size, "GPU-00000000-0000-0000-0000-%012x", index_of(device) ? 1 : 99) <
                 (int)size
             ? SUCCESS
             : INSUFFICIENT_SIZE;
}
EXPORT int nvmlDeviceGetClockInfo(int* device, unsigned type, unsigned* mhz) {
  *mhz = (type == 1 ? 1755 : 2619) + (index_of(device) ? 0 : 1);
  return SUCCESS;
}
EXPORT int nvmlDeviceGetMaxClockInfo(int* device, unsigned type, unsigned* mhz) {
  (void)device;
  *mhz = type == 1 ? 1980 : 3201;
  return SUCCESS;
}
EXPORT int nvmlDeviceGetPowerUsage(int* device, unsigned* milliwatts) {
  (void)device;
  *milliwatts = 412345;
  return SUCCESS;
}
EXPORT int nvmlDeviceGetEnforcedPowerLimit(int* device, unsigned* milliwatts) {
  (void)device;
  *milliwatts = 700000;
  return SUCCESS;
}
EXPORT int nvmlDeviceGetTemperature(int* device, int sensor, unsigned* celsius) {
  (void)device;
  *celsius = 54;
  return sensor == 0 ? SUCCESS : NOT_SUPPORTED;
}
EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(int* device, unsigned* count, void* infos) {
  (void)device;
  const unsigned room = *count;
  *count = mode("shared") ? 3 : 1;
  return infos != NULL && room >= *count ? SUCCESS : INSUFFICIENT_SIZE;
}
EXPORT int nvmlDeviceGetUtilizationRates(int* device, unsigned rates[2]) {
  (void)device;
  rates[0] = 77;
  rates[1] = 12;
  return SUCCESS;
}
EXPORT int nvmlDeviceGetSamples(int* device, int type, unsigned long long since_us, int* value_type,
                                unsigned* count, sample_t* samples) {
  (void)device;
  enum { SAMPLES = 100 };
  if (mode("old") || type != 1) return NOT_SUPPORTED;
  *value_type = 1;
  if (samples == NULL) {
    *count = SAMPLES;
    return SUCCESS;
  }
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const unsigned long long now_us =
      (unsigned long long)now.tv_sec * 1000000 + (unsigned long long)now.tv_nsec / 1000;
  /* One a millisecond; those before since_us are of another program, at 0 %. */
  unsigned n = 0;
  for (unsigned i = 0; i < SAMPLES && n < *count; ++i) {
    samples[n].time_us = now_us - (SAMPLES - 1 - i) * 1000;
    samples[n].of.wide = 0;
    samples[n].of.value = samples[n].time_us < since_us ? 0 : 80 + i % 2 * 10;
    ++n;
  }
  *count = n;
  return SUCCESS;
}
