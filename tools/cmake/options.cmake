# Options. Parts that a consumer does not want are off unless bitstep is the top level. A part whose packages are missing
# is left out with one line, but an option set by hand (-DBITSTEP_BUILD_...=ON) fails instead.

option(BITSTEP_OPENMP "threads through OpenMP; OFF gives a serial library with the same bits" ON)
option(BITSTEP_WERROR "treat warnings as errors (development)" OFF)
set(BITSTEP_ARCHS "auto" CACHE STRING "kernel sets to compile besides reference: auto, or a list of baseline;avx2;avx512;neon64")
set(BITSTEP_XSIMD_INCLUDE_DIR "" CACHE PATH "directory that holds xsimd/xsimd.hpp, where the installed one is not wanted")

# bitstep_part(TESTS "..."): defines BITSTEP_BUILD_TESTS (default: top level only) and remembers whether a person set it.
function(bitstep_part part what)
    if(DEFINED BITSTEP_BUILD_${part} AND NOT BITSTEP_BUILD_${part}_BY_DEFAULT)
        set(asked TRUE)
    else()
        set(asked FALSE)
        set(BITSTEP_BUILD_${part}_BY_DEFAULT TRUE CACHE INTERNAL "")
    endif()
    option(BITSTEP_BUILD_${part} "${what}" ${PROJECT_IS_TOP_LEVEL})
    set(BITSTEP_${part}_REQUIRED ${asked} PARENT_SCOPE)
endfunction()

bitstep_part(TESTS "build the tests")
bitstep_part(BENCH "build the benchmarks")
bitstep_part(TOOLS "build the bitstep program")

# bitstep_missing(TESTS libgtest-dev GoogleTest): what to do where a part's package is not there; the caller returns.
function(bitstep_missing part package name)
    if(BITSTEP_${part}_REQUIRED)
        message(FATAL_ERROR "bitstep: BITSTEP_BUILD_${part} needs ${name} (Debian: ${package})")
    endif()
    message(STATUS "bitstep: BITSTEP_BUILD_${part} left out: ${name} not found (Debian: ${package})")
endfunction()

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
