// SPDX-License-Identifier: Apache-2.0
// The C structs of data for each element type, and their C++ twins.
#pragma once

#include "call.hpp"

#include <cstddef>

namespace bitstep::c_api {

template <class T>
struct c_structs;
template <>
struct c_structs<float> {
    using matrix = bitstep_matrix_f32;
    using batches = bitstep_worker_batches_f32;
    using shard = bitstep_shard_f32;
    using rows = bitstep_row_sequence_f32;
    using tensor = bitstep_worker_tensor_f32;
};
template <>
struct c_structs<double> {
    using matrix = bitstep_matrix_f64;
    using batches = bitstep_worker_batches_f64;
    using shard = bitstep_shard_f64;
    using rows = bitstep_row_sequence_f64;
    using tensor = bitstep_worker_tensor_f64;
};
template <class T>
using c_matrix = typename c_structs<T>::matrix;
template <class T>
using c_batches = typename c_structs<T>::batches;
template <class T>
using c_shard = typename c_structs<T>::shard;
template <class T>
using c_rows = typename c_structs<T>::rows;
template <class T>
using c_tensor = typename c_structs<T>::tensor;

template <class T>
matrix_view<const T> twin_of_matrix(const c_matrix<T>& x) noexcept {
    return {x.data, x.rows, x.cols, x.row_stride};
}

template <class T>
worker_batches<T> twin_of_batches(const c_batches<T>& b) noexcept {
    return {b.worker_xs, b.worker_ys, b.workers, b.micro_batches, b.examples, b.features};
}

template <class T>
row_sequence<T> twin_of_rows(const c_rows<T>& rows) noexcept {
    using from = c_shard<T>;
    using to = shard_view<T>;
    static_assert(offsetof(from, x) == offsetof(to, x) && offsetof(from, y) == offsetof(to, y));
    static_assert(offsetof(from, rows) == offsetof(to, rows));
    static_assert(offsetof(from, row_stride) == offsetof(to, row_stride));
    return {as_twin<const to>(rows.shards), rows.shard_count, rows.features};
}

} // namespace bitstep::c_api
