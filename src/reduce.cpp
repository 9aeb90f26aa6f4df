// SPDX-License-Identifier: Apache-2.0
// Stage 5, for ready-made gradients: allreduce_mean over a whole list of tensors in one parallel region.
// validate -> elements of all tensors, end to end, to threads -> kernels/reduce-inl.hpp. Elementwise, so any cut is free.
#include <bitstep/allreduce_mean.hpp>

#include "dispatch.hpp"
#include "fp_environment.hpp"
#include "message.hpp"
#include "parallel.hpp"
#include "partition.hpp"
#include "reference/reduce.hpp"
#include "validate.hpp"
#include "validate_tensors.hpp"

#include <cstdint>
#include <memory>
#include <new>

namespace bitstep {
namespace internal {
namespace {

/// Counts as the arithmetic takes them: divided by their greatest common divisor, rounded once to Scalar. Most callers'
/// workers fit the fixed array; more are allocated.
template <class Scalar>
class weighting {
public:
    status set(const long long* counts, std::size_t workers) noexcept {
        divisor = static_cast<Scalar>(workers);
        if (counts == nullptr) return {};
        long long total = 0;
        long long common = 0;
        const status checked = count_rules(counts, workers, total, common);
        if (!checked.ok()) return checked;
        Scalar* values = few_;
        if (workers > most_) {
            many_.reset(new (std::nothrow) Scalar[workers]);
            if (many_ == nullptr) {
                return message() << "counts: could not allocate " << workers << " weights" << status_code::out_of_memory;
            }
            values = many_.get();
        }
        for (std::size_t w = 0; w < workers; ++w) values[w] = static_cast<Scalar>(counts[w] / common);
        divisor = static_cast<Scalar>(total / common);
        weights = values;
        return {};
    }

    const Scalar* weights = nullptr; ///< null: plain mean
    Scalar divisor = 0;

private:
    static constexpr std::size_t most_ = 256;
    Scalar few_[most_];
    std::unique_ptr<Scalar[]> many_;
};

/// What every task of the list needs.
template <class T, class Sum>
struct mean_list {
    const worker_tensor<T>* tensors;
    std::size_t tensor_count;
    std::size_t workers;
    const weighting<scalar_t<Sum>>& weights;
    void (*kernel)(const mean_run<T, scalar_t<Sum>>& run, std::size_t first, std::size_t last);

    /// Elements [first, last) of the tensors laid end to end. Finding the first tensor is a walk: a few thousand
    /// additions per task at most, and no allocation.
    void run(std::size_t first, std::size_t last) const {
        std::size_t start = 0;
        for (std::size_t k = 0; k < tensor_count && start < last; start += tensors[k].size, ++k) {
            const worker_tensor<T>& t = tensors[k];
            if (start + t.size <= first) continue;
            const std::size_t from = first > start ? first - start : 0;
            const std::size_t to = last - start < t.size ? last - start : t.size;
            kernel({t.worker_grads, weights.weights, workers, weights.divisor, t.mean}, from, to);
        }
    }
};

std::size_t bytes_touched(std::size_t elements, std::size_t workers, std::size_t element) noexcept {
    std::size_t bytes = 0;
    const bool overflows = workers == SIZE_MAX || __builtin_mul_overflow(elements * element, workers + 1, &bytes);
    return overflows ? SIZE_MAX : bytes;
}

template <class T, class Sum>
status run_list(const worker_tensor<T>* tensors, std::size_t tensor_count, std::size_t workers, std::size_t total,
                const long long* counts, const options& opts) noexcept {
    arch which{};
    status state = choose_arch(opts, which);
    if (!state.ok()) return state;
    weighting<scalar_t<Sum>> weights;
    state = weights.set(counts, workers);
    if (!state.ok()) return state;
    int threads = 1;
    state = choose_workers(opts, bytes_touched(total, workers, sizeof(T)), task_count(total), threads);
    if (!state.ok()) return state;
    if (which == arch::reference) threads = 1;

    const kernel_table* table = kernels_for(which);
    const auto kernel = table == nullptr ? reference::mean<T, Sum> : sums_of<T, Sum>(table_of<T>(*table)).mean;
    const mean_list<T, Sum> list{tensors, tensor_count, workers, weights, kernel};
    const int team = for_each_task(threads, task_count(total), [&](int, std::size_t task) {
        const std::size_t first = task * elements_per_task;
        list.run(first, total - first < elements_per_task ? total : first + elements_per_task);
    });
    if (opts.report != nullptr) *opts.report = {which, team};
    return {};
}

template <class T>
status run_mean(const worker_tensor<T>* tensors, std::size_t tensor_count, std::size_t workers, const long long* counts,
                const options& opts) noexcept {
    std::size_t total = 0;
    checks c;
    c.choices(opts).add(tensor_rules(tensors, tensor_count, workers, total));
    if (!c.ok()) return c.result();
    return opts.accumulate == accumulate_mode::wide
               ? run_list<T, wide_sum_t<T>>(tensors, tensor_count, workers, total, counts, opts)
               : run_list<T, T>(tensors, tensor_count, workers, total, counts, opts);
}

} // namespace
} // namespace internal

template <class T>
status allreduce_mean(const worker_tensor<T>* tensors, std::size_t tensor_count, std::size_t workers,
                      const long long* counts, const options& opts) noexcept {
    return internal::guarded([&] { return internal::run_mean(tensors, tensor_count, workers, counts, opts); });
}

template BITSTEP_EXPORT status allreduce_mean(const worker_tensor<float>*, std::size_t, std::size_t, const long long*,
                                              const options&) noexcept;
template BITSTEP_EXPORT status allreduce_mean(const worker_tensor<double>*, std::size_t, std::size_t,
                                              const long long*, const options&) noexcept;

} // namespace bitstep
