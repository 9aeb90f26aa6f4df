// SPDX-License-Identifier: Apache-2.0
// bitstep's own kernel without its promises, to tell what they cost: one sum over all rows of a thread instead of the
// panels' tree, with separate or with fused multiply-add (free_order.cpp). Not part of the library.
#pragma once

#include "kernels/kernel_table.hpp"

namespace bitstep_bench {

template <class T>
using accumulate_function = void (*)(const bitstep::internal::row_run<T>& run, std::size_t features, const T* w,
                                     bool first, T* partial, double& squares);

template <class T>
struct free_order {
    accumulate_function<T> unfused;
    accumulate_function<T> fused;
};

struct free_order_set {
    free_order<float> f32;
    free_order<double> f64;
};

/// For the widest instruction set that this CPU runs and that has fused multiply-add; null where there is none.
const free_order_set* free_order_kernels();

/// "avx512", or why there is none.
const char* free_order_arch();

} // namespace bitstep_bench
