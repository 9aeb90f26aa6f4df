// SPDX-License-Identifier: Apache-2.0
// Which kernel table runs here: compiled in, runnable on this CPU and OS, and asked for.
#pragma once

#include <bitstep/options.hpp>
#include <bitstep/status.hpp>

#include "kernels/kernel_table.hpp"

namespace bitstep::internal {

/// The arch of a call: options.arch, else BITSTEP_ARCH, else the best runnable one; never `automatic`.
status choose_arch(const options& opts, arch& chosen) noexcept;

/// Kernels of a runnable arch; null for `reference`, which has stages of its own (reference/).
const kernel_table* kernels_for(arch which) noexcept;

template <class T>
const kernels_of<T>& table_of(const kernel_table& table);
template <>
inline const kernels_of<float>& table_of<float>(const kernel_table& table) {
    return table.f32;
}
template <>
inline const kernels_of<double>& table_of<double>(const kernel_table& table) {
    return table.f64;
}

template <class T, class Sum>
const sum_kernels<T, Sum>& sums_of(const kernels_of<T>& kernels) {
    if constexpr (sizeof(Sum) == sizeof(T)) {
        return kernels.native;
    } else {
        return kernels.wide;
    }
}

} // namespace bitstep::internal
