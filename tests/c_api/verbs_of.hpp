// SPDX-License-Identifier: Apache-2.0
// The C names of each element type, so that one template tests both.
#pragma once

#include <bitstep/bitstep.h>

namespace bitstep_test {

template <class T>
struct verbs_of;

template <>
struct verbs_of<float> {
    using matrix = bitstep_matrix_f32;
    using batches = bitstep_worker_batches_f32;
    using shard = bitstep_shard_f32;
    using rows = bitstep_row_sequence_f32;
    using tensor = bitstep_worker_tensor_f32;
    static constexpr auto step = bitstep_distributed_step_f32;
    static constexpr auto step_rows = bitstep_distributed_step_rows_f32;
    static constexpr auto step_in_place = bitstep_distributed_step_in_place_f32;
    static constexpr auto step_rows_in_place = bitstep_distributed_step_rows_in_place_f32;
    static constexpr auto step_bytes = bitstep_distributed_step_workspace_bytes_f32;
    static constexpr auto gradient = bitstep_gradient_f32;
    static constexpr auto gradient_bytes = bitstep_gradient_workspace_bytes_f32;
    static constexpr auto predict = bitstep_predict_f32;
    static constexpr auto residual = bitstep_residual_f32;
    static constexpr auto update = bitstep_adam_ema_update_f32;
    static constexpr auto mean = bitstep_allreduce_mean_f32;
    static constexpr auto mean_bytes = bitstep_allreduce_mean_workspace_bytes_f32;
    static constexpr auto ring = bitstep_simulate_ring_allreduce_f32;
};

template <>
struct verbs_of<double> {
    using matrix = bitstep_matrix_f64;
    using batches = bitstep_worker_batches_f64;
    using shard = bitstep_shard_f64;
    using rows = bitstep_row_sequence_f64;
    using tensor = bitstep_worker_tensor_f64;
    static constexpr auto step = bitstep_distributed_step_f64;
    static constexpr auto step_rows = bitstep_distributed_step_rows_f64;
    static constexpr auto step_in_place = bitstep_distributed_step_in_place_f64;
    static constexpr auto step_rows_in_place = bitstep_distributed_step_rows_in_place_f64;
    static constexpr auto step_bytes = bitstep_distributed_step_workspace_bytes_f64;
    static constexpr auto gradient = bitstep_gradient_f64;
    static constexpr auto gradient_bytes = bitstep_gradient_workspace_bytes_f64;
    static constexpr auto predict = bitstep_predict_f64;
    static constexpr auto residual = bitstep_residual_f64;
    static constexpr auto update = bitstep_adam_ema_update_f64;
    static constexpr auto mean = bitstep_allreduce_mean_f64;
    static constexpr auto mean_bytes = bitstep_allreduce_mean_workspace_bytes_f64;
    static constexpr auto ring = bitstep_simulate_ring_allreduce_f64;
};

} // namespace bitstep_test
