// SPDX-License-Identifier: Apache-2.0
#include "problem.hpp"

#include "machine.hpp"
#include "roof.hpp"
#include "threads.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <set>
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

/// Up to this size of X every rival's gradient is compared with bitstep's wide one before it is sampled.
constexpr std::size_t checked_bytes = std::size_t{2} << 20;

/// From one thread's array of `size` elements to the next one's, cache lines apart.
template <class T>
std::size_t stride_for(std::size_t size) {
    constexpr std::size_t line = 128 / sizeof(T);
    return (size + line - 1) / line * line + line;
}

/// r = X w - y; grad (+)= scale X^T r
template <class T>
void call(const blas& library, const pair_block<T>& b) {
    std::memcpy(b.residual, b.y, b.rows * sizeof(T));
    library.gemv(false, b.rows, b.features, T(1), b.x, b.w, T(-1), b.residual);
    library.gemv(true, b.rows, b.features, b.scale, b.x, b.residual, b.first ? T(0) : T(1), b.grad);
}

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
contender problem<T>::fused(const bitstep::options& wanted, int* delivered) const {
    bitstep::options opts = wanted;
    opts.threads = wanted.threads == 0 ? threads_ : wanted.threads;
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
void problem<T>::run_blocks(const pair_call& pair, const block_plan& plan, T* partials) const {
    const std::size_t blocks = (rows_ + plan.block - 1) / plan.block;
    const std::size_t stride = stride_for<T>(features_);
    std::size_t delivered = 1;
    run_team(plan.team, [&](std::size_t thread, std::size_t team) {
        if (thread == 0) {
            delivered = team;
        }
        T* const residual = residual_.template as<T>() + thread * stride_for<T>(plan.block);
        T* const partial = partials + thread * stride;
        const std::size_t first = blocks * thread / team;
        const std::size_t last = blocks * (thread + 1) / team;
        for (std::size_t i = first; i < last; ++i) {
            const std::size_t row = i * plan.block;
            pair({x_ + row * features_, y() + row, std::min(plan.block, rows_ - row), features_, w(),
                  T(2) / static_cast<T>(rows_), i == first, residual, partial});
        }
        if (first == last) {
            std::fill_n(partial, features_, T(0));
        }
    });
    for (std::size_t thread = 1; thread < delivered; ++thread) {
        const T* const other = partials + thread * stride;
        for (std::size_t j = 0; j < features_; ++j) {
            partials[j] += other[j];
        }
    }
}

template <class T>
contender problem<T>::by_blocks(const char* name, const pair_call& pair, const block_plan& plan,
                                const blas* library) const {
    const auto team = static_cast<std::size_t>(plan.team);
    const auto partials = std::make_shared<buffer>(filled<T>(team * stride_for<T>(features_), 0, plan.team));
    const std::size_t needed = team * stride_for<T>(plan.block);
    if (residual_.bytes() < needed * sizeof(T)) {
        residual_ = filled<T>(needed, 0, threads_);
    }
    const contender made{name, [=, this] {
                             if (library != nullptr) {
                                 library->set_threads(plan.blas_threads);
                             }
                             run_blocks(pair, plan, partials->template as<T>());
                         }};
    if (x_bytes() <= checked_bytes) {
        made.run();
    }
    check(name, partials->template as<T>());
    return made;
}

template <class T>
void problem<T>::check(const std::string& name, const T* grad) const {
    if (x_bytes() > checked_bytes) {
        return;
    }
    if (truth_.empty()) {
        truth_.resize(features_);
        bitstep::options opts;
        opts.accumulate = bitstep::accumulate_mode::wide;
        const bitstep::shard_view<T> shard{x_, y(), rows_, features_};
        require(
            bitstep::gradient<T>({&shard, 1, features_}, {w(), features_}, {truth_.data(), features_}, nullptr, opts));
    }
    T largest = 0;
    T error = 0;
    for (std::size_t j = 0; j < features_; ++j) {
        largest = std::max(largest, std::abs(truth_[j]));
        error = std::max(error, std::abs(grad[j] - truth_[j]));
    }
    // Some thousand sums of random signs: far above any rounding, far below any mistake.
    if (!(error <= largest * T(4096) * std::numeric_limits<T>::epsilon())) {
        throw std::runtime_error("the rival " + name + " computed another gradient");
    }
}

template <class T>
rival problem<T>::roof() const {
    return {"of_roof", roof_contenders(x_, x_bytes(), threads_), "roof_GB/s", bytes() / static_cast<double>(x_bytes())};
}

template <class T>
contender problem<T>::by_gemv(const char* name, const blas& library, const block_plan& plan) const {
    return by_blocks(
        name, [&library](const pair_block<T>& b) { call(library, b); }, plan, &library);
}

template <class T>
contender problem<T>::two_gemv(const blas& library) const {
    return by_gemv("two_gemv", library, {rows_, 1, threads_});
}

template class problem<float>;
template class problem<double>;

} // namespace bitstep_bench
