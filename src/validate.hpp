// SPDX-License-Identifier: Apache-2.0
// Stage 1: the checks that verbs share, and their messages; verbs add their own beside their code. Checks run before
// anything is written. A message names the argument, the rule and the value.
#pragma once

#include <bitstep/adam_ema_update.hpp>
#include <bitstep/allreduce_mean.hpp>
#include <bitstep/status.hpp>
#include <bitstep/views.hpp>

#include "dispatch.hpp"

#include <cstddef>

namespace bitstep::internal {

/// Named memory, for overlap checks.
struct memory_span {
    const char* name;
    const void* begin;
    std::size_t bytes;
};

/// Collects the checks of one call; the first failure stays.
class checks {
public:
    checks& pointer(const char* name, const void* p) noexcept;
    /// extent >= 1
    checks& extent(const char* name, std::size_t value) noexcept;
    checks& equal(const char* name, std::size_t value, const char* other_name, std::size_t other) noexcept;
    checks& at_least(const char* name, std::size_t value, const char* other_name, std::size_t other) noexcept;
    /// Bytes of `rows` rows, `row_stride` apart, of `cols` elements: must fit size_t.
    checks& fits(const char* name, std::size_t rows, std::size_t row_stride, std::size_t cols,
                 std::size_t element) noexcept;
    /// threads, accumulate and check_state; the arch is looked at by dispatch.
    checks& choices(const options& opts) noexcept;
    /// An enumerator that callers may have made from a plain int.
    checks& enumerator(const char* name, int value, int last) noexcept;
    checks& disjoint(const memory_span& output, const memory_span& other) noexcept;
    /// The same memory exactly, or disjoint.
    checks& disjoint_or_same(const memory_span& output, const memory_span& other) noexcept;
    checks& add(const status& next) noexcept;

    bool ok() const noexcept { return first_.ok(); }
    const status& result() const noexcept { return first_; }

private:
    status first_;
};

template <class T>
checks& hyper_rules(checks& c, const hyper_parameters& hyper) noexcept;

/// How messages call the data: worker_xs of a dense batch, or shards[i].x.
enum class data_naming { dense, shards };

/// One row sequence and its total; what both public forms of the data become.
template <class T>
struct row_data {
    row_sequence<T> rows;
    data_naming naming = data_naming::shards;
    std::size_t total = 0; ///< N, set by row_rules
};

/// Checks extents, pointers and sizes, and sets `total`.
template <class T>
checks& row_rules(checks& c, row_data<T>& data) noexcept;

/// `output` overlaps no shard.
template <class T>
checks& disjoint_from_rows(checks& c, const memory_span& output, const row_data<T>& data) noexcept;

template <class T>
checks& state_rules(checks& c, const state_view<T>& state, std::size_t features) noexcept;

/// The four arrays, for overlap checks.
template <class T>
struct state_spans {
    memory_span span[4];
    explicit state_spans(const state_view<T>& s) noexcept
        : span{{"weights", s.weights, s.features * sizeof(T)},
               {"ema_weights", s.ema_weights, s.features * sizeof(T)},
               {"m", s.m, s.features * sizeof(T)},
               {"v", s.v, s.features * sizeof(T)}} {}
};

/// Values of the state: finite, v >= 0. One pass by the kernels; the element is looked for only where one is bad.
template <class T>
status state_values(const state_view<const T>& state, arch which) noexcept;

/// Why a gradient is not finite: names the first non-finite element of X, y or w, else says that it overflowed.
template <class T>
status non_finite_gradient(const row_data<T>& data, const char* w_name, const T* w) noexcept;

} // namespace bitstep::internal
