# Fails unless tools/cmake/exact_flags.cmake finds each of the flags that change bits, and none of the others.
cmake_minimum_required(VERSION 3.21)
include(${ROOT}/tools/cmake/exact_flags.cmake)

foreach(flag IN ITEMS -ffast-math -Ofast -funsafe-math-optimizations -fassociative-math -freciprocal-math -ffinite-math-only
        -fno-signed-zeros -fno-honor-nans -fno-honor-infinities -menable-no-nans -fapprox-func -ffp-model=fast -ffp-model=aggressive -ffp-eval-method=double
        -fdenormal-fp-math=preserve-sign -fdenormal-fp-math-f32=positive-zero -fsingle-precision-constant -mdaz-ftz
        -mfpmath=387 -mfpmath=sse,387 -mfpmath=387+sse -mfpmath=both)
    foreach(flags IN ITEMS "${flag}" "-O2 ${flag} -g" "-O2;${flag}" "-O2\t${flag}" "$<$<COMPILE_LANGUAGE:CXX>:${flag}>"
            "$<IF:$<CONFIG:Debug>,-O0,${flag}>" "'${flag}'" "-Xclang,${flag}")
        bitstep_find_inexact_flag(found "${flags}")
        if(NOT found STREQUAL flag)
            message(FATAL_ERROR "'${flags}': found '${found}'")
        endif()
    endforeach()
endforeach()
foreach(flags IN ITEMS "" "-O3 -march=native -mavx2 -mfma" -fno-fast-math -fno-math-errno -fno-trapping-math -frounding-math
        "-fhonor-nans -fhonor-infinities" "-mfpmath=sse -msse2" -ffp-model=precise -ffp-model=strict -ffp-contract=fast "-I/usr/-ffast-math-less")
    bitstep_find_inexact_flag(found "${flags}")
    if(found)
        message(FATAL_ERROR "'${flags}': found '${found}'")
    endif()
endforeach()
