// SPDX-License-Identifier: Apache-2.0
// The rows of one step, gathered from their shuffled places into one block of memory and dealt to the workers. Between
// shuffle (which rows) and distributed_step (what to do with them).
#pragma once

#include "program/data/design_matrix.hpp"

#include <bitstep/bitstep.hpp>

#include <cstddef>
#include <vector>

namespace bitstep::program {

template <class T>
class step_buffer {
public:
    /// Room for `capacity` rows of `features` over at most `workers` shards; nothing is allocated afterwards.
    step_buffer(std::size_t capacity, std::size_t features, std::size_t workers);

    /// Copies rows order[0] ... order[count-1] of the data. Worker i gets the next count / W rows, the first count mod W
    /// workers one more; a worker that would get none is left out. A full step of W*A*B rows gives each A*B.
    row_sequence<T> gather(const design_matrix<T>& data, const std::size_t* order, std::size_t count);

    /// The rows of the last gather() as one matrix, and their targets.
    matrix_view<const T> x() const { return {x_.data(), count_, features_, features_}; }
    vector_view<const T> y() const { return {y_.data(), count_}; }

private:
    std::vector<T> x_; // (capacity, features)
    std::vector<T> y_; // (capacity)
    std::vector<shard_view<T>> shards_;
    std::size_t features_;
    std::size_t workers_;
    std::size_t count_ = 0;
};

} // namespace bitstep::program
