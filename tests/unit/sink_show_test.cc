// Prints the pages of the sample reports, to be looked at: unit_sink "[.show]".
#include <cstdio>

#include "catch.h"
#include "sink/text.h"
#include "sink_sample.h"

namespace gapscope {
namespace {

void show(const report::Report& report, sink::TextOptions options) {
  const std::string page = sink::to_text(report, options);
  CHECK_FALSE(page.empty());
  std::fputs(page.c_str(), stdout);
  std::puts("--------------------------------------------------------------------------------");
}

TEST_CASE("pages to look at", "[.show]") {
  sink::TextOptions options = sink::text_options_for(1, std::nullopt, false, true);
  show(test::sample_report(), options);
  show(test::sample_report_with_causes(), options);
  show(test::sample_report_three_gpus(), options);
  options.brief = true;
  show(test::sample_report_with_causes(), options);
  show(report::Report{}, options);
  options.utf8 = false;
  options.brief = false;
  options.width = 60;
  show(test::sample_report(), options);
}

}  // namespace
}  // namespace gapscope
