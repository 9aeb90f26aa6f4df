// SPDX-License-Identifier: Apache-2.0
// Compiler attributes. BITSTEP_INLINE keeps small arithmetic out of the symbol table at every optimisation level.
#pragma once

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "bitstep promises exact bits: its sources must not be compiled with -ffast-math"
#endif

#define BITSTEP_INLINE inline __attribute__((always_inline, unused))
