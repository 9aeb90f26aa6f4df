// SPDX-License-Identifier: Apache-2.0
// Double-double arithmetic without fused operations, for `wide` sums of double and for beta^t. V is double or a logical
// vector of doubles, so the scalar reference and the kernels run the same lines. docs/numerics.md writes them out.
// Everything has internal linkage: files compiled for different instruction sets must not share one copy.
// Sources: Knuth, TAOCP 2, 4.2.2 (two_sum); Dekker, "A floating-point technique for extending the available precision",
// 1971 (fast_two_sum, split, two_product).
#pragma once

#include "inline.hpp"
#include "numerics.hpp"

namespace bitstep::internal {
namespace {

/// An error term, or +0 where it is not finite: infinities in the data and products above 2^996 (where the split
/// overflows) then give the plain result in `hi` and never a NaN of the method's own.
BITSTEP_INLINE double finite_or_zero(double e) { return e - e == 0.0 ? e : 0.0; }

template <class V>
BITSTEP_INLINE pair_sum<V> two_sum(V a, V b) {
    const V s = a + b;
    const V b_part = s - a;
    const V a_part = s - b_part;
    return {s, finite_or_zero((a - a_part) + (b - b_part))};
}

/// As two_sum where |a| >= |b| or a = 0.
template <class V>
BITSTEP_INLINE pair_sum<V> fast_two_sum(V a, V b) {
    const V s = a + b;
    return {s, finite_or_zero(b - (s - a))};
}

/// Veltkamp: a = hi + lo with 26 bits each.
template <class V>
BITSTEP_INLINE pair_sum<V> split(V a) {
    const V c = V(134217729.0) * a; // 2^27 + 1
    const V hi = c - (c - a);
    return {hi, a - hi};
}

template <class V>
BITSTEP_INLINE pair_sum<V> two_product(V a, V b) {
    const V p = a * b;
    const pair_sum<V> x = split(a);
    const pair_sum<V> y = split(b);
    const V e = ((x.hi * y.hi - p) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo;
    return {p, finite_or_zero(e)};
}

template <class V>
BITSTEP_INLINE pair_sum<V> operator+(const pair_sum<V>& a, const pair_sum<V>& b) {
    const pair_sum<V> s = two_sum(a.hi, b.hi);
    return fast_two_sum(s.hi, s.lo + (a.lo + b.lo));
}

/// a b, with b a single number.
template <class V>
BITSTEP_INLINE pair_sum<V> multiply(const pair_sum<V>& a, V b) {
    const pair_sum<V> p = two_product(a.hi, b);
    return fast_two_sum(p.hi, p.lo + a.lo * b);
}

/// a b. Where a.hi b.hi is infinite, so may be the rest, with the other sign: the square of a residual is never NaN.
template <class V>
BITSTEP_INLINE pair_sum<V> multiply(const pair_sum<V>& a, const pair_sum<V>& b) {
    const pair_sum<V> p = two_product(a.hi, b.hi);
    return fast_two_sum(p.hi, finite_or_zero(p.lo + (a.hi * b.lo + a.lo * b.hi)));
}

/// a / n, rounded once to a single number.
template <class V>
BITSTEP_INLINE V divide_and_round(const pair_sum<V>& a, V n) {
    const V q = a.hi / n;
    const pair_sum<V> back = two_product(q, n);
    const V rest = ((a.hi - back.hi) - back.lo) + a.lo;
    return q + finite_or_zero(rest / n);
}

} // namespace
} // namespace bitstep::internal
