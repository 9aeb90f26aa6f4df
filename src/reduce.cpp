// SPDX-License-Identifier: Apache-2.0
// Stage 5, for ready-made gradients: allreduce_mean over a whole list of tensors in one parallel region.
// validate -> elements of all tensors, end to end, to threads -> kernels/reduce-inl.hpp. Elementwise, so any cut is free.
#include <bitstep/allreduce_mean.hpp>

#include "dispatch.hpp"
#include "fp_environment.hpp"
#include "parallel.hpp"
#include "partition.hpp"
#include "reference/reduce.hpp"
#include "validate.hpp"
#include "validate_tensors.hpp"
#include "workspace.hpp"

namespace bitstep {
namespace internal {
namespace {

/// An element of a list: which tensor, and which of its elements.
struct list_place {
    std::size_t tensor;
    std::size_t offset;
};

/// What every task of the list needs.
template <class T, class Sum>
struct mean_list {
    const worker_tensor<T>* tensors;
    std::size_t workers;
    const scalar_t<Sum>* weights; ///< one per worker, null for the plain mean
    scalar_t<Sum> divisor;
    void (*kernel)(const mean_run<T, scalar_t<Sum>>& run, std::size_t first, std::size_t last);

    /// Elements [first, last) of the tensors laid end to end, from where `begin` says the first of them is.
    void run(const list_place& begin, std::size_t first, std::size_t last) const {
        std::size_t offset = begin.offset;
        for (std::size_t k = begin.tensor; first < last; ++k, offset = 0) {
            const worker_tensor<T>& t = tensors[k];
            const std::size_t count = last - first < t.size - offset ? last - first : t.size - offset;
            if (count != 0) kernel({t.worker_grads, weights, workers, divisor, t.mean}, offset, offset + count);
            first += count;
        }
    }
};

constexpr std::size_t most_tasks = 64;
std::size_t elements_of_a_task(std::size_t total) noexcept {
    const std::size_t shared_out = (total / most_tasks / 64 + 1) * 64;
    return shared_out > elements_per_task ? shared_out : elements_per_task;
}

/// Where each task begins, found in one walk over the list, not in one per task.
template <class T>
void find_tasks(const worker_tensor<T>* tensors, std::size_t per_task, std::size_t tasks,
                list_place (&places)[most_tasks]) noexcept {
    std::size_t k = 0;
    std::size_t start = 0;
    for (std::size_t task = 0; task < tasks; ++task) {
        while (task * per_task - start >= tensors[k].size) start += tensors[k++].size;
        places[task] = {k, task * per_task - start};
    }
}

/// Scratch of one call: an index of the outputs and the weights, each only where it is needed.
struct mean_plan {
    std::size_t index = 0;
    std::size_t weights = 0;
};
template <class T, class Sum>
mean_plan plan_mean(bool index, std::size_t tensor_count, bool weighted, std::size_t workers, layout& need) noexcept {
    mean_plan plan;
    plan.index = need.add<std::size_t>(index ? tensor_count : 0);
    plan.weights = need.add<scalar_t<Sum>>(weighted ? workers : 0);
    return plan;
}

/// Arguments of allreduce_mean.
template <class T>
struct mean_arguments {
    const worker_tensor<T>* tensors;
    std::size_t tensor_count;
    std::size_t workers;
    const long long* counts;
    const options& opts;
    workspace given;
};

template <class T, class Sum>
status run_mean(const mean_arguments<T>& a) noexcept {
    std::size_t total = 0;
    long long count_total = 0;
    long long common = 0;
    arch which{};
    checks c;
    memory_span lists{"the lists of worker_grads", nullptr, 0};
    c.choices(a.opts).add(tensor_rules(a.tensors, a.tensor_count, a.workers, total, lists));
    if (c.ok() && a.counts != nullptr) c.add(count_rules(a.counts, a.workers, count_total, common));
    if (c.ok()) c.add(choose_arch(a.opts, which));
    if (!c.ok()) return c.result();

    layout need;
    const bool index = needs_index(a.tensors, a.tensor_count);
    const mean_plan plan = plan_mean<T, Sum>(index, a.tensor_count, a.counts != nullptr, a.workers, need);
    scratch memory;
    if (!need.empty()) {
        disjoint_from_options(c, {"workspace", a.given.data, a.given.bytes}, a.opts)
            .add(workspace_rules(a.tensors, a.tensor_count, a.workers, a.counts, a.given));
        if (c.ok()) c.add(memory.acquire(a.given, need));
    }
    if (c.ok()) {
        const memory_span others[] = {
            {"tensors", a.tensors, a.tensor_count * sizeof(worker_tensor<T>)},
            {"counts", a.counts, a.workers * sizeof(long long)},
            {"options", &a.opts, sizeof a.opts},
            report_span(a.opts), // not against every input: 8000 comparisons were 9 % of 1000 tensors of 64 elements
        };
        c.add(overlap_rules(a.tensors, a.tensor_count, a.workers, others, lists,
                            index ? memory.at<std::size_t>(plan.index) : nullptr));
    }
    const std::size_t per_task = elements_of_a_task(total);
    const std::size_t tasks = total / per_task + (total % per_task != 0 ? 1 : 0);
    const std::size_t bytes = saturating_product(saturating_product(total, sizeof(T)), a.workers);
    team_choice asked;
    if (c.ok()) c.add(choose_threads(a.opts, which, bytes, tasks, asked));
    if (!c.ok()) return c.result();

    scalar_t<Sum>* weights = nullptr;
    auto divisor = static_cast<scalar_t<Sum>>(a.workers);
    if (a.counts != nullptr) {
        weights = memory.at<scalar_t<Sum>>(plan.weights);
        for (std::size_t w = 0; w < a.workers; ++w) weights[w] = static_cast<scalar_t<Sum>>(a.counts[w] / common);
        divisor = static_cast<scalar_t<Sum>>(count_total / common);
    }
    const kernel_table* table = kernels_for(which);
    const auto kernel = table == nullptr ? reference::mean<T, Sum> : sums_of<T, Sum>(table_of<T>(*table)).mean;
    const mean_list<T, Sum> list{a.tensors, a.workers, weights, divisor, kernel};
    list_place places[most_tasks];
    find_tasks(a.tensors, per_task, tasks, places);
    const int team = for_each_task(asked, tasks, [&](int, std::size_t task) {
        const std::size_t first = task * per_task;
        list.run(places[task], first, total - first < per_task ? total : first + per_task);
    });
    if (a.opts.report != nullptr) *a.opts.report = {which, team};
    return {};
}

} // namespace
} // namespace internal

template <class T>
status allreduce_mean(const worker_tensor<T>* tensors, std::size_t tensor_count, std::size_t workers,
                      const long long* counts, const options& opts, workspace workspace) noexcept {
    const internal::mean_arguments<T> a{tensors, tensor_count, workers, counts, opts, workspace};
    return internal::guarded([&] {
        return opts.accumulate == accumulate_mode::wide ? internal::run_mean<T, internal::wide_sum_t<T>>(a)
                                                        : internal::run_mean<T, T>(a);
    });
}

template <class T>
status allreduce_mean_workspace_bytes(std::size_t tensor_count, std::size_t workers, std::size_t& bytes) noexcept {
    internal::layout need;
    internal::plan_mean<T, internal::wide_sum_t<T>>(true, tensor_count, true, workers, need);
    if (need.overflows()) {
        return {status_code::invalid_shape, "workspace: its size must be below 2^63 bytes for these counts"};
    }
    bytes = need.bytes();
    return {};
}

template BITSTEP_EXPORT status allreduce_mean(const worker_tensor<float>*, std::size_t, std::size_t, const long long*,
                                              const options&, workspace) noexcept;
template BITSTEP_EXPORT status allreduce_mean(const worker_tensor<double>*, std::size_t, std::size_t, const long long*,
                                              const options&, workspace) noexcept;
template BITSTEP_EXPORT status allreduce_mean_workspace_bytes<float>(std::size_t, std::size_t, std::size_t&) noexcept;
template BITSTEP_EXPORT status allreduce_mean_workspace_bytes<double>(std::size_t, std::size_t, std::size_t&) noexcept;

} // namespace bitstep
