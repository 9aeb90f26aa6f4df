// SPDX-License-Identifier: Apache-2.0
// Which shapes `verify` computes: a fixed list, because the digest covers every one of them. Next: verify_data.
#pragma once

#include <cstddef>
#include <vector>

namespace bitstep::program {

enum class value_kind {
    plain,      ///< about uniform in (-1, 1)
    spread,     ///< magnitudes over 16 powers of two, and zeros of both signs
    subnormal,  ///< X and y below the normal numbers: shows a flushed zero
    large,      ///< X near the square root of the largest number: sums of products and squares overflow
    non_finite, ///< X with NaN and infinities: shows where they spread, and that gradient refuses them
};

struct verify_shape {
    std::size_t workers = 1;       ///< W
    std::size_t micro_batches = 1; ///< A
    std::size_t examples = 1;      ///< B
    std::size_t features = 1;      ///< d
    value_kind values = value_kind::plain;
    /// Shards of different lengths, an empty one among them, in rows with a gap filled with NaN; else the dense
    /// (W, A, B, d).
    bool uneven = false;

    std::size_t rows() const { return workers * micro_batches * examples; }
};

const std::vector<verify_shape>& verify_shapes();

} // namespace bitstep::program
