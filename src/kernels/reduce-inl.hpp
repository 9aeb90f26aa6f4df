// SPDX-License-Identifier: Apache-2.0
// The tree over arrays: two partial gradients into one, the last partials into the gradient, and workers' gradients into
// their mean. Elementwise, so columns may be cut anywhere. Before: gradient-inl.hpp. After: adam_ema-inl.hpp.
#pragma once

#include "kernels/arithmetic.hpp"
#include "kernels/carry_tree.hpp"
#include "kernels/kernel_table.hpp"

namespace bitstep::internal {
namespace {

template <class A>
void merge(typename A::sum* older, const typename A::sum* newer, std::size_t vectors) {
    for (std::size_t i = 0; i < vectors; ++i) {
        A::store_sum(older, i, A::load_sum(older, i) + A::load_sum(newer, i));
    }
}

/// Elements [first, last), first a multiple of the lanes.
template <class A>
bool finish(const typename A::sum* partials, std::size_t partial_count, std::size_t partial_stride,
            scalar_t<typename A::sum> n, std::size_t first, std::size_t last, typename A::value* grad) {
    using value = typename A::value;
    value not_finite = 0; // stays 0 while g - g is 0 for every element, else becomes NaN
    for (std::size_t j = first; j < last; j += A::lane_total) {
        carry_tree<typename A::sum_vector> tree;
        for (std::size_t p = 0; p < partial_count; ++p) {
            tree.push(A::load_sum(partials + p * partial_stride, j / A::lane_total));
        }
        alignas(vector_bytes) value g[A::lane_total];
        A::divide(A::twice(tree.total()), n, g);
        const std::size_t size = last - j < A::lane_total ? last - j : A::lane_total;
        for (std::size_t l = 0; l < size; ++l) {
            grad[j + l] = g[l];
            not_finite += g[l] - g[l];
        }
    }
    return not_finite == 0;
}

/// One logical vector of the mean; `load` gives worker w's elements.
template <class A, class Load>
BITSTEP_INLINE void mean_vector(const mean_run<typename A::value, scalar_t<typename A::sum>>& run, Load load,
                                typename A::value* out) {
    carry_tree<typename A::sum_vector> tree;
    for (std::size_t w = 0; w < run.workers; ++w) {
        const typename A::vector g = load(run.inputs[w]);
        if (run.counts == nullptr) {
            tree.push(A::add(A::zero(), g));
        } else {
            tree.push(A::multiply_add(A::zero(), g, typename A::vector(run.counts[w])));
        }
    }
    A::divide(tree.total(), run.divisor, out);
}

template <class A>
void mean(const mean_run<typename A::value, scalar_t<typename A::sum>>& run, std::size_t first, std::size_t last) {
    using value = typename A::value;
    std::size_t j = first;
    for (; j + A::lane_total <= last; j += A::lane_total) {
        mean_vector<A>(
            run, [j](const value* p) { return A::load(p + j); }, run.out + j);
    }
    if (j < last) {
        alignas(vector_bytes) value rest[A::lane_total];
        const std::size_t size = last - j;
        mean_vector<A>(
            run, [j, size](const value* p) { return A::load_first(p + j, size); }, rest);
        for (std::size_t l = 0; l < size; ++l) run.out[j + l] = rest[l];
    }
}

} // namespace
} // namespace bitstep::internal
