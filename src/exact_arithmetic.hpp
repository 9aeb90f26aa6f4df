// SPDX-License-Identifier: Apache-2.0
// Refuses flags under which the compiler may give other bits than docs/numerics.md: whatever builds these sources, not CMake
// alone (src/CMakeLists.txt refuses by name, and more than a macro can tell). Included by numerics.hpp, so by all arithmetic.
#pragma once

// __GCC_IEC_559 is GCC's own summary: 0 under -funsafe-math-optimizations and each of its parts, and under
// -fsingle-precision-constant. Clang tells of -ffast-math and -ffinite-math-only alone.
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) ||                               \
    (defined(__GCC_IEC_559) && __GCC_IEC_559 < 1)
#error "bitstep promises exact bits: its sources must not be compiled with -ffast-math or a part of it"
#endif

#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0
#error "bitstep promises exact bits: float and double must be computed in their own precision (no x87: -mfpmath=sse)"
#endif

// Fused multiply-adds. Clang is told here. GCC does not listen to the pragma, nor says what it was told.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__) && !defined(BITSTEP_CONTRACTION_OFF) &&                                                        \
    (defined(__FMA__) || defined(__FMA4__) || defined(__AVX512F__) || defined(__aarch64__))
#error "GCC fuses a * b + c by itself: compile bitstep with -ffp-contract=off and -DBITSTEP_CONTRACTION_OFF"
#endif
