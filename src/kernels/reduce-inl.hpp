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

/// sums / n, one rounding to T each.
template <class A>
class quotient_of_sums {
public:
    using number = scalar_t<typename A::sum>;

    /// For n a power of two, s / n and s * (1 / n) are the rounding of one and the same number.
    BITSTEP_INLINE explicit quotient_of_sums(number n) : n_(n) {
        const auto whole = static_cast<std::uint64_t>(n); // n is an integer below 2^64
        exact_ = sizeof(typename A::sum) == sizeof(number) && (whole & (whole - 1)) == 0;
        reciprocal_ = exact_ ? number(1) / n : number(0);
    }
    BITSTEP_INLINE void store(const typename A::sum_vector& s, typename A::value* out) const {
        if constexpr (sizeof(typename A::sum) == sizeof(number)) {
            if (exact_) return A::round_all(s * typename A::sum_vector(reciprocal_), out);
        }
        A::divide(s, n_, out);
    }

private:
    number n_;
    number reciprocal_;
    bool exact_;
};

/// The tree over vector number `index` of all partials.
template <class A>
BITSTEP_INLINE typename A::sum_vector join_partials(const typename A::sum* partials, std::size_t count,
                                                    std::size_t stride, std::size_t index) {
    if (count == 1) return A::load_sum(partials, index);
    carry_tree<typename A::sum_vector> tree;
    for (std::size_t p = 0; p < count; ++p) tree.push(A::load_sum(partials + p * stride, index));
    return tree.total();
}

/// Elements [first, last), first a multiple of the lanes. Whether all are finite is kept per lane: one sum for all would be
/// a chain of additions (by perf 34 % of a step of 1 x 512 floats).
template <class A>
bool finish(const typename A::sum* partials, std::size_t partial_count, std::size_t partial_stride,
            scalar_t<typename A::sum> n, std::size_t first, std::size_t last, typename A::value* grad) {
    using value = typename A::value;
    constexpr std::size_t at_once = A::lane_total;
    const quotient_of_sums<A> over_n(n);
    typename A::vector not_finite(0); // stays 0 while g - g is 0 for every element, else becomes NaN
    alignas(vector_bytes) value rest[at_once];
    for (std::size_t j = first; j < last; j += at_once) {
        const bool whole = last - j >= at_once;
        value* g = whole ? grad + j : rest;
        over_n.store(A::twice(join_partials<A>(partials, partial_count, partial_stride, j / at_once)), g);
        if (!whole) {
            for (std::size_t l = last - j; l < at_once; ++l) rest[l] = 0; // padding, whatever it became
            for (std::size_t l = 0; j + l < last; ++l) grad[j + l] = rest[l];
        }
        const typename A::vector x = A::load(g);
        not_finite = not_finite + (x - x);
    }
    return all_zero(not_finite);
}

/// One logical vector of the mean. `load` gives a worker's elements; Workers: how many there are, or 0 for any number.
template <class A, std::size_t Workers, class Load>
class worker_tree {
public:
    using value = typename A::value;
    using sum = typename A::sum_vector;
    using run_type = mean_run<value, scalar_t<typename A::sum>>;

    BITSTEP_INLINE worker_tree(const run_type& run, Load load) : run_(run), load_(load) {}

    /// Eight workers are a whole subtree, added up in registers; only their sums go through the counter. What is left is
    /// subtrees of 4, 2 and 1.
    BITSTEP_INLINE sum total() const {
        if constexpr (Workers != 0) {
            return subtree<Workers>(0);
        } else if constexpr (sums_are_pairs<A>) { // groups would be 75 KB of code per architecture
            carry_tree<sum> tree;
            for (std::size_t w = 0; w < run_.workers; ++w) tree.push(leaf(w));
            return tree.total();
        } else {
            carry_tree<sum> tree;
            std::size_t w = 0;
            for (; w + 8 <= run_.workers; w += 8) tree.push(subtree<8>(w), 3);
            const std::size_t left = run_.workers - w;
            if ((left & 4U) != 0) tree.push(subtree<4>(w), 2);
            if ((left & 2U) != 0) tree.push(subtree<2>(w + (left & 4U)), 1);
            if ((left & 1U) != 0) tree.push(subtree<1>(w + (left & 6U)));
            return tree.total();
        }
    }

private:
    template <std::size_t count>
    BITSTEP_INLINE sum subtree(std::size_t first) const {
        if constexpr (count == 1) {
            return leaf(first);
        } else {
            return subtree<count / 2>(first) + subtree<count / 2>(first + count / 2);
        }
    }

    /// Every leaf is +0 + g. For plain numbers the +0 is added to worker 0 alone: the sums that begin with it are then
    /// never -0, and to such a number -0 and +0 add the same.
    BITSTEP_INLINE sum leaf(std::size_t w) const {
        const typename A::vector g = load_(run_.inputs[w]);
        if (Workers == 0 && run_.counts != nullptr)
            return A::multiply_add(A::zero(), g, typename A::vector(run_.counts[w]));
        if constexpr (sizeof(sum) == sizeof(g)) {
            if (w != 0) return g;
        }
        return A::add(A::zero(), g);
    }

    const run_type& run_;
    Load load_;
};

/// As far ahead in every worker's stream, into L2: 8 workers of 64 MB took 0.87 of the time without, 1.27 of it where the
/// lines went into L1 (streams a multiple of 4 KiB apart share its sets). 2 and 4 KiB, four vectors per turn: the same.
/// Streaming stores on top of it: 3 % (and the mean out of cache), left out.
constexpr std::size_t mean_prefetch_bytes = 1024;

/// For all streams of a row at once, before its loads.
template <class T>
BITSTEP_INLINE void prefetch_row(const T* const* inputs, std::size_t workers, std::size_t j) {
    for (std::size_t w = 0; w < workers; ++w) {
        // As a number: behind the end of an array there is no element to point at.
        const auto place = reinterpret_cast<std::uintptr_t>(inputs[w] + j) + mean_prefetch_bytes;
        prefetch(reinterpret_cast<const char*>(place));
    }
}

template <class A>
struct whole_vector {
    std::size_t j;
    BITSTEP_INLINE typename A::vector operator()(const typename A::value* p) const { return A::load(p + j); }
};
template <class A>
struct part_of_a_vector {
    std::size_t j, size;
    BITSTEP_INLINE typename A::vector operator()(const typename A::value* p) const {
        return A::load_first(p + j, size);
    }
};

/// Fewer elements than a vector has, none included: the pointers of an empty tensor may be null.
template <class A>
void mean_part(const mean_run<typename A::value, scalar_t<typename A::sum>>& run, std::size_t first, std::size_t size) {
    if (size == 0) return;
    alignas(vector_bytes) typename A::value part[A::lane_total];
    const worker_tree<A, 0, part_of_a_vector<A>> tree(run, {first, size});
    quotient_of_sums<A>(run.divisor).store(tree.total(), part);
    for (std::size_t l = 0; l < size; ++l) run.out[first + l] = part[l];
}

/// Elements [first, last), at least a vector of them. The last vector is computed first and stored last where it overlaps
/// its neighbour, whose elements an output on its own input would already have replaced.
template <class A, std::size_t Workers>
void mean_columns(const mean_run<typename A::value, scalar_t<typename A::sum>>& given, std::size_t first,
                  std::size_t last) {
    constexpr std::size_t step = A::lane_total;
    auto run = given; // copies in registers: stores cannot reach them
    const typename A::value* inputs[Workers + 1];
    if constexpr (Workers != 0) {
        for (std::size_t w = 0; w < Workers; ++w) inputs[w] = given.inputs[w];
        run.inputs = inputs;
    }
    const quotient_of_sums<A> quotient(run.divisor);
    alignas(vector_bytes) typename A::value rest[step];
    const bool odd = (last - first) % step != 0;
    bool whole = !odd;
    for (std::size_t j = odd ? last - step : first; j + step <= last; j = whole ? j + step : first, whole = true) {
        prefetch_row(run.inputs, Workers != 0 ? Workers : run.workers, j);
        const worker_tree<A, Workers, whole_vector<A>> tree(run, {j});
        quotient.store(tree.total(), whole ? run.out + j : rest);
    }
    for (std::size_t l = 0; odd && l < step; ++l) run.out[last - step + l] = rest[l];
}

/// Straight-line trees for the usual numbers of workers. Not for pairs: there the arithmetic is the time.
template <class A>
void mean(const mean_run<typename A::value, scalar_t<typename A::sum>>& run, std::size_t first, std::size_t last) {
    if (last - first < A::lane_total) return mean_part<A>(run, first, last - first);
    if constexpr (sizeof(typename A::sum) == sizeof(scalar_t<typename A::sum>)) {
        if (run.counts == nullptr && run.workers == 2) return mean_columns<A, 2>(run, first, last);
        if (run.counts == nullptr && run.workers == 4) return mean_columns<A, 4>(run, first, last);
        if (run.counts == nullptr && run.workers == 8) return mean_columns<A, 8>(run, first, last);
    }
    mean_columns<A, 0>(run, first, last);
}

} // namespace
} // namespace bitstep::internal
