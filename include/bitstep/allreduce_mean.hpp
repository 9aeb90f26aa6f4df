// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitstep/export.hpp>
#include <bitstep/options.hpp>
#include <bitstep/status.hpp>

namespace bitstep {

/// One named tensor of a model, as every worker holds it. The shape does not matter to a mean, only the element count.
template <class T>
struct worker_tensor {
    const char* name = nullptr;             ///< for error messages; may be null
    const T* const* worker_grads = nullptr; ///< W pointers, worker i's elements at worker_grads[i]
    T* mean = nullptr;                      ///< output; may be one of the inputs itself (same address)
    std::size_t size = 0;                   ///< elements; zero is allowed, the pointers are then unused
};

/// mean = 1/W sum_i g_i per element, over a whole list of tensors in one parallel region; with counts
/// sum_i c_i g_i / sum_i c_i.
///
/// tensors: `tensor_count` entries (zero is allowed). workers: W >= 1. counts: null, or W integers >= 0 with a total > 0
/// (the number of examples behind each worker's gradient).
/// Aliasing: an output may be one of its own inputs exactly; any other overlap with an input of the list or with another
/// output is refused.
/// Order: the fixed tree over the worker index, then one division. Counts are first divided by their greatest common
/// divisor, so equal counts give the plain mean's bits (docs/numerics.md). NaN and infinities propagate (0 times NaN is
/// NaN).
/// Errors: null_pointer, invalid_shape, invalid_argument (counts, threads), overlap, arch_unavailable.
/// Cost: (W + 1) sizeof(T) bytes per element. Never allocates. Thread-safe on separate outputs.
template <class T>
BITSTEP_EXPORT status allreduce_mean(const worker_tensor<T>* tensors, std::size_t tensor_count, std::size_t workers,
                                     const long long* counts = nullptr, const options& opts = {}) noexcept;

} // namespace bitstep
