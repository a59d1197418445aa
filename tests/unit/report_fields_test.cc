// Every field of every report struct is in lib/report/fields.h: the number of fields the compiler
// sees is the number of keys that are visited.
#include <cstddef>

#include "catch.h"
#include "report_fill.h"

namespace gapscope {

// Converts to anything, in unevaluated operands only: so it is never defined, and not in the
// unnamed namespace, where that draws a warning.
struct Anything {
  template <class T>
  operator T() const;
};

namespace {

// How many initialisers the aggregate T takes.
template <class T, class... Given>
constexpr std::size_t field_count() {
  if constexpr (requires { T{Given{}..., Anything{}}; }) {
    return field_count<T, Given..., Anything>();
  } else {
    return sizeof...(Given);
  }
}

class Counter {
 public:
  template <class T>
  void operator()(const char*, T&) {
    ++count;
  }
  void device_copies(const char*, std::vector<report::Device>&) { ++count; }
  std::size_t count = 0;
};

template <class T>
std::size_t visited() {
  Counter counter;
  T value{};
  report::fields(counter, value);
  return counter.count;
}

// A struct that is spread into its owner counts with its own fields.
constexpr std::size_t kSpreadDistribution = field_count<report::Distribution>() - 1;
constexpr std::size_t kSpreadTime = field_count<report::TimeSplit>() - 1;

TEST_CASE("every field of the report has a key") {
  CHECK(visited<report::Occupancy>() == field_count<report::Occupancy>());
  CHECK(visited<report::Family>() == field_count<report::Family>());
  CHECK(visited<report::LongGap>() == field_count<report::LongGap>());
  CHECK(visited<report::Gaps::Bin>() == field_count<report::Gaps::Bin>());
  CHECK(visited<report::Gaps>() == field_count<report::Gaps>());
  CHECK(visited<report::Evidence>() == field_count<report::Evidence>());
  CHECK(visited<report::Cause>() == field_count<report::Cause>());
  CHECK(visited<report::Finding>() == field_count<report::Finding>());
  CHECK(visited<report::Device::Slice>() == field_count<report::Device::Slice>());
  CHECK(visited<report::Wait>() == field_count<report::Wait>());
  CHECK(visited<report::Overlap>() == field_count<report::Overlap>());
  CHECK(visited<report::Range>() == field_count<report::Range>());
  CHECK(visited<report::Advice>() == field_count<report::Advice>());
  CHECK(visited<report::Library>() == field_count<report::Library>());
  CHECK(visited<report::Package>() == field_count<report::Package>());
  CHECK(visited<report::Variable>() == field_count<report::Variable>());
  CHECK(visited<report::Gpu>() == field_count<report::Gpu>());
  CHECK(visited<report::Environment>() == field_count<report::Environment>());
  CHECK(visited<report::Process>() == field_count<report::Process>());
  CHECK(visited<report::Records>() == field_count<report::Records>());
  CHECK(visited<report::Self>() == field_count<report::Self>());
}

TEST_CASE("structs that spread another one into themselves lose none of its fields") {
  CHECK(visited<report::Copy>() == field_count<report::Copy>() + kSpreadDistribution);
  CHECK(visited<report::HostCall>() == field_count<report::HostCall>() + kSpreadDistribution);
  CHECK(visited<report::Steps>() == field_count<report::Steps>() + kSpreadDistribution);
  // grid and block are arrays of 3: 6 initialisers, 2 keys.
  CHECK(visited<report::Kernel>() == field_count<report::Kernel>() - 4 + kSpreadDistribution);
  // The copies of a device stand in the scope's flat list.
  CHECK(visited<report::Device>() == field_count<report::Device>() + kSpreadTime - 1);
  CHECK(visited<report::Scope>() == field_count<report::Scope>() + 1);
  // schema_version is not visited; the whole scope is spread.
  CHECK(visited<report::Report>() == field_count<report::Report>() - 2 + visited<report::Scope>());
}

}  // namespace
}  // namespace gapscope
