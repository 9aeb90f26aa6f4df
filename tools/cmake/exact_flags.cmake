# bitstep_find_inexact_flag(RESULT FLAGS): the first flag in the text FLAGS under which a compiler may give other bits than
# docs/numerics.md, or nothing. (Not -ffp-contract=fast: the library's own -ffp-contract=off stands behind it and wins.)
# src/exact_arithmetic.hpp sees some of them without CMake; Clang hides most from the sources. tests/flags tries each.
function(bitstep_find_inexact_flag result flags)
    set(relaxed "(fast|associative|reciprocal)-math|unsafe-math-optimizations|finite-math-only|no-signed-zeros|approx-func")
    set(models "fp-model=(fast|aggressive)[a-z]*|fp-eval-method=(double|extended)|denormal-fp-math(-f32)?=[a-z,-]+")
    set(other "Ofast|mdaz-ftz|mfpmath=([a-z,+]*387[a-z,+]*|both)|f(${relaxed}|${models}|single-precision-constant)")
    set(${result} "" PARENT_SCOPE)
    if(" ${flags} " MATCHES "[ ;](-(${other}))[ ;]")
        set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
    endif()
endfunction()
