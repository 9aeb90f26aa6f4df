# `cmake --install`: library, headers, program, and what find_package(bitstep) and pkg-config read. Paths in the installed files
# are relative to the file itself, so that the tree can be moved, but where a directory was given as an absolute one. A shared
# library asks nothing of its consumers; a static one passes on what it must be linked with.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/bitstep)

install(TARGETS bitstep EXPORT bitstep-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/bitstep DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
    FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/bitstep COMPONENT runtime) # DOCDIR may be a parent's
if(TARGET bitstep_program)
    set(program_rpath ${CMAKE_INSTALL_FULL_LIBDIR})
    if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} AND NOT IS_ABSOLUTE ${CMAKE_INSTALL_BINDIR})
        file(RELATIVE_PATH to_library ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
        set(program_rpath $<IF:$<PLATFORM_ID:Darwin>,@loader_path,$ORIGIN>/${to_library})
    endif()
    set_target_properties(bitstep_program PROPERTIES INSTALL_RPATH "${program_rpath}")
    install(TARGETS bitstep_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
endif()

# What a static library must be linked with: the C++ runtime for callers in C, and OpenMP where it has threads.
set(static_library OFF)
set(static_with_openmp OFF)
set(pc_needs "")
if(bitstep_library_type STREQUAL "STATIC_LIBRARY")
    set(static_library ON)
    if(bitstep_with_openmp)
        find_package(OpenMP REQUIRED COMPONENTS CXX) # its variables
        set(static_with_openmp ON)
        foreach(name IN LISTS OpenMP_CXX_LIB_NAMES)
            # By name where the compiler looks by itself, else by path.
            get_filename_component(directory "${OpenMP_${name}_LIBRARY}" DIRECTORY)
            if(directory IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
                string(APPEND pc_needs " -l${name}")
            else()
                string(APPEND pc_needs " ${OpenMP_${name}_LIBRARY}")
            endif()
        endforeach()
    endif()
    foreach(name IN ITEMS stdc++ c++ m)
        if(name IN_LIST CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
            string(APPEND pc_needs " -l${name}")
        endif()
    endforeach()
endif()

# find_package(bitstep). Before 1.0 a minor version may change the interface.
install(EXPORT bitstep-targets NAMESPACE bitstep:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/bitstep-config.cmake.in
    ${PROJECT_BINARY_DIR}/package/bitstep-config.cmake INSTALL_DESTINATION ${package_dir}
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/bitstep-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/bitstep-config.cmake ${PROJECT_BINARY_DIR}/package/bitstep-config-version.cmake
    DESTINATION ${package_dir} COMPONENT development)

# pkg-config. A directory that was given as an absolute path stays one; the others follow the file.
set(pc_prefix ${CMAKE_INSTALL_PREFIX})
if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    file(RELATIVE_PATH to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
    string(REGEX REPLACE "/$" "" pc_prefix "\${pcfiledir}/${to_prefix}")
endif()
foreach(what IN ITEMS LIB INCLUDE)
    set(pc_${what}dir "\${prefix}/${CMAKE_INSTALL_${what}DIR}")
    if(IS_ABSOLUTE ${CMAKE_INSTALL_${what}DIR})
        set(pc_${what}dir ${CMAKE_INSTALL_${what}DIR})
    endif()
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/bitstep.pc.in ${PROJECT_BINARY_DIR}/package/bitstep.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/bitstep.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
