# Everything the project does not write itself. `.ci/setup` installs or downloads what is missing.
include(FetchContent)

find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(ZLIB REQUIRED)
# Linked into every profiled process, so never as a run-time dependency.
find_library(GAPSCOPE_ZLIB NAMES libz.a REQUIRED)

# Debian's static Abseil is not position-independent and its shared one would become a run-time
# dependency of every profiled process: so its source, built here with -fPIC. `.ci/setup` puts
# Debian's source tarball into build/deps; elsewhere the release is downloaded.
set(absl_tarball ${PROJECT_SOURCE_DIR}/build/deps/abseil_20220623.1.orig.tar.gz)
if(EXISTS ${absl_tarball})
  set(absl_url ${absl_tarball})
  set(absl_hash abfe2897f3a30edaa74bc34365afe3c2a3cd012091a97dc7e008f7016adcd5fe)
else()
  set(absl_url https://github.com/abseil/abseil-cpp/archive/refs/tags/20220623.1.tar.gz)
  set(absl_hash 91ac87d30cc6d79f9ab974c51874a704de9c2647c40f6932597329a282217ba8)
endif()
set(ABSL_PROPAGATE_CXX_STD ON)
set(ABSL_ENABLE_INSTALL OFF)
option(GAPSCOPE_ABSL_DEBUG "Debug information for Abseil, a third of its build" ON)
function(gapscope_add_absl)
  if(NOT GAPSCOPE_ABSL_DEBUG)
    foreach(flags CMAKE_CXX_FLAGS_RELWITHDEBINFO CMAKE_CXX_FLAGS_DEBUG)
      string(REGEX REPLACE "(^| )-g[0-9]?( |$)" " " ${flags} "${${flags}}")
    endforeach()
  endif()
  add_subdirectory(${absl_SOURCE_DIR} ${absl_BINARY_DIR} EXCLUDE_FROM_ALL SYSTEM)
endfunction()
FetchContent_Declare(absl URL ${absl_url} URL_HASH SHA256=${absl_hash})
FetchContent_GetProperties(absl)
if(NOT absl_POPULATED)
  FetchContent_Populate(absl)
  gapscope_add_absl()
endif()
