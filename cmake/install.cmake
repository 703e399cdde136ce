# SPDX-License-Identifier: MIT
# What an installed Toft offers: find_package(toft) with toft::toft, and pkg-config's toft.
include(CMakePackageConfigHelpers)
set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/toft)

install(TARGETS toft EXPORT toft)
if(TOFT_MALLOC)
    install(TARGETS toft_malloc EXPORT toft)
    install(FILES ${PROJECT_SOURCE_DIR}/docs/libtoft-malloc.7 DESTINATION ${CMAKE_INSTALL_MANDIR}/man7)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/toft TYPE INCLUDE)
install(EXPORT toft NAMESPACE toft:: FILE toft-targets.cmake DESTINATION ${package_directory})
configure_file(cmake/toft-config.cmake.in toft-config.cmake @ONLY)
write_basic_package_version_file(toft-config-version.cmake COMPATIBILITY SameMinorVersion)
# An installed Toft may be moved, but for folders that are absolute.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(toft_pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
    file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
    set(toft_pc_prefix "\${pcfiledir}/${to_prefix}")
endif()
foreach(folder INCLUDEDIR LIBDIR)
    set(toft_pc_${folder} ${CMAKE_INSTALL_${folder}})
    if(NOT IS_ABSOLUTE "${toft_pc_${folder}}")
        string(PREPEND toft_pc_${folder} "\${prefix}/")
    endif()
endforeach()
configure_file(cmake/toft.pc.in toft.pc @ONLY)
install(FILES
    ${CMAKE_CURRENT_BINARY_DIR}/toft-config.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/toft-config-version.cmake
    DESTINATION ${package_directory})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/toft.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
