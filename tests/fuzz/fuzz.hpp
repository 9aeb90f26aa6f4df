// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets feed, so that the ordinary tests can run it over the corpus too, with any compiler.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bitstep_fuzz {

/// Input: 8 bytes little-endian, the size of the data; then the JSON of a safetensors header. True where it was accepted,
/// false where it was refused with an input_error. Traps where an accepted header breaks what safetensors.hpp promises.
bool safetensors(const std::uint8_t* bytes, std::size_t size);

} // namespace bitstep_fuzz
