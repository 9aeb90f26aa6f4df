// SPDX-License-Identifier: Apache-2.0
// SplitMix64: the only random generator of the program. Integer arithmetic modulo 2^64 alone, so that every compiler,
// standard library and processor gives the same numbers; std::shuffle and the std distributions do not.
// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014; Vigna's constants.
#pragma once

#include <cstdint>

namespace bitstep::program {

class split_mix {
public:
    explicit constexpr split_mix(std::uint64_t state) noexcept : state_(state) {}

    constexpr std::uint64_t next() noexcept {
        state_ += 0x9E3779B97F4A7C15u;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }

    /// Uniform in [0, bound), bound >= 1, without bias: draws below 2^64 mod bound are thrown away, so that what remains
    /// is a whole number of ranges; then the remainder.
    constexpr std::uint64_t below(std::uint64_t bound) noexcept {
        std::uint64_t draw = next();
        // (2^64 - bound) mod bound = 2^64 mod bound; below bound, so that a draw of bound or more spares the division.
        while (draw < bound && draw < (0u - bound) % bound) {
            draw = next();
        }
        return draw % bound;
    }

private:
    std::uint64_t state_;
};

} // namespace bitstep::program
