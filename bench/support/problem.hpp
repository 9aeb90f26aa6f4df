// SPDX-License-Identifier: Apache-2.0
// One least-squares problem of a given size, and everybody who computes its gradient.
#pragma once

#include "buffer.hpp"
#include "openblas.hpp"
#include "samples.hpp"

#include <bitstep/bitstep.hpp>

#include <cstddef>
#include <vector>

namespace bitstep_bench {

/// Throws std::runtime_error with the status' message unless it is ok.
void require(const bitstep::status& result);

template <class T>
class problem {
public:
    /// X is shared by all problems of a process and type: only the last one constructed is valid. Contenders refer to
    /// the problem.
    problem(std::size_t rows, std::size_t features, int threads);
    problem(const problem&) = delete;
    problem& operator=(const problem&) = delete;

    std::size_t rows() const { return rows_; }
    std::size_t features() const { return features_; }
    int threads() const { return threads_; }
    std::size_t x_bytes() const { return rows_ * features_ * sizeof(T); }
    const T* x() const { return x_; }
    const T* y() const { return y_.as<T>(); }
    const T* w() const { return w_.as<T>(); }

    /// bitstep's fused gradient with a workspace of the caller's. *delivered becomes the team that ran.
    contender fused(bitstep::accumulate_mode accumulate, int* delivered = nullptr) const;

    /// Two calls over the whole of X: r = X w - y, then g = 2/N X^T r. Reads X twice.
    contender two_gemv(const openblas& blas) const;

    /// The same two calls per block of rows that stays in cache, blocks spread over threads that each call a
    /// single-threaded OpenBLAS and sum into a gradient of their own: the best one can do around GEMV.
    contender blocked_gemv(const openblas& blas) const;

private:
    std::size_t rows_;
    std::size_t features_;
    int threads_;
    const T* x_;
    buffer y_;
    buffer w_;
};

} // namespace bitstep_bench
