// SPDX-License-Identifier: Apache-2.0
// Stage 4: the gradient and the mean squared error over a row sequence. After validation and partition; before Adam.
#pragma once

#include "dispatch.hpp"
#include "parallel.hpp"
#include "partition.hpp"
#include "validate.hpp"
#include "workspace.hpp"

#include <cstddef>

namespace bitstep::internal {

/// Everything that stage 4 needs to know, and where its scratch arrays lie.
template <class Sum>
struct gradient_plan {
    row_partition partition;
    arch which = arch::reference;
    team_choice team;
    bool by_columns = false;      ///< the team shares the columns of each row (column_split.hpp), not the rows
    bool far = false;             ///< X is larger than far_bytes
    std::size_t partial_size = 0; ///< elements of one partial gradient: features, padded to whole logical vectors
    std::size_t partials = 0;     ///< offset: one partial gradient per subtree
    std::size_t squares = 0;      ///< offset: one sum of squares per subtree
    std::size_t gradient = 0;     ///< offset: the result, until it is known to be finite
    std::size_t tree = 0;         ///< offset: per thread, one partial gradient per level of a subtree
    std::size_t column_tree = 0;  ///< offset, by columns: the sum, and one partial gradient per level of the whole tree
    std::size_t column_sums = 0;  ///< offset, by columns: the column panels' sums of two blocks of rows
};

/// Partition, threads and scratch for N rows of d features. `opts` has been checked.
template <class T, class Sum>
status plan_gradient(std::size_t rows, std::size_t features, const options& opts, arch which, layout& need,
                     gradient_plan<Sum>& plan) noexcept;

/// What the gradient stage hands on.
template <class T>
struct gradient_result {
    T mse = 0;
    bool finite = true;
    int team = 1;
};

/// grad = (2 X^T (X w - y)) / N. Reads X once: N d sizeof(T) bytes.
template <class T, class Sum>
gradient_result<T> compute_gradient(const row_data<T>& data, const T* w, const gradient_plan<Sum>& plan,
                                    const scratch& memory, T* grad) noexcept;

} // namespace bitstep::internal
