# Turns a file into a C++ source that defines a function giving its bytes. Without a file: none.
# Arguments (-D): INPUT, OUTPUT, HEADER (that declares it), NAMESPACE, FUNCTION.
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
file(WRITE "${OUTPUT}" "// Written by .cmake/embed.cmake.
#include \"${HEADER}\"

namespace ${NAMESPACE} {
namespace {
constexpr char kBytes[] =
${hex};
}  // namespace

std::string_view ${FUNCTION}() { return {kBytes, ${bytes}}; }

}  // namespace ${NAMESPACE}
")
