// SPDX-License-Identifier: Apache-2.0
// The double-double arithmetic of wide mode on double, written from docs/numerics.md section 6 alone: a pair (hi, lo)
// stands for hi + lo. Dekker's product (1971), Knuth's sum; no fused operation.
#pragma once

#include "contract.hpp"

#include <type_traits>

namespace bitstep_test::contract {

struct pair {
    double hi = 0;
    double lo = 0;
};

/// An error term that is not finite counts as +0.
inline double finite_or_zero(double e) { return e - e == 0 ? e : 0.0; }

inline pair two_sum(double a, double b) {
    const double s = a + b;
    const double t = s - a;
    const double u = s - t;
    return {s, finite_or_zero((a - u) + (b - t))};
}

inline pair fast_two_sum(double a, double b) {
    const double s = a + b;
    return {s, finite_or_zero(b - (s - a))};
}

inline pair split(double a) {
    const double c = 134217729.0 * a;
    const double hi = c - (c - a);
    return {hi, a - hi};
}

inline pair two_product(double a, double b) {
    const double p = a * b;
    const pair x = split(a);
    const pair y = split(b);
    return {p, finite_or_zero((((x.hi * y.hi - p) + x.hi * y.lo) + x.lo * y.hi) + x.lo * y.lo)};
}

inline pair operator+(const pair& a, const pair& b) {
    const pair s = two_sum(a.hi, b.hi);
    return fast_two_sum(s.hi, s.lo + (a.lo + b.lo));
}

inline pair times_number(const pair& a, double b) {
    const pair p = two_product(a.hi, b);
    return fast_two_sum(p.hi, p.lo + a.lo * b);
}

inline pair times_pair(const pair& a, const pair& b) {
    const pair p = two_product(a.hi, b.hi);
    return fast_two_sum(p.hi, finite_or_zero(p.lo + (a.hi * b.lo + a.lo * b.hi)));
}

inline double divided_by_number(const pair& a, double n) {
    const double q = a.hi / n;
    const pair p = two_product(q, n);
    const double r = ((a.hi - p.hi) - p.lo) + a.lo;
    return q + finite_or_zero(r / n);
}

template <>
struct arithmetic<pair> {
    static constexpr std::size_t lanes = 8;
    using square_sum = pair;

    static pair product(double a, double b) { return two_product(a, b); }
    static pair weighted(double g, long long count) { return two_product(g, static_cast<double>(count)); }
    static pair minus(const pair& a, double y) { return a + pair{-y, 0}; }
    static pair times(const pair& r, double x) { return times_number(r, x); }
    static pair square(const pair& r) { return times_pair(r, r); }
    static pair twice(const pair& sum) { return {2 * sum.hi, 2 * sum.lo}; }
    static pair divided(const pair& sum, std::size_t by) {
        return {divided_by_number(sum, static_cast<double>(by)), 0};
    }
    template <class T>
    static T rounded(const pair& sum) {
        return sum.hi + sum.lo;
    }
};

/// What sums T in each mode.
template <class T>
using wide_sum = std::conditional_t<sizeof(T) == 4, double, pair>;

/// beta^t as the page says: bits of t from high to low, squares and products with beta, hi + lo at the end.
inline double power(double beta, long long t) {
    int bit = 62;
    while ((t >> bit) == 0) {
        --bit;
    }
    pair p{beta, 0};
    while (--bit >= 0) {
        p = times_pair(p, p);
        if ((t >> bit) % 2 == 1) {
            p = times_number(p, beta);
        }
    }
    return p.hi + p.lo;
}

} // namespace bitstep_test::contract
