# Options. Parts that a consumer does not want are off unless bitstep is the top level. A part whose packages are missing
# is left out with one line, but an option set by hand (-DBITSTEP_BUILD_...=ON) fails instead.

option(BITSTEP_OPENMP "threads through OpenMP; OFF gives a serial library with the same bits" ON)
option(BITSTEP_INSTALL "rules for cmake --install" ${PROJECT_IS_TOP_LEVEL})
option(BITSTEP_WERROR "treat warnings as errors (development)" OFF)
set(BITSTEP_ARCHS "auto" CACHE STRING "kernel sets to compile besides reference: auto, or a list of baseline;avx2;avx512;neon64")
set(BITSTEP_XSIMD_INCLUDE_DIR "" CACHE PATH "directory that holds xsimd/xsimd.hpp, where the installed one is not wanted")

# bitstep_part(TESTS default): BITSTEP_BUILD_TESTS where a person (or the parent project) has set it, else the default. Only
# a choice of somebody's enters the cache, so that it stays known as one.
function(bitstep_part part default)
    if(DEFINED BITSTEP_BUILD_${part})
        set(BITSTEP_${part}_REQUIRED ${BITSTEP_BUILD_${part}} PARENT_SCOPE)
    else()
        set(BITSTEP_${part}_REQUIRED FALSE PARENT_SCOPE)
        set(BITSTEP_BUILD_${part} ${default} PARENT_SCOPE)
    endif()
endfunction()

bitstep_part(TESTS ${PROJECT_IS_TOP_LEVEL}) # GoogleTest, Boost headers
bitstep_part(BENCH ${PROJECT_IS_TOP_LEVEL}) # Google Benchmark
bitstep_part(TOOLS ${PROJECT_IS_TOP_LEVEL}) # the bitstep program: CLI11, fmt, xxHash, nlohmann-json
bitstep_part(PYTHON OFF) # the Python module: nanobind; `pip install .` turns it on and the others off
bitstep_part(FUZZ OFF) # fuzz targets for libFuzzer (tests/fuzz): Clang

# bitstep_missing(TESTS libgtest-dev GoogleTest): what to do where a part's package is not there; the caller returns.
function(bitstep_missing part package name)
    if(BITSTEP_${part}_REQUIRED)
        message(FATAL_ERROR "bitstep: BITSTEP_BUILD_${part} needs ${name} (Debian: ${package})")
    endif()
    message(STATUS "bitstep: BITSTEP_BUILD_${part} left out: ${name} not found (Debian: ${package})")
endfunction()

# What a plain install gives: a shared library, which asks nothing of its consumers. Inside another project that one decides.
if(PROJECT_IS_TOP_LEVEL)
    option(BUILD_SHARED_LIBS "the library as a shared one; OFF: a static one" ON)
endif()

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
