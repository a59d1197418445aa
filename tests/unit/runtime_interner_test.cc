#include <cstring>
#include <string>
#include <vector>

#include "catch.h"
#include "runtime/clock.h"
#include "runtime/interner.h"

using namespace gapscope;

namespace {

class Strings final : public RecordSink {
 public:
  void consume(const RecordHeader& record) override {
    REQUIRE(record.kind == RecordKind::string_def);
    REQUIRE(record.size_bytes % 8 == 0);
    ids.push_back(record_cast<StringDefRecord>(record).id);
    texts.emplace_back(trailing_text<StringDefRecord>(record));
  }
  std::vector<std::uint32_t> ids;
  std::vector<std::string> texts;
};

}  // namespace

TEST_CASE("a string is announced once, before its first use") {
  Strings sink;
  Interner interner;
  const auto a = interner.intern("alpha", sink);
  const auto b = interner.intern("beta", sink);
  CHECK(a != b);
  CHECK(a != kNoString);
  CHECK(interner.intern("alpha", sink) == a);
  CHECK(sink.texts == std::vector<std::string>{"alpha", "beta"});
  CHECK(sink.ids == std::vector<std::uint32_t>{a, b});
}

TEST_CASE("an address whose text changed is not mistaken for its old text") {
  Strings sink;
  Interner interner;
  char name[16] = "first";
  const auto first = interner.intern_pointer(name, sink);
  CHECK(interner.intern_pointer(name, sink) == first);
  std::strcpy(name, "second");  // the module was unloaded and its memory used again
  const auto second = interner.intern_pointer(name, sink);
  CHECK(second != first);
  CHECK(sink.texts.back() == "second");
  CHECK(interner.intern_pointer(nullptr, sink) == kNoString);
}

TEST_CASE("past its cap the table stops growing and says so by name") {
  Strings sink;
  Interner interner(3);
  for (int i = 0; i < 3; ++i) interner.intern("name" + std::to_string(i), sink);
  const auto over = interner.intern("one too many", sink);
  CHECK(interner.intern("another", sink) == over);
  CHECK(sink.texts.back() == "(too many names)");
  CHECK(interner.size() == 4);
  CHECK(interner.intern("name1", sink) != over);
}

TEST_CASE("text longer than a record is cut, not lost") {
  Strings sink;
  Interner interner;
  const std::string name(10'000, 'x');
  const auto id = interner.intern(name, sink);
  CHECK(sink.texts.back().size() == kMaxRecordBytes - sizeof(StringDefRecord));
  CHECK(interner.intern(name, sink) == id);
}

TEST_CASE("the clock watch sees steps of the wall clock only") {
  ClockWatch watch;
  CHECK(watch.step_ns() == 0);
  CHECK(watch.step_ns() == 0);
}
