#include <array>
#include <cstring>
#include <string>

#include "catch.h"
#include "host/own_memory.h"
#include "host/python_layout.h"
#include "host/python_line.h"
#include "host/python_object.h"
#include "host/python_stack.h"

namespace gapscope {
namespace {

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) text += static_cast<char>(value);
  return text;
}

constexpr int entry(int kind, int units) { return 128 | kind << 3 | (units - 1); }

}  // namespace

TEST_CASE("memory is read without a fault, wherever it points") {
  OwnMemory memory;
  REQUIRE(memory.open());
  const std::uint64_t value = 42;
  std::uint64_t seen = 0;
  CHECK(memory.read(reinterpret_cast<std::uint64_t>(&value), seen));
  CHECK(seen == 42);
  for (const std::uint64_t bad : {0ull, 8ull, 4096ull, 0x7fffffffffffull, ~0ull, 1ull << 63}) {
    CHECK_FALSE(memory.read(bad, seen));
  }
}

TEST_CASE("lines of 3.11 and later: every kind of entry") {
  // Two units on line 10, one on 11 (one-line form), one on 9 (long), one without a line.
  const std::string table =
      bytes({entry(0, 2), 0, entry(11, 1), 0, 5, entry(14, 1), 5, 0, 1, 1, entry(15, 1)});
  CHECK(line_of_3_11(table, 0, 10) == 10);
  CHECK(line_of_3_11(table, 3, 10) == 10);
  CHECK(line_of_3_11(table, 4, 10) == 11);
  CHECK(line_of_3_11(table, 6, 10) == 9);
  CHECK(line_of_3_11(table, 8, 10) == 0);   // has no line
  CHECK(line_of_3_11(table, 10, 10) == 0);  // past the end
  CHECK(line_of_3_11(table, -2, 10) == 10);
}

TEST_CASE("lines of 3.11: deltas of several groups, and tables that are broken") {
  // 13 without columns: +100 = 200 as signed varint: 200 & 63 | 64, 200 >> 6.
  const std::string far = bytes({entry(13, 8), (200 & 63) | 64, 200 >> 6});
  CHECK(line_of_3_11(far, 15, 1) == 101);
  CHECK(line_of_3_11("", 0, 1) == 0);
  CHECK(line_of_3_11(bytes({5, 5, 5}), 0, 1) == 0);            // no entry begins here
  CHECK(line_of_3_11(bytes({entry(13, 1), 127}), 0, 7) == 7);  // ends within a number
  CHECK(line_of_3_11(bytes({entry(13, 1), 63}), 0, 1) == 0);   // a line below the first: -30
}

TEST_CASE("lines of 3.10") {
  const std::string table = bytes({4, 1, 2, 256 - 128, 6, 2, 0, 5, 2, 256 - 1});
  CHECK(line_of_3_10(table, 0, 10) == 11);
  CHECK(line_of_3_10(table, 4, 10) == 0);  // no line
  CHECK(line_of_3_10(table, 6, 10) == 13);
  CHECK(line_of_3_10(table, 12, 10) == 17);
  CHECK(line_of_3_10(table, 14, 10) == 0);
  CHECK(line_of_3_10(bytes({4}), 0, 10) == 0);
}

TEST_CASE("of two walks the outer frames that both saw are kept") {
  const PythonFrame a{1, 10, 0}, b{2, 20, 0}, c{3, 30, 0}, d{4, 40, 0}, c2{3, 31, 0};
  const auto addresses = [](const PythonFrames& frames) {
    std::string text;
    for (const PythonFrame& frame : frames) text += std::to_string(frame.address);
    return text;
  };
  CHECK(addresses(common_outer_frames({a, b, c}, {a, b, c})) == "123");
  CHECK(addresses(common_outer_frames({d, b, c}, {a, b, c})) == "23");  // the innermost changed
  CHECK(addresses(common_outer_frames({b, c}, {a, b, c})) == "23");     // a call was entered
  CHECK(addresses(common_outer_frames({a, b, c}, {b, c})) == "23");     // and left
  CHECK(addresses(common_outer_frames({a, b, c}, {a, b, c2})) == "");   // another caller below
  CHECK(addresses(common_outer_frames({a, b}, {d, a, b, c})) == "12");  // one was cut outside
  CHECK(addresses(common_outer_frames({}, {a})) == "");
}

TEST_CASE("layouts: known versions only") {
  std::array<std::uint64_t, kDebugOffsetsBytes / 8> runtime{};
  std::string why;
  CHECK(python_layout(0x030a0df0, runtime, &why)->minor == 10);
  CHECK(python_layout(0x030c03f0, runtime, &why)->code_instructions == 192);
  CHECK_FALSE(python_layout(0x030901f0, runtime, &why));
  CHECK(why == "unknown version");
  CHECK_FALSE(python_layout(0x030f00f0, runtime, &why));
  CHECK_FALSE(python_layout(0x040c03f0, runtime, &why));
  CHECK_FALSE(python_layout(0x030d00f0, runtime, &why));
  CHECK(why == "its debug offsets are missing");
  std::memcpy(runtime.data(), "xdebugpy", 8);
  runtime[2] = 1;
  CHECK_FALSE(python_layout(0x030d00f0, runtime, &why));
  CHECK(why == "free-threaded build");
  runtime.fill(~0ull);
  std::memcpy(runtime.data(), "xdebugpy", 8);
  runtime[2] = 0;
  CHECK_FALSE(python_layout(0x030e00f0, runtime, &why));
  CHECK(why == "its debug offsets make no sense");
}

TEST_CASE("layout of 3.14: the words stand where its header has them") {
  // Every word holds its own index, so the layout says which word each field came from.
  std::array<std::uint64_t, kDebugOffsetsBytes / 8> runtime{};
  for (std::size_t i = 0; i < runtime.size(); ++i) runtime[i] = i;
  std::memcpy(runtime.data(), "xdebugpy", 8);
  runtime[2] = 0;
  runtime[33] = 60;  // localsplus: the frame's end, beyond its owner
  std::string why;
  const auto l = python_layout(0x030e00f0, runtime, &why);
  REQUIRE(l);
  CHECK(l->runtime_interpreters == 5);
  CHECK(l->interpreter_threads == 9);
  CHECK(l->gil_in_interpreter == 15);  // one further than in 3.13: threads_main
  CHECK(l->thread_native_id == 26);
  CHECK(l->frame_back == 30);
  CHECK(l->frame_owner == 34);
  CHECK(l->code_filename == 37);
  CHECK(l->code_instructions == 45);
  CHECK(l->object_type == 47);
  CHECK(l->bytes_data == 72);  // the set object came between
  CHECK(l->unicode_ascii == 76);
}

TEST_CASE("strings: every kind, and what is none") {
  OwnMemory memory;
  REQUIRE(memory.open());
  PythonProcess process;
  process.layout = *python_layout(0x030c03f0, {}, nullptr);
  const int type = 0;
  process.unicode_type = process.bytes_type = reinterpret_cast<std::uint64_t>(&type);
  struct Object {
    std::uint64_t references = 1, type = 0, length = 0, hash = 0;
    std::uint32_t state = 0, pad = 0;
    char text[64] = {};
  } object;
  const auto at = reinterpret_cast<std::uint64_t>(&object);
  object.type = process.unicode_type;
  object.length = 4;
  std::memcpy(object.text, "abcd", 4);
  const auto state = [](unsigned kind, bool compact, bool ascii, unsigned shift) {
    return kind << shift | (compact ? 8u : 0u) << shift | (ascii ? 16u : 0u) << shift;
  };
  for (const unsigned shift : {2u, 16u}) {
    object.state = state(1, true, true, shift) | 1;
    CHECK(read_python_text(memory, process, at, 10) == "abcd");
  }
  CHECK_FALSE(read_python_text(memory, process, at, 3));  // too long
  object.state = state(1, false, true, 2);
  CHECK_FALSE(read_python_text(memory, process, at, 10));  // not compact
  object.state = state(3, true, false, 2);
  CHECK_FALSE(read_python_text(memory, process, at, 10));  // no such kind
  object.state = state(2, true, false, 2);
  object.length = 2;
  const std::uint16_t wide[] = {0x6587, 0xe4};
  std::memcpy(object.text + 16, wide, sizeof(wide));
  CHECK(read_python_text(memory, process, at, 10) == "\xe6\x96\x87\xc3\xa4");
  object.state = state(1, true, true, 2);
  object.text[0] = '\x80';
  CHECK_FALSE(read_python_text(memory, process, at, 10));  // says ASCII, is not
  object.type = 4242;
  CHECK_FALSE(read_python_text(memory, process, at, 10));
  CHECK_FALSE(read_python_text(memory, process, 0, 10));
  CHECK_FALSE(read_python_bytes(memory, process, at, 10));
}

}  // namespace gapscope
