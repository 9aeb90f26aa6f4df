// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitstep/export.h>
#include <bitstep/options.hpp>
#include <bitstep/status.hpp>

#include <cstddef>

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
/// @param[in] tensors `tensor_count` entries. An output may be one of its own inputs exactly; any other overlap with an
/// input of the list, with another output, with the lists of pointers, counts, options or the report is refused.
/// @param[in] tensor_count zero is allowed.
/// @param[in] workers W >= 1.
/// @param[in] counts null, or W integers >= 0 with a total > 0: the examples behind each worker's gradient.
/// @param[in] opts threads, accumulate and arch.
/// @param[in] workspace scratch as allreduce_mean_workspace_bytes says, or empty.
///
/// Order: the fixed tree over the worker index, then one division. Counts are first divided by their greatest common
/// divisor, so equal counts give the plain mean's bits (docs/numerics.md). NaN and infinities propagate (0 times NaN is
/// NaN).
///
/// @return ok; null_pointer, invalid_shape, invalid_argument (counts, options), overlap, arch_unavailable,
/// workspace_too_small, out_of_memory. No output has then been written.
///
/// Cost: (W + 1) sizeof(T) bytes and W flops per element (2 W with counts). Scratch is needed for counts, and to check
/// overlaps where outputs are not in ascending order of address or a tensor is empty; only then, and only where
/// `workspace` is empty, does the call allocate. Thread-safe on separate outputs.
template <class T>
BITSTEP_EXPORT status allreduce_mean(const worker_tensor<T>* tensors, std::size_t tensor_count, std::size_t workers,
    const long long* counts = nullptr, const options& opts = {}, workspace workspace = {}) noexcept;

/// Bytes of workspace that are enough for any list of so many tensors and workers, with counts and without.
/// @param[in] tensor_count,workers any numbers.
/// @param[out] bytes written on success only.
/// @return ok; invalid_shape where the size overflows.
template <class T>
BITSTEP_EXPORT status allreduce_mean_workspace_bytes(
    std::size_t tensor_count, std::size_t workers, std::size_t& bytes) noexcept;

} // namespace bitstep
