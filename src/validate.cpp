// SPDX-License-Identifier: Apache-2.0
// Stage 1, see validate.hpp.
#include "validate.hpp"

#include "message.hpp"
#include "parallel.hpp"

#include <cstdint>

namespace bitstep::internal {
namespace {

/// Rounds the way the arithmetic will: to T, then back, so that both types compare as double.
template <class T>
double rounded(double value) noexcept {
    return static_cast<double>(static_cast<T>(value));
}

bool is_finite(double value) noexcept { return value - value == 0.0; }

checks& rule(checks& c, bool holds, const char* name, const char* must, double value) noexcept {
    if (!c.ok() || holds) return c;
    return c.add(message() << name << " must be " << must << ", got " << value << status_code::invalid_argument);
}

} // namespace

checks& checks::add(const status& next) noexcept {
    if (first_.ok()) first_ = next;
    return *this;
}

checks& checks::pointer(const char* name, const void* p) noexcept {
    if (p != nullptr || !ok()) return *this;
    return add(message() << name << " must not be null" << status_code::null_pointer);
}

checks& checks::extent(const char* name, std::size_t value) noexcept {
    if (value >= 1 || !ok()) return *this;
    return add(message() << name << " must be >= 1, got 0" << status_code::invalid_shape);
}

checks& checks::equal(const char* name, std::size_t value, const char* other_name, std::size_t other) noexcept {
    if (value == other || !ok()) return *this;
    return add(message() << name << " must equal " << other_name << " = " << other << ", got " << value
                         << status_code::invalid_shape);
}

checks& checks::at_least(const char* name, std::size_t value, const char* other_name, std::size_t other) noexcept {
    if (value >= other || !ok()) return *this;
    return add(message() << name << " must be >= " << other_name << " = " << other << ", got " << value
                         << status_code::invalid_shape);
}

checks& checks::fits(const char* name, std::size_t rows, std::size_t row_stride, std::size_t cols,
                     std::size_t element) noexcept {
    if (!ok() || rows == 0) return *this;
    std::size_t size = 0;
    const bool overflows = __builtin_mul_overflow(rows - 1, row_stride, &size) ||
                           __builtin_add_overflow(size, cols, &size) || __builtin_mul_overflow(size, element, &size) ||
                           size > SIZE_MAX / 2;
    if (!overflows) return *this;
    return add(message() << name << ": its size must be below 2^63 bytes, got " << rows << " rows of " << cols
                         << ", row stride " << row_stride << status_code::invalid_shape);
}

checks& checks::choices(const options& opts) noexcept {
    if (ok() && (opts.threads < 0 || opts.threads > most_threads)) {
        add(message() << "threads must be in [0, " << most_threads << "], got " << opts.threads
                      << status_code::invalid_argument);
    }
    return enumerator("accumulate", static_cast<int>(opts.accumulate), static_cast<int>(accumulate_mode::wide))
        .enumerator("check_state", static_cast<int>(opts.check_state), static_cast<int>(check_mode::on));
}

checks& checks::enumerator(const char* name, int value, int last) noexcept {
    if (!ok() || (value >= 0 && value <= last)) return *this;
    return add(message() << name << " must be an enumerator in [0, " << last << "], got " << value
                         << status_code::invalid_argument);
}

namespace {

std::uintptr_t start_of(const memory_span& span) noexcept { return reinterpret_cast<std::uintptr_t>(span.begin); }

/// One past the end; a size that wraps around reaches to the end of memory.
std::uintptr_t end_of(const memory_span& span) noexcept {
    std::uintptr_t end = 0;
    return __builtin_add_overflow(start_of(span), span.bytes, &end) ? UINTPTR_MAX : end;
}

/// Null pointers and empty spans overlap nothing.
bool overlap(const memory_span& a, const memory_span& b) noexcept {
    return a.begin != nullptr && b.begin != nullptr && a.bytes != 0 && b.bytes != 0 && start_of(a) < end_of(b) &&
           start_of(b) < end_of(a);
}

} // namespace

checks& checks::disjoint(const memory_span& output, const memory_span& other) noexcept {
    if (!ok() || !overlap(output, other)) return *this;
    const std::uintptr_t a = start_of(output);
    const std::uintptr_t b = start_of(other);
    return add(message() << output.name << " must not overlap " << other.name << ", got " << output.bytes
                         << " bytes that start " << (a < b ? b - a : a - b) << " bytes " << (a < b ? "before" : "after")
                         << " its start" << status_code::overlap);
}

checks& checks::disjoint_or_same(const memory_span& output, const memory_span& other) noexcept {
    if (output.begin == other.begin && output.bytes == other.bytes) return *this;
    return disjoint(output, other);
}

template <class T>
checks& hyper_rules(checks& c, const hyper_parameters& h) noexcept {
    rule(c, h.lr >= 0 && is_finite(h.lr), "lr", ">= 0 and finite", h.lr);
    rule(c, is_finite(rounded<T>(h.lr)), "lr", sizeof(T) == 4 ? "finite as float" : "finite", h.lr);
    rule(c, h.beta1 >= 0 && h.beta1 < 1, "beta1", "in [0, 1)", h.beta1);
    rule(c, h.beta2 >= 0 && h.beta2 < 1, "beta2", "in [0, 1)", h.beta2);
    rule(c, h.eps > 0 && is_finite(h.eps), "eps", "> 0 and finite", h.eps);
    rule(c, rounded<T>(h.eps) > 0 && is_finite(rounded<T>(h.eps)), "eps",
         sizeof(T) == 4 ? "> 0 and finite as float" : "> 0 and finite", h.eps);
    rule(c, h.decay >= 0 && h.decay <= 1, "decay", "in [0, 1]", h.decay);
    if (c.ok() && h.t < 1) c.add(message() << "t must be >= 1, got " << h.t << status_code::invalid_argument);
    return c;
}

template <class T>
checks& state_rules(checks& c, const state_view<T>& state, std::size_t features) noexcept {
    return c.equal("state.features", state.features, "features", features)
        .pointer("weights", state.weights)
        .pointer("ema_weights", state.ema_weights)
        .pointer("m", state.m)
        .pointer("v", state.v)
        .fits("weights", 1, features, features, sizeof(T));
}

namespace {

template <class T>
status bad_element(const char* name, const T* values, std::size_t size, bool nonnegative) noexcept {
    for (std::size_t i = 0; i < size; ++i) {
        if (!is_finite(static_cast<double>(values[i]))) {
            return message() << name << " must be finite, got " << values[i] << " at element " << i
                             << status_code::non_finite;
        }
        if (nonnegative && values[i] < 0) {
            return message() << name << " must be >= 0, got " << values[i] << " at element " << i
                             << status_code::invalid_argument;
        }
    }
    return {};
}

} // namespace

template <class T>
status state_values(const state_view<const T>& s, arch which) noexcept {
    const kernel_table* table = kernels_for(which);
    const struct named_array {
        const char* name;
        const T* values;
        bool nonnegative;
    } arrays[] = {
        {"weights", s.weights, false}, {"ema_weights", s.ema_weights, false}, {"m", s.m, false}, {"v", s.v, true}};
    for (const named_array& array : arrays) {
        const T* values = array.values;
        const bool nonnegative = array.nonnegative;
        if (table != nullptr) {
            const element_kernels<T>& kernels = table_of<T>(*table).elements;
            const auto check = nonnegative ? kernels.all_finite_nonnegative : kernels.all_finite;
            if (check(values, s.features)) continue;
        }
        const status found = bad_element(array.name, values, s.features, nonnegative);
        if (!found.ok()) return found;
    }
    return {};
}

template checks& hyper_rules<float>(checks&, const hyper_parameters&) noexcept;
template checks& hyper_rules<double>(checks&, const hyper_parameters&) noexcept;
template checks& state_rules(checks&, const state_view<float>&, std::size_t) noexcept;
template checks& state_rules(checks&, const state_view<double>&, std::size_t) noexcept;
template checks& state_rules(checks&, const state_view<const float>&, std::size_t) noexcept;
template checks& state_rules(checks&, const state_view<const double>&, std::size_t) noexcept;
template status state_values(const state_view<const float>&, arch) noexcept;
template status state_values(const state_view<const double>&, arch) noexcept;

} // namespace bitstep::internal
