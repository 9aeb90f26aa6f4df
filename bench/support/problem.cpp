// SPDX-License-Identifier: Apache-2.0
#include "problem.hpp"

#include "machine.hpp"
#include "threads.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace bitstep_bench {
namespace {

/// X, kept from case to case: filling hundreds of megabytes takes longer than sampling them. It is filled anew where
/// the size or the team that has to touch it first changes.
template <class T>
const T* shared_x(std::size_t count, int threads) {
    static buffer memory;
    static int touched_by = 0;
    const std::size_t bytes = count * sizeof(T);
    if (bytes > memory.bytes() || memory.bytes() > 2 * bytes || touched_by != threads) {
        memory = buffer(); // first give back, then ask
        memory = filled<T>(count, 1, threads);
        touched_by = threads;
    }
    return memory.as<T>();
}

template <class T>
struct rival_scratch {
    std::vector<T> residual;
    std::vector<T> grad;
};

} // namespace

void require(const bitstep::status& result) {
    if (!result.ok()) {
        throw std::runtime_error(result.message());
    }
}

template <class T>
problem<T>::problem(std::size_t rows, std::size_t features, int threads)
    : rows_(rows), features_(features), threads_(threads), x_(shared_x<T>(rows * features, threads)),
      y_(filled<T>(rows, 2, threads)),
      w_(filled<T>(features, 3, 1, static_cast<T>(1 / std::sqrt(static_cast<double>(features))))) {}

template <class T>
contender problem<T>::fused(bitstep::accumulate_mode accumulate, int* delivered) const {
    bitstep::options opts;
    opts.threads = threads_;
    opts.accumulate = accumulate;
    std::size_t bytes = 0;
    require(bitstep::gradient_workspace_bytes<T>(rows_, features_, opts, bytes));
    const auto scratch = std::make_shared<buffer>(bytes);
    const auto grad = std::make_shared<std::vector<T>>(features_);
    return {"bitstep", [=, this] {
                const bitstep::shard_view<T> shard{x_, y(), rows_, features_};
                bitstep::run_report report;
                bitstep::options with_report = opts;
                with_report.report = &report;
                T mse = 0;
                require(bitstep::gradient<T>({&shard, 1, features_}, {w(), features_}, {grad->data(), features_}, &mse,
                                             with_report, {scratch->data(), scratch->bytes()}));
                if (delivered != nullptr) {
                    *delivered = report.threads;
                }
            }};
}

template <class T>
contender problem<T>::two_gemv(const openblas& blas) const {
    const auto scratch = std::make_shared<rival_scratch<T>>();
    scratch->residual.resize(rows_);
    scratch->grad.resize(features_);
    return {"two_gemv", [=, this, &blas] {
                T* const r = scratch->residual.data();
                blas.set_threads(threads_);
                std::memcpy(r, y(), rows_ * sizeof(T));
                blas.gemv(false, rows_, features_, T(1), x_, w(), T(-1), r);
                blas.gemv(true, rows_, features_, T(2) / static_cast<T>(rows_), x_, r, T(0), scratch->grad.data());
            }};
}

template <class T>
contender problem<T>::blocked_gemv(const openblas& blas) const {
    const std::size_t fitting = caches().l2 / 2 / (features_ * sizeof(T));
    const std::size_t block = std::clamp<std::size_t>(fitting, 4, 256); // at least 4: OpenBLAS's kernels take 4 rows
    const auto scratch = std::make_shared<rival_scratch<T>>();
    const auto team_size = static_cast<std::size_t>(threads_);
    scratch->residual.resize(team_size * block);
    scratch->grad.resize(team_size * features_);
    return {"blocked_gemv", [=, this, &blas] {
                const std::size_t blocks = (rows_ + block - 1) / block;
                T* const grad = scratch->grad.data();
                blas.set_threads(1);
                run_team(threads_, [&](std::size_t thread, std::size_t team) {
                    T* const r = scratch->residual.data() + thread * block;
                    T* const partial = grad + thread * features_;
                    std::fill(partial, partial + features_, T(0));
                    for (std::size_t i = blocks * thread / team; i < blocks * (thread + 1) / team; ++i) {
                        const std::size_t first = i * block;
                        const std::size_t count = std::min(block, rows_ - first);
                        const T* const x = x_ + first * features_;
                        std::memcpy(r, y() + first, count * sizeof(T));
                        blas.gemv(false, count, features_, T(1), x, w(), T(-1), r);
                        blas.gemv(true, count, features_, T(2) / static_cast<T>(rows_), x, r, T(1), partial);
                    }
                });
                for (std::size_t thread = 1; thread < team_size; ++thread) {
                    for (std::size_t j = 0; j < features_; ++j) {
                        grad[j] += grad[thread * features_ + j];
                    }
                }
            }};
}

template class problem<float>;
template class problem<double>;

} // namespace bitstep_bench
