# Which kernel sets this target processor can have, and the flags of each. Only files in src/kernels get such flags.

function(bitstep_add_archs target)
    if(BITSTEP_XSIMD_INCLUDE_DIR)
        if(NOT EXISTS ${BITSTEP_XSIMD_INCLUDE_DIR}/xsimd/xsimd.hpp)
            message(FATAL_ERROR "bitstep: BITSTEP_XSIMD_INCLUDE_DIR must hold xsimd/xsimd.hpp, got ${BITSTEP_XSIMD_INCLUDE_DIR}")
        endif()
        target_include_directories(${target} SYSTEM PRIVATE ${BITSTEP_XSIMD_INCLUDE_DIR})
    else()
        find_package(xsimd QUIET)
        if(NOT xsimd_FOUND)
            message(FATAL_ERROR "bitstep needs xsimd 8.1 or later (header-only; Debian: libxsimd-dev). Where it is not "
                "installed: -DBITSTEP_XSIMD_INCLUDE_DIR=<the directory that holds xsimd/xsimd.hpp>, and with pip "
                "--config-settings=cmake.define.BITSTEP_XSIMD_INCLUDE_DIR=<it>")
        endif()
        get_target_property(xsimd_include xsimd INTERFACE_INCLUDE_DIRECTORIES)
        target_include_directories(${target} SYSTEM PRIVATE ${xsimd_include})
    endif()

    set(flags_baseline "")
    set(flags_avx2 -mavx2)
    set(flags_avx512 -mavx512f -mavx512cd -mavx512dq -mavx512bw -mavx512vl)
    set(flags_neon64 "")
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
        set(possible baseline avx2 avx512)
    elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
        set(possible neon64)
    else()
        set(possible "")
        message(STATUS "bitstep: no SIMD kernels for ${CMAKE_SYSTEM_PROCESSOR}; the reference kernels run")
    endif()
    set(archs ${possible})
    if(NOT BITSTEP_ARCHS STREQUAL "auto")
        set(archs ${BITSTEP_ARCHS})
    endif()

    # The loops over a block's rows must be unrolled. At -O2, which RelWithDebInfo and distributions give, GCC 12 leaves many
    # of them: half the speed in cache (docs/performance.md). Not where sanitizers are on: -O3 takes them minutes.
    set(optimize "$<$<NOT:$<CONFIG:Debug,MinSizeRel>>:-O3>")
    if(all_flags MATCHES "-fsanitize")
        set(optimize "")
    endif()

    foreach(arch IN LISTS archs)
        if(NOT arch IN_LIST possible)
            message(FATAL_ERROR "bitstep: BITSTEP_ARCHS for ${CMAKE_SYSTEM_PROCESSOR} takes: ${possible}; got ${arch}")
        endif()
        set(source ${PROJECT_SOURCE_DIR}/src/kernels/arch_${arch}.cpp)
        target_sources(${target} PRIVATE ${source})
        string(TOUPPER ${arch} upper)
        target_compile_definitions(${target} PRIVATE BITSTEP_HAS_${upper}=1)
        set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS "${flags_${arch}};${optimize}")
    endforeach()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND "avx512" IN_LIST archs)
        # GCC 12 at -O3 takes the deliberate "undefined" operand of AVX-512 intrinsics for an uninitialized value.
        set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/kernels/arch_avx512.cpp TARGET_DIRECTORY ${target}
            APPEND PROPERTY COMPILE_OPTIONS -Wno-maybe-uninitialized -Wno-uninitialized)
    endif()
endfunction()
