// SPDX-License-Identifier: Apache-2.0
// How callers hand over memory: pointer, extents, row stride. A view owns nothing and may start at any address that is
// aligned for T. Extents and strides count elements, not bytes. T is float or double, const for inputs.
#pragma once

#include <cstddef>

namespace bitstep {

/// `size` elements, one after another.
template <class T>
struct vector_view {
    T* data = nullptr;    ///< (size)
    std::size_t size = 0; ///< elements
};

/// `rows` x `cols` elements; row i starts at `data + i * row_stride`, with row_stride >= cols.
template <class T>
struct matrix_view {
    T* data = nullptr;          ///< (rows, cols)
    std::size_t rows = 0;       ///< N
    std::size_t cols = 0;       ///< d
    std::size_t row_stride = 0; ///< elements from row to row
};

/// A run of examples in one buffer: `rows` rows of X and their targets. May be empty (rows = 0, pointers then unused).
template <class T>
struct shard_view {
    const T* x = nullptr;       ///< (rows, features)
    const T* y = nullptr;       ///< (rows)
    std::size_t rows = 0;       ///< in this shard
    std::size_t row_stride = 0; ///< elements from row to row of x, >= features
};

/// Shards, possibly of different lengths and in separate buffers, read in order as ONE sequence of rows. How the rows
/// are cut into shards cannot change a bit of any result.
template <class T>
struct row_sequence {
    const shard_view<T>* shards = nullptr; ///< shard_count of them
    std::size_t shard_count = 0;           ///< how many
    std::size_t features = 0;              ///< d >= 1
};

/// The dense case: W workers, A micro-batches each, B examples each, d features each; C order.
template <class T>
struct worker_batches {
    const T* worker_xs = nullptr;  ///< (W, A, B, d)
    const T* worker_ys = nullptr;  ///< (W, A, B)
    std::size_t workers = 0;       ///< W >= 1
    std::size_t micro_batches = 0; ///< A >= 1
    std::size_t examples = 0;      ///< B >= 1
    std::size_t features = 0;      ///< d >= 1
};

/// Model weights, their moving average, and the raw (uncorrected) Adam moments: four arrays of `features` elements.
template <class T>
struct state_view {
    T* weights = nullptr;     ///< (d)
    T* ema_weights = nullptr; ///< (d)
    T* m = nullptr;           ///< (d), first moment
    T* v = nullptr;           ///< (d), second moment, >= 0
    std::size_t features = 0; ///< d
};

} // namespace bitstep
