// SPDX-License-Identifier: Apache-2.0
// The numbers that `verify` computes with: SplitMix64 bits, made floating point by exact conversions and exact scalings
// alone, so that they are the same on every machine before anything under test has run. Next: verify_operations.
#pragma once

#include "program/verify/verify_shapes.hpp"

#include <bitstep/bitstep.hpp>

#include <cstddef>
#include <vector>

namespace bitstep::program {

template <class T>
struct verify_data {
    verify_shape shape;
    std::size_t row_stride = 0;
    std::vector<T> x; ///< (N, row_stride)
    std::vector<T> y; ///< (N)
    std::vector<T> weights, ema_weights, m, v;
    std::vector<shard_view<T>> shards;    ///< x and y, cut
    std::vector<const T*> worker_vectors; ///< up to 5 rows of x, taken as workers' gradients
    std::vector<long long> counts;        ///< of examples behind each of those
    hyper_parameters hyper;
};

/// `index` is the shape's place in verify_shapes(): it seeds the generator and picks the hyper-parameters.
template <class T>
verify_data<T> make_verify_data(const verify_shape& shape, std::size_t index);

} // namespace bitstep::program
