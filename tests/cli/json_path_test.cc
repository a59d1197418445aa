#include "cli/json_path.h"
#include "catch.h"

using gapscope::cli::select_json;

namespace {

constexpr const char* kDocument =
    R"({"b": 1, "a": [{"x": "text"}, {"x": 2.5, "y": null}], "c/d": true, "e~f": {"g": []}})";

std::string select(const char* path) {
  const auto value = select_json(kDocument, path);
  return value.ok() ? *value : "error: " + std::string(value.status().message());
}

}  // namespace

TEST_CASE("a value by its path, dotted or as a JSON pointer") {
  CHECK(select("b") == "1\n");
  CHECK(select("/b") == "1\n");
  CHECK(select("a[0].x") == "text\n");
  CHECK(select("a.1.x") == "2.5\n");
  CHECK(select("/a/1/y") == "null\n");
  CHECK(select("/c~1d") == "true\n");
  CHECK(select("/e~0f/g") == "[]\n");
  CHECK(select("e~f.g") == "[]\n");
}

TEST_CASE("no path is the whole document, its order kept") {
  for (const char* whole : {"", "/"}) {
    const std::string text = select(whole);
    CHECK(text.find("\"b\"") < text.find("\"a\""));
    CHECK(text.back() == '\n');
  }
}

TEST_CASE("a path that leads nowhere says where it ends and what is there") {
  CHECK(select("z") == "error: no 'z' in the report: it has b, a, c/d, e~f");
  CHECK(select("a[2]") == "error: no '2' in a: it has 2 entries, from 0");
  CHECK(select("a[-1]") == "error: no '-1' in a: it has 2 entries, from 0");
  CHECK(select("a[0].x.y") == "error: no 'y' in a.0.x: it is a single value");
  CHECK_FALSE(select_json("{", "").ok());
}
