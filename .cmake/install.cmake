# What `cmake --install` lays down, by GNUInstallDirs: the library, the public headers, the CMake
# package and the pkg-config file. The CLI's own folder installs the CLI.
include(CMakePackageConfigHelpers)

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES lib/report/report.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/gapscope)
if(NOT GAPSCOPE_CUDA)
  return()  # GAPSCOPE_CUDA=OFF builds the CLI alone: there is nothing to link with
endif()

install(TARGETS gapscope EXPORT gapscopeTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET gapscope_preload)
  install(TARGETS gapscope_preload LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY include/gapscope DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gapscope)
install(EXPORT gapscopeTargets NAMESPACE gapscope:: DESTINATION ${package_dir})
configure_package_config_file(.cmake/gapscopeConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/gapscopeConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may break its callers.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/gapscopeConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/gapscopeConfig.cmake
  ${PROJECT_BINARY_DIR}/package/gapscopeConfigVersion.cmake DESTINATION ${package_dir})

# The .pc file finds its prefix from where it lies, so that a moved or copied tree still works.
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  set(pc_prefix ${CMAKE_INSTALL_PREFIX})
  set(pc_libdir ${CMAKE_INSTALL_LIBDIR})
else()
  file(RELATIVE_PATH pc_up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" pc_up "${pc_up}")
  set(pc_prefix "\${pcfiledir}/${pc_up}")
  set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  set(pc_includedir ${CMAKE_INSTALL_INCLUDEDIR})
else()
  set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file(.cmake/gapscope.pc.in ${PROJECT_BINARY_DIR}/package/gapscope.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/gapscope.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
