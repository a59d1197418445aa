# Turns a file into a C++ source that defines demo_recording(). Without a file: an empty one.
# Arguments (-D): INPUT, OUTPUT.
if(EXISTS "${INPUT}")
  file(READ "${INPUT}" hex HEX)
endif()
string(LENGTH "${hex}" digits)
math(EXPR bytes "${digits} / 2")
string(REGEX REPLACE "(................................................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" hex "${hex}")
string(REGEX REPLACE "([^\n]+)" "    \"\\1\"" hex "${hex}")
if(bytes EQUAL 0)
  set(hex "    \"\"")
endif()
file(WRITE "${OUTPUT}" "// Written by lib/cli/embed.cmake.
#include \"cli/demo.h\"

namespace gapscope::cli {
namespace {
constexpr char kBytes[] =
${hex};
}  // namespace

std::string_view demo_recording() { return {kBytes, ${bytes}}; }

}  // namespace gapscope::cli
")
