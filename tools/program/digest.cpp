// SPDX-License-Identifier: Apache-2.0
#include "program/digest.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <bit>

namespace bitstep::program {

std::uint32_t canonical_bits(float value) { return value != value ? 0x7fc00000u : std::bit_cast<std::uint32_t>(value); }

std::uint64_t canonical_bits(double value) {
    return value != value ? 0x7ff8000000000000u : std::bit_cast<std::uint64_t>(value);
}

std::string digest::hex() const {
    const XXH128_hash_t hash = XXH3_128bits(bytes_.data(), bytes_.size());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

} // namespace bitstep::program
