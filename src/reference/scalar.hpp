// SPDX-License-Identifier: Apache-2.0
// One element in each accumulate mode, as scalars: what kernels/arithmetic.hpp does per lane.
#pragma once

#include "double_double.hpp"
#include "numerics.hpp"

#include <cstddef>

namespace bitstep::internal {
namespace reference {
namespace {

// native, and wide float: Sum is a machine number.
template <class Sum, class T>
BITSTEP_INLINE Sum add_product(Sum s, T x, T w) {
    return s + static_cast<Sum>(x) * static_cast<Sum>(w);
}
template <class Sum, class T>
BITSTEP_INLINE Sum add_update(Sum s, T x, Sum r) {
    return s + static_cast<Sum>(x) * r;
}
template <class Sum, class T>
BITSTEP_INLINE Sum add_value(Sum s, T x) {
    return s + static_cast<Sum>(x);
}
template <class Sum, class T>
BITSTEP_INLINE Sum minus(Sum dot, T y) {
    return dot - static_cast<Sum>(y);
}
template <class Sum>
BITSTEP_INLINE double add_square(double total, Sum r) {
    return total + static_cast<double>(r) * static_cast<double>(r);
}
template <class Sum>
BITSTEP_INLINE Sum twice(Sum s) {
    return Sum(2) * s;
}
template <class T, class Sum>
BITSTEP_INLINE T divide(Sum s, Sum n) {
    return static_cast<T>(s / n);
}
template <class T, class Sum>
BITSTEP_INLINE T round(Sum s) {
    return static_cast<T>(s);
}

// wide double: Sum is a pair.
BITSTEP_INLINE double_double add_product(double_double s, double x, double w) { return s + two_product(x, w); }
BITSTEP_INLINE double_double add_update(double_double s, double x, double_double r) { return s + multiply(r, x); }
BITSTEP_INLINE double_double add_value(double_double s, double x) { return s + double_double{x, 0.0}; }
BITSTEP_INLINE double_double minus(double_double dot, double y) { return dot + double_double{-y, 0.0}; }
BITSTEP_INLINE double_double add_square(double_double total, double_double r) { return total + multiply(r, r); }
BITSTEP_INLINE double_double twice(double_double s) { return {2.0 * s.hi, 2.0 * s.lo}; }
template <class T>
BITSTEP_INLINE T divide(double_double s, double n) {
    return divide_and_round(s, n);
}
template <class T>
BITSTEP_INLINE T round(double_double s) {
    return s.hi + s.lo;
}

/// x . w by lanes and column panels.
template <class Sum, class T>
Sum dot_panel(const T* x, const T* w, std::size_t size) {
    constexpr std::size_t lanes = lane_count<Sum>;
    Sum lane[lanes] = {};
    for (std::size_t j = 0; j < size; ++j) lane[j % lanes] = add_product(lane[j % lanes], x[j], w[j]);
    for (std::size_t half = lanes / 2; half > 0; half /= 2) {
        for (std::size_t l = 0; l < half; ++l) lane[l] = lane[l] + lane[l + half];
    }
    return lane[0];
}

/// The balanced tree over column panels: left part the largest power of two of panels below the whole.
template <class Sum, class T>
Sum dot(const T* x, const T* w, std::size_t size) {
    if (size <= column_panel) return dot_panel<Sum>(x, w, size);
    std::size_t left = column_panel;
    while (left * 2 < size) left *= 2;
    const Sum older = dot<Sum>(x, w, left);
    const Sum newer = dot<Sum>(x + left, w + left, size - left);
    return older + newer;
}

} // namespace
} // namespace reference
} // namespace bitstep::internal
