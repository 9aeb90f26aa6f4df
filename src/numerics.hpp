// SPDX-License-Identifier: Apache-2.0
// The constants of the arithmetic contract (docs/numerics.md) and the types of its sums. Everything in this file decides
// bits. Version 1 is frozen by tests/golden/numerics_1.txt: a change is a new numerics version, with a decision record.
#pragma once

#include "exact_arithmetic.hpp"

#include <cstddef>

namespace bitstep::internal {

inline constexpr int numerics_version_number = 1;

/// Bytes of the logical vector on every instruction set: 16 float or 8 double lanes.
inline constexpr std::size_t vector_bytes = 64;

/// Elements of a row per partial dot product, and rows per partial gradient (docs/decisions/0001-panel-lengths.md).
inline constexpr std::size_t column_panel = 1024;
inline constexpr std::size_t row_panel = 64;

/// An unevaluated sum hi + lo; V is double, or a logical vector of doubles.
template <class V>
struct pair_sum {
    V hi;
    V lo;
};
using double_double = pair_sum<double>;

/// What sums of T are kept in: T itself (accumulate = native) or the next wider type (wide).
template <class T>
struct wide_sum;
template <>
struct wide_sum<float> {
    using type = double;
};
template <>
struct wide_sum<double> {
    using type = double_double;
};
template <class T>
using wide_sum_t = typename wide_sum<T>::type;

/// The machine type a sum is made of, the type that counts (N, W) are rounded to once, and the type of sums of squares.
template <class Sum>
struct sum_traits {
    using scalar = Sum;
    using square = double;
};
template <>
struct sum_traits<double_double> {
    using scalar = double;
    using square = double_double;
};
template <class Sum>
using scalar_t = typename sum_traits<Sum>::scalar;
template <class Sum>
using square_t = typename sum_traits<Sum>::square;

/// Lanes of a dot product whose sums are kept in Sum.
template <class Sum>
inline constexpr std::size_t lane_count = vector_bytes / sizeof(scalar_t<Sum>);

} // namespace bitstep::internal
