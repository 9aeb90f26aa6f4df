// SPDX-License-Identifier: Apache-2.0
// The digest that ends `train` and `verify`: XXH3-128 (seed 0) over a byte string that is the same on every machine.
// Layout: numbers one after another in the order of the calls, without counts or separators; float as 4 bytes, double
// and integers as 8, little-endian; every NaN as the quiet NaN 7fc00000 / 7ff8000000000000, because payload bits are
// not promised. `train` adds weights, ema_weights, m, v, t.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bitstep::program {

/// The IEEE bits of a value, with every NaN as one.
std::uint32_t canonical_bits(float value);
std::uint64_t canonical_bits(double value);

class digest {
public:
    template <class T>
    void add(const std::vector<T>& values) {
        for (const T value : values) {
            add_bytes(canonical_bits(value), sizeof(T));
        }
    }
    void add_integer(std::uint64_t value) { add_bytes(value, sizeof(value)); }

    /// 32 hex digits, high half first, as `xxhsum -H2` prints them.
    std::string hex() const;

private:
    void add_bytes(std::uint64_t bits, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            bytes_.push_back(static_cast<unsigned char>(bits >> (8 * i)));
        }
    }

    std::vector<unsigned char> bytes_; // small: hashed in one go at the end
};

} // namespace bitstep::program
