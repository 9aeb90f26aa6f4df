// SPDX-License-Identifier: Apache-2.0
// The order in which `compare` and `allreduce --ring` count: all floating-point numbers of a type in one row, from
// -infinity to +infinity, with -0 and +0 as two neighbours. A distance is the number of steps between two places in that
// row; it is 0 exactly where the bits are equal, and infinity is one step from the largest finite number.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace bitstep::program {

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// The place of a number in the row. IEEE bits without the sign already rise with the magnitude; the negative half is
/// turned round and put below the positive one.
template <class T>
bits_of<T> place_in_order(T value) {
    constexpr bits_of<T> sign = bits_of<T>{1} << (8 * sizeof(T) - 1);
    const auto bits = std::bit_cast<bits_of<T>>(value);
    return (bits & sign) != 0 ? static_cast<bits_of<T>>(~bits) : static_cast<bits_of<T>>(bits | sign);
}

/// Steps between two numbers, neither of them NaN. Fits 64 bits: the largest, from -infinity to +infinity in double, is
/// 18437736874454810625.
template <class T>
std::uint64_t ulp_distance(T a, T b) {
    const bits_of<T> x = place_in_order(a);
    const bits_of<T> y = place_in_order(b);
    return x < y ? y - x : x - y;
}

} // namespace bitstep::program
