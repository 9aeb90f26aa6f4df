# Fails unless the sources by themselves, whatever builds them, refuse the flags that change bits where the compiler CXX lets
# them see so (src/exact_arithmetic.hpp). Preprocesses only.
cmake_minimum_required(VERSION 3.21)

set(ENV{LC_ALL} C) # the compiler's messages are matched

# expect(REFUSED|ACCEPTED FILE FLAGS...)
function(expect what file)
    execute_process(COMMAND ${CXX} -std=c++20 -DBITSTEP_VERSION="0" -I${ROOT}/src -I${ROOT}/include ${ARGN} -E -o /dev/null
        ${ROOT}/src/${file} RESULT_VARIABLE code ERROR_VARIABLE text OUTPUT_QUIET)
    set(got "failed otherwise")
    if(code EQUAL 0)
        set(got ACCEPTED)
    elseif(text MATCHES "error: .*(bitstep promises exact bits|compile bitstep with -ffp-contract=off)")
        set(got REFUSED)
    endif()
    if(NOT got STREQUAL what)
        message(FATAL_ERROR "${file} with '${ARGN}': ${got}, must be ${what}\n${text}")
    endif()
endfunction()

# Every source but those of no arithmetic at all, and the kernel sets, which need xsimd's path: their headers are the same.
file(GLOB_RECURSE files RELATIVE ${ROOT}/src ${ROOT}/src/*.cpp)
list(FILTER files EXCLUDE REGEX "^(c_api/last_error|fp_environment|parallel|kernels/.*)[.]cpp$")
list(LENGTH files count)
if(count LESS 25)
    message(FATAL_ERROR "only ${count} sources in ${ROOT}/src")
endif()
foreach(file IN LISTS files)
    expect(REFUSED ${file} -ffast-math)
endforeach()

set(exact -DBITSTEP_CONTRACTION_OFF)
set(refused -Ofast -ffinite-math-only)
set(accepted -O2 -fno-math-errno -fno-trapping-math -frounding-math)
if(ID STREQUAL "GNU") # Clang says nothing of these; CMake knows them by name
    list(APPEND refused -funsafe-math-optimizations -freciprocal-math -fno-signed-zeros -fsingle-precision-constant)
    expect(REFUSED reduce.cpp ${exact} -fassociative-math -fno-signed-zeros -fno-trapping-math)
endif()
if(ID STREQUAL "GNU" AND PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    list(APPEND refused -mfpmath=387 -mfpmath=both)
    expect(REFUSED reduce.cpp -mavx2 -mfma)
    expect(REFUSED reduce.cpp -mavx512f)
    expect(ACCEPTED reduce.cpp -mavx2)
    expect(ACCEPTED reduce.cpp -mavx2 -mfma ${exact})
endif()
foreach(flags IN LISTS refused)
    expect(REFUSED reduce.cpp ${exact} ${flags})
endforeach()
foreach(flags IN LISTS accepted)
    expect(ACCEPTED reduce.cpp ${exact} ${flags})
endforeach()
message(STATUS "${count} sources")
