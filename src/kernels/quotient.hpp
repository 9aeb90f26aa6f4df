// SPDX-License-Identifier: Apache-2.0
// Division by a loop constant: the bits of the IEEE quotient without the divider, where the arch has a fused
// multiply-add. In-cache Adam has three divisions and a root per element and is bound by them; m' and v' are divided by
// constants (docs/decisions/0004-division-by-a-constant.md: the proof and the figures).
//
//   y = RN(1 / b), q = RN(a y), r = RN(q b - a), q' = RN(q - r y) = RN(a / b)
//
// for a = 0, for every a with 2^-100 <= |a| <= 2^70 (float), 2^-960 <= |a| <= 2^960 (double), and every b in [2^-53,
// 1]. The sign of r is this way round because then r is +0 where a is 0, and -0 stays -0. A vector with any other
// element is divided. Zeros must not be: features that never occur have zero moments.
#pragma once

#include "kernels/lanes.hpp"

namespace bitstep::internal {
namespace {

#if defined(__AVX512F__)
template <class T>
struct fused_quotient;

// The test of the range: twice the bits drop the sign; above and below the range the unsigned difference is large.
template <>
struct fused_quotient<float> {
    static BITSTEP_INLINE __m512 of(__m512 a, __m512 b, __m512 y) {
        const __m512 q = _mm512_mul_ps(a, y);
        return _mm512_fnmadd_ps(_mm512_fmsub_ps(q, b, a), y, q);
    }
    static BITSTEP_INLINE bool all_in_range(__m512 a) {
        const __m512i bits = _mm512_castps_si512(a);
        const __m512i above = _mm512_sub_epi32(_mm512_add_epi32(bits, bits), _mm512_set1_epi32((127 - 100) << 24));
        const __mmask16 not_zero = _mm512_test_epi32_mask(bits, _mm512_set1_epi32(0x7fffffff));
        return _mm512_mask_cmpgt_epu32_mask(not_zero, above, _mm512_set1_epi32(static_cast<int>((100U + 70U) << 24))) ==
               0;
    }
};
template <>
struct fused_quotient<double> {
    static BITSTEP_INLINE __m512d of(__m512d a, __m512d b, __m512d y) {
        const __m512d q = _mm512_mul_pd(a, y);
        return _mm512_fnmadd_pd(_mm512_fmsub_pd(q, b, a), y, q);
    }
    static BITSTEP_INLINE bool all_in_range(__m512d a) {
        const __m512i bits = _mm512_castpd_si512(a);
        const __m512i above = _mm512_sub_epi64(_mm512_add_epi64(bits, bits), _mm512_set1_epi64((1023LL - 960) << 53));
        const __mmask8 not_zero = _mm512_test_epi64_mask(bits, _mm512_set1_epi64(0x7fffffffffffffffLL));
        return _mm512_mask_cmpgt_epu64_mask(not_zero, above,
                                            _mm512_set1_epi64(static_cast<long long>((960ULL + 960) << 53))) == 0;
    }
};
#endif

/// a / divisor is the IEEE quotient, bit for bit. b in [2^-53, 1].
template <class T, class Arch>
class divisor {
public:
    BITSTEP_INLINE explicit divisor(T b) : b_(b), reciprocal_(lanes<T, Arch>(T(1)) / b_) {}

    friend BITSTEP_INLINE lanes<T, Arch> operator/(const lanes<T, Arch>& a, const divisor& by) {
#if defined(__AVX512F__)
        if constexpr (lanes<T, Arch>::registers == 1) {
            if (__builtin_expect(fused_quotient<T>::all_in_range(a.part[0]), 1)) {
                lanes<T, Arch> q;
                q.part[0] = fused_quotient<T>::of(a.part[0], by.b_.part[0], by.reciprocal_.part[0]);
                return q;
            }
        }
#endif
        return a / by.b_;
    }

private:
    lanes<T, Arch> b_;
    lanes<T, Arch> reciprocal_;
};

} // namespace
} // namespace bitstep::internal
