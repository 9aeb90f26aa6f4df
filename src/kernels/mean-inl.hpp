// SPDX-License-Identifier: Apache-2.0
// Workers' gradients into their mean: the tree over workers, elementwise, so elements may be cut anywhere. A verb of
// its own (allreduce_mean, ../reduce.cpp).
#pragma once

#include "kernels/carry_tree.hpp"
#include "kernels/prefetch.hpp"
#include "kernels/reduce-inl.hpp"

namespace bitstep::internal {
namespace {

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
