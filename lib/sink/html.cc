#include "sink/html.h"

#include <zlib.h>

#include "absl/strings/str_replace.h"
#include "report/report_json.h"
#include "sink/json_string.h"
#include "sink/text.h"

namespace gapscope::sink {
namespace {

constexpr int kGzipFormat = 15 + 16;
constexpr std::string_view kPlace = "@DATA@";

// What was compressed at build time; whole unless memory ends.
std::string page_without_data() {
  const std::string_view packed = html_page_gzip();
  std::string page;
  z_stream stream{};
  if (inflateInit2(&stream, kGzipFormat) != Z_OK) return page;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  char chunk[32768];
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk);
    stream.avail_out = sizeof chunk;
    result = ::inflate(&stream, Z_NO_FLUSH);
    page.append(chunk, sizeof chunk - stream.avail_out);
  }
  inflateEnd(&stream);
  return page;
}

std::string data_of(const report::Report& report) {
  TextOptions options;
  options.width = 110;
  std::string data = R"({"report":)";
  data += report::to_json(report);
  data += R"(,"page":)";
  data += json_string(to_text(report, options));
  data += "}";
  // Inside JSON "<" stands in strings only: none is left that could end the element.
  return absl::StrReplaceAll(data, {{"<", "\\u003c"}});
}

}  // namespace

std::string to_html(const report::Report& report) {
  std::string page = page_without_data();
  const std::size_t place = page.find(kPlace);
  if (place != std::string::npos) page.replace(place, kPlace.size(), data_of(report));
  return page;
}

}  // namespace gapscope::sink
