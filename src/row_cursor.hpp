// SPDX-License-Identifier: Apache-2.0
// Stage 4: walking the one flat row sequence, whatever shards it is made of.
#pragma once

#include <bitstep/views.hpp>

#include "kernels/kernel_table.hpp"

#include <cstddef>

namespace bitstep::internal {

/// Where the next row of the flat sequence stands.
struct row_cursor {
    std::size_t shard = 0;
    std::size_t row = 0; ///< within the shard
};

template <class T>
row_cursor cursor_at(const row_sequence<T>& rows, std::size_t flat) noexcept {
    row_cursor c;
    while (flat >= rows.shards[c.shard].rows) flat -= rows.shards[c.shard++].rows;
    c.row = flat;
    return c;
}

/// Up to `most` rows from the cursor on, all in one shard; moves the cursor behind them.
template <class T>
row_run<T> take_rows(const row_sequence<T>& rows, row_cursor& c, std::size_t most, bool far = false) noexcept {
    while (c.row == rows.shards[c.shard].rows) c = {c.shard + 1, 0};
    const shard_view<T>& s = rows.shards[c.shard];
    const std::size_t left = s.rows - c.row;
    const std::size_t taken = left < most ? left : most;
    const row_run<T> run{s.x + c.row * s.row_stride, s.row_stride, s.y + c.row, taken, left - taken, far};
    c.row += taken;
    return run;
}

} // namespace bitstep::internal
