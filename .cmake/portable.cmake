# Toolchain of the preset `portable`: binaries that load on every Linux with glibc 2.28 or newer.
#
# zig's clang brings headers and symbol versions of any older glibc, and a libc++ that is linked in.
# What this machine's own headers say of glibc is never seen. `.ci/setup --portable` fetches zig; a
# wheel's build gets it from pip.
set(GAPSCOPE_PORTABLE_TARGET "x86_64-linux-gnu.2.28" CACHE STRING "zig's name of the target")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES GAPSCOPE_PORTABLE_TARGET GAPSCOPE_ZIG_FOLDER)
set(GAPSCOPE_PORTABLE ON)

if(NOT GAPSCOPE_ZIG_FOLDER)
  file(GLOB zig ${CMAKE_CURRENT_LIST_DIR}/../build/deps/zig/lib/python3*/site-packages/ziglang/zig)
  if(NOT zig)
    execute_process(
      COMMAND python3 -c "import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), 'zig'))"
      OUTPUT_VARIABLE zig OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  if(NOT EXISTS "${zig}")
    message(FATAL_ERROR "zig not found: .ci/setup --portable fetches it, or pip install ziglang")
  endif()
  set(GAPSCOPE_ZIG_FOLDER ${CMAKE_BINARY_DIR}/zig)
  foreach(language cc c++)
    # Rewritten only when it changes: ccache knows a compiler by its time and size.
    file(CONFIGURE OUTPUT ${GAPSCOPE_ZIG_FOLDER}/${language} CONTENT
      "#!/bin/sh\nexec '${zig}' ${language} -target ${GAPSCOPE_PORTABLE_TARGET} \"$@\"\n")
    file(CHMOD ${GAPSCOPE_ZIG_FOLDER}/${language}
      PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endforeach()
endif()
# Where Debian keeps libraries and packages; zig does not say.
string(REGEX MATCH "^[^.]*" CMAKE_LIBRARY_ARCHITECTURE ${GAPSCOPE_PORTABLE_TARGET})
set(CMAKE_C_COMPILER ${GAPSCOPE_ZIG_FOLDER}/cc)
set(CMAKE_CXX_COMPILER ${GAPSCOPE_ZIG_FOLDER}/c++)
# No name of a folder of this machine in what is handed out.
get_filename_component(source ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
foreach(language C CXX)
  set(CMAKE_${language}_FLAGS_INIT "-ffile-prefix-map=${source}/=")
endforeach()
