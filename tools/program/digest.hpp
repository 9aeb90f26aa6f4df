// SPDX-License-Identifier: Apache-2.0
// The digest of `train`, `verify`, `compare` and `allreduce`: XXH3-128 (seed 0) over a byte string that is the same on
// every machine. Layout: numbers one after another in the order of the calls, without counts or separators; float as
// 4 bytes, double and integers as 8, little-endian; every NaN as the quiet NaN 7fc00000 / 7ff8000000000000, because
// payload bits are not promised. `train` adds weights, ema_weights, m, v, t.
// Streamed: takes a fixed amount of memory, however much is added, and how the numbers are cut into calls is no matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bitstep::program {

/// The IEEE bits of a value, with every NaN as one.
std::uint32_t canonical_bits(float value);
std::uint64_t canonical_bits(double value);

class digest {
public:
    digest();
    ~digest();
    digest(digest&&) noexcept;
    digest& operator=(digest&&) noexcept;

    void add(const float* values, std::size_t count);
    void add(const double* values, std::size_t count);
    template <class T>
    void add(const std::vector<T>& values) {
        add(values.data(), values.size());
    }
    void add_integer(std::uint64_t value);

    /// The bytes as they are.
    void add(const unsigned char* bytes, std::size_t count);

    /// 32 hex digits, high half first, as `xxhsum -H2` prints them. More may be added afterwards.
    std::string hex() const;

private:
    struct hash_state; // keeps xxhash.h, which is all code, out of this header
    std::unique_ptr<hash_state> state_;
};

} // namespace bitstep::program
