// SPDX-License-Identifier: Apache-2.0
// The one header that names xsimd: native registers, and what they do not do alike in all its versions or on all
// processors: division and root on AArch64, floats into doubles, masks. The sole user of intrinsics besides quotient.hpp
// (tests/objects/check_names.cmake). Next: lanes.hpp makes the logical vector of one, two or four registers.
#pragma once

#include "inline.hpp"

#include <xsimd/xsimd.hpp>

#include <cstddef>

namespace bitstep::internal {
namespace {

/// A native register of T. What is used of it beyond this header has stood in every release of xsimd since 8.1: size,
/// value_type, register_type and conversion to and from it, load_unaligned, store_unaligned, store_aligned, one value in
/// all lanes, + - * == <.
template <class T, class Arch>
using native_register = xsimd::batch<T, Arch>;

// What an arch_*.cpp picks.
using sse2_registers = xsimd::sse2;
using avx2_registers = xsimd::avx2;
using avx512_registers = xsimd::avx512bw;
using neon64_registers = xsimd::neon64;

template <class T, class Arch>
BITSTEP_INLINE native_register<T, Arch> divide(native_register<T, Arch> a, native_register<T, Arch> b) {
    return a / b;
}
template <class T, class Arch>
BITSTEP_INLINE native_register<T, Arch> square_root(native_register<T, Arch> a) {
    return xsimd::sqrt(a);
}
/// Per lane: where `use` holds, a, else b.
template <class T, class Arch>
BITSTEP_INLINE native_register<T, Arch> choose(typename native_register<T, Arch>::batch_bool_type use,
                                               native_register<T, Arch> a, native_register<T, Arch> b) {
    return xsimd::select(use, a, b);
}
template <class Bools>
BITSTEP_INLINE bool all_of(Bools lanes) {
    return xsimd::all(lanes);
}
template <class Bools>
BITSTEP_INLINE bool any_of(Bools lanes) {
    return xsimd::any(lanes);
}
#if defined(__aarch64__)
// xsimd's float versions are Newton-Raphson estimates here: 41 % of quotients were wrong in the last place.
BITSTEP_INLINE native_register<float, neon64_registers> divide(native_register<float, neon64_registers> a,
                                                               native_register<float, neon64_registers> b) {
    return vdivq_f32(a, b);
}
BITSTEP_INLINE native_register<float, neon64_registers> square_root(native_register<float, neon64_registers> a) {
    return vsqrtq_f32(a);
}
#endif

/// batch::size floats from p, as doubles (exact). Chosen by the arch, not by the flags of the file: a consumer's -march
/// may be wider than this table.
template <class Arch>
BITSTEP_INLINE native_register<double, Arch> widen(const float* p) {
    constexpr std::size_t size = native_register<double, Arch>::size;
    static_assert(size == 2 || size == 4 || size == 8, "one SSE, NEON, AVX or AVX-512 register");
#if defined(__AVX512F__)
    if constexpr (size == 8) return _mm512_cvtps_pd(_mm256_loadu_ps(p));
#endif
#if defined(__AVX__)
    if constexpr (size == 4) return _mm256_cvtps_pd(_mm_loadu_ps(p));
#endif
#if defined(__SSE2__)
    if constexpr (size == 2)
        return _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
#elif defined(__aarch64__)
    if constexpr (size == 2) return vcvt_f64_f32(vld1_f32(p));
#endif
}

/// The first n elements of a register from p, zeros behind them, or to p; nothing beyond p + n is touched. Only where the
/// instruction set has cheap masks (AVX2's stores are not); the caller copies elsewhere.
#if defined(__AVX512F__)
BITSTEP_INLINE __m512 load_masked(const float* p, std::size_t n, __m512) {
    return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << n) - 1), p);
}
BITSTEP_INLINE __m512d load_masked(const double* p, std::size_t n, __m512d) {
    return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << n) - 1), p);
}
BITSTEP_INLINE void store_masked(float* p, std::size_t n, __m512 values) {
    _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1U << n) - 1), values);
}
BITSTEP_INLINE void store_masked(double* p, std::size_t n, __m512d values) {
    _mm512_mask_storeu_pd(p, static_cast<__mmask8>((1U << n) - 1), values);
}
#endif
#if defined(__AVX2__)
BITSTEP_INLINE __m256 load_masked(const float* p, std::size_t n, __m256) {
    const __m256i place = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_maskload_ps(p, _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), place));
}
BITSTEP_INLINE __m128 load_masked(const float* p, std::size_t n, __m128) {
    const __m128i place = _mm_setr_epi32(0, 1, 2, 3);
    return _mm_maskload_ps(p, _mm_cmpgt_epi32(_mm_set1_epi32(static_cast<int>(n)), place));
}
BITSTEP_INLINE __m256d load_masked(const double* p, std::size_t n, __m256d) {
    const __m256i place = _mm256_setr_epi64x(0, 1, 2, 3);
    return _mm256_maskload_pd(p, _mm256_cmpgt_epi64(_mm256_set1_epi64x(static_cast<long long>(n)), place));
}
#endif

/// As widen, of the first n <= batch::size floats, zeros behind them.
template <class Arch>
BITSTEP_INLINE native_register<double, Arch> widen_first(const float* p, std::size_t n) {
    constexpr std::size_t size = native_register<double, Arch>::size;
#if defined(__AVX512F__)
    if constexpr (size == 8) return _mm512_cvtps_pd(_mm256_maskz_loadu_ps(static_cast<__mmask8>((1U << n) - 1), p));
#endif
#if defined(__AVX2__)
    if constexpr (size == 4) return _mm256_cvtps_pd(load_masked(p, n, __m128{}));
#endif
    if constexpr (size == 2) {
        const float padded[size] = {n > 0 ? p[0] : 0.0F, n > 1 ? p[1] : 0.0F};
        return widen<Arch>(padded);
    }
}

} // namespace
} // namespace bitstep::internal
