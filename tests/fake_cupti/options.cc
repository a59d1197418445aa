#include "options.h"

#include <cstdlib>
#include <cstring>

namespace fake_cupti {
namespace {

std::string text(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::int64_t number(const char* name, std::int64_t fallback) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? fallback : std::strtoll(value, nullptr, 0);
}

Delivery delivery_named(const std::string& name) {
  if (name == "flush") return Delivery::flush;
  if (name == "launch") return Delivery::launch;
  return Delivery::worker;
}

}  // namespace

Options Options::from_environment(std::uint32_t default_version) {
  Options o;
  o.log_path = text("FAKE_CUPTI_LOG");
  o.version = static_cast<std::uint32_t>(number("FAKE_CUPTI_VERSION", default_version));
  o.subscribe_result = static_cast<int>(number("FAKE_CUPTI_SUBSCRIBE_RESULT", 0));
  o.other_tool = text("FAKE_CUPTI_OTHER_TOOL");
  o.enable_result = static_cast<int>(number("FAKE_CUPTI_ENABLE_RESULT", 0));
  o.clock_offset_ns = number("FAKE_CUPTI_CLOCK_OFFSET_NS", 0);
  o.shuffle_seed = static_cast<std::uint64_t>(number("FAKE_CUPTI_SHUFFLE", 0));
  o.delivery = delivery_named(text("FAKE_CUPTI_DELIVERY"));
  o.drop_every = static_cast<std::uint64_t>(number("FAKE_CUPTI_DROP_EVERY", 0));
  o.lose_every = static_cast<std::uint64_t>(number("FAKE_CUPTI_LOSE_EVERY", 0));
  o.zero_every = static_cast<std::uint64_t>(number("FAKE_CUPTI_ZERO_EVERY", 0));
  o.sentinel_every = static_cast<std::uint64_t>(number("FAKE_CUPTI_SENTINEL_EVERY", 0));
  o.torn_buffer = static_cast<std::uint64_t>(number("FAKE_CUPTI_TORN_BUFFER", 0));
  o.hang_forced = text("FAKE_CUPTI_FLUSH_HANG") == "forced";
  if (!o.hang_forced) {
    o.hang_flush = static_cast<std::uint64_t>(number("FAKE_CUPTI_FLUSH_HANG", 0));
  }
  o.first_correlation = static_cast<std::uint32_t>(number("FAKE_CUPTI_FIRST_CORRELATION", 1));
  o.devices = static_cast<std::uint32_t>(number("FAKE_CUPTI_DEVICES", 2));
  return o;
}

}  // namespace fake_cupti
