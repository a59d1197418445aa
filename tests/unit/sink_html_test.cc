#include "sink/html.h"

#include <nlohmann/json.hpp>

#include "catch.h"
#include "report/report_json.h"
#include "sink_sample.h"

namespace gapscope::sink {
namespace {

// What the page holds as data.
std::string data_of(const std::string& html) {
  const std::string open = R"(<script type="application/json" id="data">)";
  const std::size_t begin = html.find(open);
  REQUIRE(begin != std::string::npos);
  const std::size_t end = html.find("</script>", begin);
  return html.substr(begin + open.size(), end - begin - open.size());
}

TEST_CASE("the page holds the whole report") {
  const report::Report report = test::sample_report();
  const std::string html = to_html(report);
  const auto data = nlohmann::json::parse(data_of(html));
  const auto back = report::from_json(data["report"].dump());
  REQUIRE(back.ok());
  CHECK(*back == *report::from_json(report::to_json(report)));
  CHECK(data["page"].get<std::string>().find(report.process.command) != std::string::npos);
}

TEST_CASE("names are data and never markup") {
  report::Report report = test::sample_report();
  const std::string hostile = "</script><script>alert(1)</script><!--<b>\xff@DATA@";
  report.process.command = hostile;
  report.whole.devices[0].kernels[0].name = hostile;
  report.warnings.push_back(hostile);
  const std::string html = to_html(report);
  const std::string plain = to_html(test::sample_report());
  const auto count = [](const std::string& text, const std::string& word) {
    std::size_t found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
      ++found;
    return found;
  };
  CHECK(count(html, "<script") == count(plain, "<script"));
  CHECK(count(html, "</script") == count(plain, "</script"));
  CHECK(count(html, "<!--") == count(plain, "<!--"));
  CHECK(data_of(html).find('<') == std::string::npos);
  const auto data = nlohmann::json::parse(data_of(html));
  CHECK(data["report"]["warnings"].back() ==
        "</script><script>alert(1)</script><!--<b>\xef\xbf\xbd@DATA@");
}

TEST_CASE("the page asks for nothing from anywhere") {
  const std::string html = to_html(test::sample_report());
  CHECK(html.find("default-src 'none'") != std::string::npos);
  for (const char* word : {"<link", "src=\"http", "@import", "sourceMappingURL"}) {
    CHECK(html.find(word) == std::string::npos);
  }
}

}  // namespace
}  // namespace gapscope::sink
