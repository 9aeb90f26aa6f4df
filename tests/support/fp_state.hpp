// SPDX-License-Identifier: Apache-2.0
// The caller's floating-point environment: read it, spoil it as real programs do, put it back.
#pragma once

#include <cfenv>
#include <cstdint>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace bitstep_test {

/// The control and status word that scalar and vector arithmetic obeys: MXCSR, or FPCR with FPSR above it.
inline std::uint64_t read_fp_state() {
#if defined(__x86_64__) || defined(__i386__)
    return _mm_getcsr();
#elif defined(__aarch64__)
    std::uint64_t control = 0;
    std::uint64_t status = 0;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("mrs %0, fpsr" : "=r"(status));
    return (status << 32U) | control;
#else
    return static_cast<std::uint64_t>(std::fegetround());
#endif
}

/// FTZ alone, which AArch64 does not have: results that would be denormal become zero. False where there is none.
inline bool flush_denormal_results() {
#if defined(__x86_64__) || defined(__i386__)
    _mm_setcsr(_mm_getcsr() | 0x8000U);
    return true;
#else
    return false;
#endif
}

/// DAZ alone: denormal operands count as zero.
inline bool denormals_are_zero() {
#if defined(__x86_64__) || defined(__i386__)
    _mm_setcsr(_mm_getcsr() | 0x0040U);
    return true;
#else
    return false;
#endif
}

/// Both: FTZ and DAZ on x86, FZ on AArch64. False where unknown.
inline bool flush_denormals() {
#if defined(__x86_64__) || defined(__i386__)
    _mm_setcsr(_mm_getcsr() | 0x8040U);
    return true;
#elif defined(__aarch64__)
    std::uint64_t control = 0;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    control |= std::uint64_t{1} << 24U;
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
    return true;
#else
    return false;
#endif
}

/// Traps on invalid, division by zero, overflow and underflow. False where the platform has none.
inline bool unmask_exceptions() {
#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__i386__))
    std::feclearexcept(FE_ALL_EXCEPT);
    return feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT) != -1;
#else
    return false;
#endif
}

/// Restores the default environment at the end of a scope.
class default_fp_scope {
public:
    default_fp_scope() = default;
    default_fp_scope(const default_fp_scope&) = delete;
    default_fp_scope& operator=(const default_fp_scope&) = delete;
    default_fp_scope(default_fp_scope&&) = delete;
    default_fp_scope& operator=(default_fp_scope&&) = delete;
    ~default_fp_scope() { std::fesetenv(FE_DFL_ENV); }
};

} // namespace bitstep_test
