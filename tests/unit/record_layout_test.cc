#include <array>
#include <string>

#include "catch.h"
#include "record/api.h"
#include "record/record.h"

using namespace gapscope;

TEST_CASE("records are multiples of eight bytes and start with their header") {
  const auto k = make_record<KernelRecord>(7);
  CHECK(k.header.size_bytes == sizeof(KernelRecord));
  CHECK(k.header.kind == RecordKind::kernel);
  CHECK(k.header.thread == 7);
  CHECK(sizeof(KernelRecord) == 96);
  CHECK(sizeof(ApiCallRecord) == 56);
}

TEST_CASE("an older, shorter record reads with its missing fields zero") {
  auto k = make_record<KernelRecord>();
  k.start_ns = 5;
  k.block[0] = 128;
  k.header.size_bytes = 32;
  const auto read = record_cast<KernelRecord>(k.header);
  CHECK(read.start_ns == 5);
  CHECK(read.block[0] == 0);
}

TEST_CASE("trailing text is bounded by the record's size, whatever its length field says") {
  alignas(8) std::array<char, 64> bytes{};
  auto* s = reinterpret_cast<StringDefRecord*>(bytes.data());
  *s = make_record<StringDefRecord>();
  s->header.size_bytes = sizeof(StringDefRecord) + 8;
  s->text_bytes = 3;
  std::memcpy(bytes.data() + sizeof(StringDefRecord), "abc", 3);
  CHECK(trailing_text<StringDefRecord>(s->header) == "abc");
  s->text_bytes = 9;
  CHECK(trailing_text<StringDefRecord>(s->header).empty());
}

TEST_CASE("every call has a name and a category") {
  for (std::uint16_t i = 0; i < static_cast<std::uint16_t>(ApiId::count_); ++i) {
    const auto id = static_cast<ApiId>(i);
    CHECK_FALSE(api_name(id).empty());
    CHECK_FALSE(category_name(api_category(id)).empty());
  }
  CHECK(api_name(static_cast<ApiId>(60000)) == "unknown call");
  CHECK(api_category(ApiId::profiler_stop) == ApiCategory::profiler);
}
