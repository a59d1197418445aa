#include "absl/strings/str_split.h"
#include "fmt/format.h"
#include "runtime/config.h"

namespace gapscope {
namespace {

// Appends text, broken between words so that no line is longer than 80 columns.
void append_folded(std::string& out, std::string_view text, std::size_t indent) {
  constexpr std::size_t kWidth = 80;
  std::size_t column = 0;
  for (const std::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    if (column != 0 && column + 1 + word.size() > kWidth) {
      out += '\n';
      column = 0;
    }
    if (column == 0) {
      out.append(indent, ' ');
      column = indent;
    } else {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  out += '\n';
}

}  // namespace

std::string config_help() {
  std::string out =
      "Environment variables of gapscope. They are read once, when the library is\n"
      "loaded. An empty value counts as none; a name or value that gapscope does not\n"
      "know gives one line on stderr and the default is used.\n"
      "Sizes are bytes, or have a unit: 64MiB, 3GB, 512k (K, M, G: powers of 1024; KB,\n"
      "MB, GB: powers of 1000).\n";
  for (const ConfigOption& option : config_options()) {
    if (option.internal) continue;
    out += fmt::format("\n{}={}\n", option.name, option.type);
    append_folded(out, option.help, 4);
    append_folded(out,
                  option.default_value.empty() ? std::string("Default: none.")
                                               : fmt::format("Default: {}.", option.default_value),
                  4);
  }
  return out;
}

}  // namespace gapscope
