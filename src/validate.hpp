// SPDX-License-Identifier: Apache-2.0
// Stage 1: the checks that verbs share, and their messages; verbs add their own beside their code. Checks run before
// anything is written. A message names the argument, the rule and the value.
#pragma once

#include <bitstep/adam_ema_update.hpp>
#include <bitstep/allreduce_mean.hpp>
#include <bitstep/status.hpp>
#include <bitstep/views.hpp>

#include "dispatch.hpp"
#include "parallel.hpp"

#include <cstddef>
#include <cstdint>

namespace bitstep::internal {

/// Named memory, for overlap checks.
struct memory_span {
    const char* name;
    const void* begin;
    std::size_t bytes;

    /// Null pointers and empty spans overlap nothing. A size that wraps around reaches to the end of memory.
    bool overlaps(const memory_span& other) const noexcept {
        return start() < other.end() && other.start() < end() && bytes != 0 && other.bytes != 0 && begin != nullptr &&
               other.begin != nullptr;
    }
    std::uintptr_t start() const noexcept { return reinterpret_cast<std::uintptr_t>(begin); }
    std::uintptr_t end() const noexcept {
        std::uintptr_t result = 0;
        return __builtin_add_overflow(start(), bytes, &result) ? UINTPTR_MAX : result;
    }
};

/// Collects the checks of one call; the first failure stays. A check that holds is a comparison in the caller's own code
/// (a step makes some forty of them, and calls for each were 150 ns); only a failure goes out of line, to its message.
class checks {
public:
    checks& pointer(const char* name, const void* p) noexcept {
        if (p == nullptr) fail_pointer(name);
        return *this;
    }
    /// extent >= 1
    checks& extent(const char* name, std::size_t value) noexcept {
        if (value == 0) fail_extent(name);
        return *this;
    }
    checks& equal(const char* name, std::size_t value, const char* other_name, std::size_t other) noexcept {
        if (value != other) fail_equal(name, value, other_name, other);
        return *this;
    }
    checks& at_least(const char* name, std::size_t value, const char* other_name, std::size_t other) noexcept {
        if (value < other) fail_at_least(name, value, other_name, other);
        return *this;
    }
    /// Bytes of `rows` rows, `row_stride` apart, of `cols` elements: must fit size_t.
    checks& fits(const char* name, std::size_t rows, std::size_t row_stride, std::size_t cols,
                 std::size_t element) noexcept {
        std::size_t size = 0;
        if (rows != 0 &&
            (__builtin_mul_overflow(rows - 1, row_stride, &size) || __builtin_add_overflow(size, cols, &size) ||
             __builtin_mul_overflow(size, element, &size) || size > SIZE_MAX / 2)) {
            fail_fits(name, rows, row_stride, cols);
        }
        return *this;
    }
    /// threads, accumulate and check_state; the arch is looked at by dispatch.
    checks& choices(const options& opts) noexcept {
        const int least = opts.parallel_for != nullptr ? 1 : 0;
        if (opts.threads < least || opts.threads > most_threads) fail_threads(least, opts.threads);
        return enumerator("accumulate", static_cast<int>(opts.accumulate), static_cast<int>(accumulate_mode::wide))
            .enumerator("check_state", static_cast<int>(opts.check_state), static_cast<int>(check_mode::on));
    }
    /// An enumerator that callers may have made from a plain int.
    checks& enumerator(const char* name, int value, int last) noexcept {
        if (value < 0 || value > last) fail_enumerator(name, value, last);
        return *this;
    }
    /// A number's rule: name must be `must`.
    checks& number(bool holds, const char* name, const char* must, double value) noexcept {
        if (!holds) fail_number(name, must, value);
        return *this;
    }
    checks& disjoint(const memory_span& output, const memory_span& other) noexcept {
        if (output.overlaps(other)) fail_disjoint(output, other);
        return *this;
    }
    /// The same memory exactly, or disjoint.
    checks& disjoint_or_same(const memory_span& output, const memory_span& other) noexcept {
        if (output.begin == other.begin && output.bytes == other.bytes) return *this;
        return disjoint(output, other);
    }
    checks& add(const status& next) noexcept {
        if (!next.ok() && first_.ok()) first_ = next;
        return *this;
    }

    bool ok() const noexcept { return first_.ok(); }
    /// A success is made anew: a status is 236 bytes, and copies of them were 10 % of the smallest step.
    status result() const noexcept { return first_.ok() ? status() : first_; }

private:
    // Out of line, and no work where an earlier check has failed.
    void fail_pointer(const char* name) noexcept;
    void fail_extent(const char* name) noexcept;
    void fail_equal(const char* name, std::size_t value, const char* other_name, std::size_t other) noexcept;
    void fail_at_least(const char* name, std::size_t value, const char* other_name, std::size_t other) noexcept;
    void fail_fits(const char* name, std::size_t rows, std::size_t row_stride, std::size_t cols) noexcept;
    void fail_threads(int least, int threads) noexcept;
    void fail_enumerator(const char* name, int value, int last) noexcept;
    void fail_number(const char* name, const char* must, double value) noexcept;
    void fail_disjoint(const memory_span& output, const memory_span& other) noexcept;

    status first_;
};

template <class T>
checks& hyper_rules(checks& c, const hyper_parameters& hyper) noexcept;

/// What the call fills in at its end: one more output. Null overlaps nothing.
inline memory_span report_span(const options& opts) noexcept {
    return {"options.report", opts.report, sizeof(run_report)};
}

/// `output` overlaps neither the options, which are read while the call writes, nor the report.
inline checks& disjoint_from_options(checks& c, const memory_span& output, const options& opts) noexcept {
    return c.disjoint(output, {"options", &opts, sizeof opts}).disjoint(output, report_span(opts));
}

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
