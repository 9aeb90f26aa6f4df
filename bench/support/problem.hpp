// SPDX-License-Identifier: Apache-2.0
// One least-squares problem of a given size, and everybody who computes its gradient.
#pragma once

#include "blas.hpp"
#include "buffer.hpp"
#include "rivals.hpp"
#include "samples.hpp"

#include <bitstep/bitstep.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace bitstep_bench {

/// Throws std::runtime_error with the status' message unless it is ok.
void require(const bitstep::status& result);

/// How a rival that can only do grad (+)= scale X^T (X w - y) on some rows goes through all of them: blocks of `block`
/// rows, spread over `team` threads that each sum into a gradient of their own.
struct block_plan {
    std::size_t block;
    int team;
    int blas_threads; ///< inside each call
};

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
    /// What any gradient has to read: X and y.
    double bytes() const { return static_cast<double>(x_bytes() + rows_ * sizeof(T)); }
    const T* x() const { return x_; }
    const T* y() const { return y_.template as<T>(); }
    const T* w() const { return w_.template as<T>(); }

    /// bitstep's fused gradient with a workspace of the caller's. *delivered becomes the team that ran.
    /// opts.threads = 0: the problem's own number.
    contender fused(const bitstep::options& opts, int* delivered = nullptr) const;

    /// "of_roof": X read at the read roof, and y at the same rate.
    rival roof() const;

    /// Two calls over the whole of X: r = X w - y, then g = 2/N X^T r. Reads X twice.
    contender two_gemv(const blas& library) const;

    /// The other forms around GEMV: the two calls per block of rows that stays in cache, each thread calling a
    /// single-threaded BLAS; one block per thread; and per micro-batch of so many rows (0: there are none).
    std::vector<contender> blocked_gemv(const blas& library, std::size_t micro_batch = 0) const;

    /// Eigen and the naive loops over equal parts of the rows; Eigen also per block that stays in cache.
    std::vector<contender> eigen(std::size_t micro_batch = 0) const;
    std::vector<contender> naive() const;

    /// x_two_gemv and x_blocked (OpenBLAS), x_blis, x_mkl, x_eigen, x_naive, as far as they are there.
    std::vector<rival> rivals(std::size_t micro_batch = 0) const;

    /// Throws std::runtime_error unless `grad` is this problem's gradient within rounding: no rival may be fast by
    /// computing something else. Does nothing for large problems.
    void check(const std::string& name, const T* grad) const;

private:
    using pair_call = std::function<void(const pair_block<T>&)>;
    /// The gradient into partials[0, features); `partials` has room for each thread of the team.
    void run_blocks(const pair_call& pair, const block_plan& plan, T* partials) const;
    contender by_blocks(const char* name, const pair_call& pair, const block_plan& plan, const blas* library) const;
    contender by_gemv(const char* name, const blas& library, const block_plan& plan) const;
    std::vector<block_plan> block_plans(std::size_t micro_batch) const;

    std::size_t rows_;
    std::size_t features_;
    int threads_;
    const T* x_;
    buffer y_;
    buffer w_;
    mutable buffer residual_;      ///< of all rivals: only one runs at a time
    mutable std::vector<T> truth_; ///< the gradient, once it was needed
};

} // namespace bitstep_bench
