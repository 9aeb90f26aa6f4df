# bitstep_find_inexact_flag(RESULT FLAGS): a flag in the text FLAGS under which a compiler may give other bits than
# docs/numerics.md, or nothing. (Not -ffp-contract=fast: the library's own -ffp-contract=off stands behind it and wins.)
# src/exact_arithmetic.hpp sees some of them without CMake; Clang hides most from the sources. tests/flags tries each. A flag may
# stand in a generator expression; one in a response file (@FILE) is not seen.
function(bitstep_find_inexact_flag result flags)
    set(${result} "" PARENT_SCOPE)
    foreach(pattern IN ITEMS
            "-Ofast" "-f(fast|associative|reciprocal)-math" "-funsafe-math-optimizations" "-ffinite-math-only"
            "-fno-signed-zeros" "-fno-honor-(nans|infinities)" "-fapprox-func" "-fsingle-precision-constant"
            "-ffp-model=(fast|aggressive)[a-z]*" "-ffp-eval-method=(double|extended)" "-fdenormal-fp-math(-f32)?=[a-z,-]+"
            "-menable-(no-nans|no-infs|unsafe-fp-math)" "-mreassociate" # Clang's front end's, behind -Xclang
            "-mdaz-ftz" "-mfpmath=([a-z,+]*387[a-z,+]*|both)")
        if(" ${flags} " MATCHES "[ \t\n;:,>\"'](${pattern})[ \t\n;,>\"']")
            set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
        endif()
    endforeach()
endfunction()
