// SPDX-License-Identifier: Apache-2.0
// Fills a kernel table from the algorithms, for one architecture. Included by arch_*.cpp alone.
#pragma once

#include "kernels/adam_ema-inl.hpp"
#include "kernels/columns-inl.hpp"
#include "kernels/gradient-inl.hpp"
#include "kernels/mean-inl.hpp"
#include "kernels/narrow-inl.hpp"
#include "kernels/reduce-inl.hpp"

namespace bitstep::internal {
namespace {

template <class T, class Sum, class Arch>
constexpr sum_kernels<T, Sum> make_sum_kernels() {
    using A = arithmetic<T, Sum, Arch>;
    sum_kernels<T, Sum> all{accumulate<A>, nullptr,   panel_dots<A>, update_columns<A>,
                            merge<A>,      finish<A>, predict<A>,    mean<A>};
    if constexpr (most_narrow_features<Sum> != 0) all.narrow = narrow<A>;
    return all;
}

template <class T, class Arch>
constexpr kernels_of<T> make_kernels_of() {
    return {make_sum_kernels<T, T, Arch>(),
            make_sum_kernels<T, wide_sum_t<T>, Arch>(),
            {adam_ema<T, Arch>, valid_state<T, Arch>}};
}

template <class Arch>
constexpr kernel_table make_kernel_table() {
    return {make_kernels_of<float, Arch>(), make_kernels_of<double, Arch>()};
}

} // namespace
} // namespace bitstep::internal
