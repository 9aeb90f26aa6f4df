// SPDX-License-Identifier: Apache-2.0
#include "program/digest.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>

namespace bitstep::program {
namespace {

constexpr std::size_t chunk = 1024; // numbers: 4 or 8 KiB stay in L1 between the conversion and the hash

// Bits whose bytes in memory are little-endian.
template <class Bits>
Bits little_endian(Bits bits) {
    if constexpr (std::endian::native == std::endian::little) {
        return bits;
    } else {
        Bits turned = 0;
        for (std::size_t i = 0; i < sizeof(Bits); ++i) {
            turned = (turned << 8) | ((bits >> (8 * i)) & 0xffu);
        }
        return turned;
    }
}

template <class T>
void add_values(digest& sum, const T* values, std::size_t count) {
    decltype(canonical_bits(T{})) canonical[chunk];
    for (std::size_t begin = 0; begin < count; begin += chunk) {
        const std::size_t size = std::min(chunk, count - begin);
        for (std::size_t i = 0; i < size; ++i) {
            canonical[i] = little_endian(canonical_bits(values[begin + i]));
        }
        sum.add(reinterpret_cast<const unsigned char*>(canonical), size * sizeof(T));
    }
}

} // namespace

std::uint32_t canonical_bits(float value) { return value != value ? 0x7fc00000u : std::bit_cast<std::uint32_t>(value); }

std::uint64_t canonical_bits(double value) {
    return value != value ? 0x7ff8000000000000u : std::bit_cast<std::uint64_t>(value);
}

struct digest::hash_state {
    XXH3_state_t hash;
};

digest::digest() : state_(std::make_unique<hash_state>()) {
    XXH3_INITSTATE(&state_->hash);
    XXH3_128bits_reset(&state_->hash);
}
digest::~digest() = default;
digest::digest(digest&&) noexcept = default;
digest& digest::operator=(digest&&) noexcept = default;

void digest::add(const float* values, std::size_t count) { add_values(*this, values, count); }
void digest::add(const double* values, std::size_t count) { add_values(*this, values, count); }

void digest::add_integer(std::uint64_t value) {
    const std::uint64_t bytes = little_endian(value);
    add(reinterpret_cast<const unsigned char*>(&bytes), sizeof(bytes));
}

void digest::add(const unsigned char* bytes, std::size_t count) {
    if (count != 0) { // nullptr is then allowed here, not there
        XXH3_128bits_update(&state_->hash, bytes, count);
    }
}

std::string digest::hex() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(&state_->hash);
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

} // namespace bitstep::program
