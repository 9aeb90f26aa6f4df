// SPDX-License-Identifier: Apache-2.0
// Stage 1 for distributed_step: its arguments as one bundle, and their checks. Before: the public call. After: partition.
#pragma once

#include <bitstep/options.hpp>
#include <bitstep/status.hpp>
#include <bitstep/views.hpp>

#include "validate.hpp"

#include <cstddef>

namespace bitstep::internal {

/// The arguments of one step. In place, `out` is the same memory as `in`.
template <class T>
struct step_arguments {
    row_data<T> data;
    state_view<const T> in;
    state_view<T> out;
    const hyper_parameters& hyper;
    const options& opts;
    workspace given;
    bool in_place;
};

/// Shapes, ranges, pointers, overlaps; sets data.total. Values of the state are not read.
template <class T>
status step_rules(step_arguments<T>& a) noexcept;

/// A dense batch as one shard of W A B rows.
template <class T>
status flatten(const worker_batches<T>& b, shard_view<T>& one, row_data<T>& data) noexcept;

/// The four parts of a functional result, [w', ema', m', v'].
template <class T>
status split_output(const vector_view<T>& out, std::size_t features, state_view<T>& state) noexcept;

} // namespace bitstep::internal
