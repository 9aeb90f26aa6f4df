// SPDX-License-Identifier: Apache-2.0
// Mirrors ../reduce.cpp.
#include "reference/reduce.hpp"

#include "reference/scalar.hpp"

namespace bitstep::internal::reference {
namespace {

/// Element j of workers [first, first + count): the balanced tree; each leaf is +0 + g, or +0 + c g.
template <class Sum, class T>
Sum worker_tree(const mean_run<T, scalar_t<Sum>>& run, std::size_t j, std::size_t first, std::size_t count) noexcept {
    if (count == 1) {
        const T g = run.inputs[first][j];
        if (run.counts == nullptr) return add_value(Sum{}, g);
        return add_product(Sum{}, static_cast<scalar_t<Sum>>(g), run.counts[first]);
    }
    std::size_t left = 1;
    while (left * 2 < count) left *= 2;
    const Sum older = worker_tree<Sum>(run, j, first, left);
    const Sum newer = worker_tree<Sum>(run, j, first + left, count - left);
    return older + newer;
}

} // namespace

template <class T, class Sum>
void mean(const mean_run<T, scalar_t<Sum>>& run, std::size_t first, std::size_t last) noexcept {
    for (std::size_t j = first; j < last; ++j) {
        run.out[j] = divide<T>(worker_tree<Sum>(run, j, 0, run.workers), run.divisor);
    }
}

template void mean<float, float>(const mean_run<float, float>&, std::size_t, std::size_t) noexcept;
template void mean<float, double>(const mean_run<float, double>&, std::size_t, std::size_t) noexcept;
template void mean<double, double>(const mean_run<double, double>&, std::size_t, std::size_t) noexcept;
template void mean<double, double_double>(const mean_run<double, double>&, std::size_t, std::size_t) noexcept;

} // namespace bitstep::internal::reference
