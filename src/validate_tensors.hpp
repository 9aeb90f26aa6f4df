// SPDX-License-Identifier: Apache-2.0
// Stage 1 for allreduce_mean: a list of named tensors, and integer counts.
#pragma once

#include <bitstep/allreduce_mean.hpp>
#include <bitstep/options.hpp>
#include <bitstep/status.hpp>

#include "validate.hpp"

#include <cstddef>

namespace bitstep::internal {

/// Checks pointers and sizes of the whole list; `total` is the elements of all tensors together, `lists` the memory from
/// the first to the last of their lists of worker_grads.
template <class T>
status tensor_rules(const worker_tensor<T>* tensors, std::size_t tensor_count, std::size_t workers, std::size_t& total,
                    memory_span& lists) noexcept;

/// Whether overlap_rules needs an index: where outputs are not in ascending order of address, or a tensor is empty.
template <class T>
bool needs_index(const worker_tensor<T>* tensors, std::size_t tensor_count) noexcept;

/// The workspace overlaps no argument: neither data nor lists nor counts (null: none). Before anything is put into it.
template <class T>
status workspace_rules(const worker_tensor<T>* tensors, std::size_t tensor_count, std::size_t workers,
                       const long long* counts, const workspace& given) noexcept;

/// Outputs overlap neither one another nor any input but, exactly, their own, nor a list of inputs (`lists`: all of them and what
/// lies between), nor any of `others`.
/// `index`: tensor_count entries of scratch, or null where none is needed.
template <class T>
status overlap_rules(const worker_tensor<T>* tensors, std::size_t tensor_count, std::size_t workers,
                     const memory_span (&others)[4], const memory_span& lists, std::size_t* index) noexcept;

/// counts >= 0 with a total in [1, 2^63). `divisor` is their greatest common divisor.
status count_rules(const long long* counts, std::size_t workers, long long& total, long long& divisor) noexcept;

} // namespace bitstep::internal
