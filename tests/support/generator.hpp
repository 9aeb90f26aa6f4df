// SPDX-License-Identifier: Apache-2.0
// Test data that is the same on every machine: SplitMix64 (Steele, Lea and Flood 2014) and exact scaling, without the
// standard distributions and without libm.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace bitstep_test {

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// 2^exponent for exponents of normal numbers.
template <class T>
T power_of_two(int exponent) {
    constexpr int mantissa = std::numeric_limits<T>::digits - 1;
    const int biased = exponent + std::numeric_limits<T>::max_exponent - 1;
    return std::bit_cast<T>(static_cast<bits_of<T>>(static_cast<bits_of<T>>(biased) << mantissa));
}

class split_mix64 {
public:
    explicit split_mix64(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31U);
    }

    /// An integer in [low, high].
    long long integer(long long low, long long high) {
        return low + static_cast<long long>(next() % static_cast<std::uint64_t>(high - low + 1));
    }

    std::size_t index(std::size_t count) { return static_cast<std::size_t>(next() % count); }

    /// In [-1, 1), a multiple of the type's epsilon: every step here is exact.
    template <class T>
    T symmetric() {
        constexpr int digits = std::numeric_limits<T>::digits;
        const auto magnitude = static_cast<std::int64_t>(next() >> static_cast<unsigned>(64 - digits));
        const std::int64_t half = std::int64_t{1} << static_cast<unsigned>(digits - 1);
        return static_cast<T>(magnitude - half) * power_of_two<T>(1 - digits);
    }

    /// As symmetric(), times a power of two in [2^-range, 2^range].
    template <class T>
    T spread(int range) {
        const T value = symmetric<T>();
        return value * power_of_two<T>(static_cast<int>(integer(-range, range)));
    }

private:
    std::uint64_t state_;
};

enum class data_kind {
    uniform,  ///< [-1, 1), all with one last place: sums of float products are then exact in double!
    usual,    ///< exponents over 2^-6 ... 2^6: sums round in double too
    integers, ///< -3 ... 3: sums are exact, so that only an indexing fault can differ
    spread,   ///< exponents over 2^-20 ... 2^20: every change of order shows
    tiny,     ///< products and sums around and below the smallest normal number
    denormal, ///< half of the numbers themselves below the smallest normal one, the others as in spread
    zeros,    ///< zeros of both signs, and now and then 1 or -1
    special,  ///< spread, with NaN, infinities, zeros of both signs and denormals strewn in
};

template <class T>
T special_value(split_mix64& random) {
    using limits = std::numeric_limits<T>;
    const T values[] = {limits::quiet_NaN(),  limits::infinity(), -limits::infinity(), T(-0.0), T(0.0),
                        limits::denorm_min(), -limits::min() / 2, limits::max()};
    return values[random.index(sizeof(values) / sizeof(values[0]))];
}

template <class T>
T draw(split_mix64& random, data_kind kind) {
    switch (kind) {
    case data_kind::uniform:
        return random.symmetric<T>();
    case data_kind::usual:
        return random.spread<T>(6);
    case data_kind::integers:
        return static_cast<T>(random.integer(-3, 3));
    case data_kind::spread:
        return random.spread<T>(20);
    case data_kind::tiny:
        return random.spread<T>(20) * power_of_two<T>(std::numeric_limits<T>::min_exponent / 2 - 8);
    case data_kind::denormal:
        return random.index(2) == 0 ? random.symmetric<T>() * std::numeric_limits<T>::min() : random.spread<T>(20);
    case data_kind::zeros: {
        const T values[] = {T(0.0), T(-0.0), T(0.0), T(-0.0), T(0.0), T(-0.0), T(1), T(-1)};
        return values[random.index(sizeof(values) / sizeof(values[0]))];
    }
    case data_kind::special:
        break;
    }
    return random.index(7) == 0 ? special_value<T>(random) : random.spread<T>(20);
}

template <class T>
std::vector<T> draw_many(split_mix64& random, std::size_t count, data_kind kind) {
    std::vector<T> values(count);
    for (T& value : values) {
        value = draw<T>(random, kind);
    }
    return values;
}

} // namespace bitstep_test
