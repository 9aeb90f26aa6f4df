// SPDX-License-Identifier: Apache-2.0
// Stage 1, see validate.hpp.
#include "validate.hpp"

#include "message.hpp"

namespace bitstep::internal {
namespace {

/// Rounds the way the arithmetic will: to T, then back, so that both types compare as double.
template <class T>
double rounded(double value) noexcept {
    return static_cast<double>(static_cast<T>(value));
}

bool is_finite(double value) noexcept { return value - value == 0.0; }

} // namespace

void checks::fail_pointer(const char* name) noexcept {
    if (ok()) add(message() << name << " must not be null" << status_code::null_pointer);
}

void checks::fail_extent(const char* name) noexcept {
    if (ok()) add(message() << name << " must be >= 1, got 0" << status_code::invalid_shape);
}

void checks::fail_equal(const char* name, std::size_t value, const char* other_name, std::size_t other) noexcept {
    if (!ok()) return;
    add(message() << name << " must equal " << other_name << " = " << other << ", got " << value
                  << status_code::invalid_shape);
}

void checks::fail_at_least(const char* name, std::size_t value, const char* other_name, std::size_t other) noexcept {
    if (!ok()) return;
    add(message() << name << " must be >= " << other_name << " = " << other << ", got " << value
                  << status_code::invalid_shape);
}

void checks::fail_fits(const char* name, std::size_t rows, std::size_t row_stride, std::size_t cols) noexcept {
    if (!ok()) return;
    add(message() << name << ": its size must be below 2^63 bytes, got " << rows << " rows of " << cols
                  << ", row stride " << row_stride << status_code::invalid_shape);
}

void checks::fail_threads(int least, int threads) noexcept {
    if (!ok()) return;
    add(message() << "threads must be in [" << least << ", " << most_threads << "]"
                  << (least == 1 ? " where parallel_for is given, got " : ", got ") << threads
                  << status_code::invalid_argument);
}

void checks::fail_enumerator(const char* name, int value, int last) noexcept {
    if (!ok()) return;
    add(message() << name << " must be an enumerator in [0, " << last << "], got " << value
                  << status_code::invalid_argument);
}

void checks::fail_number(const char* name, const char* must, double value) noexcept {
    if (ok()) add(message() << name << " must be " << must << ", got " << value << status_code::invalid_argument);
}

void checks::fail_disjoint(const memory_span& output, const memory_span& other) noexcept {
    if (!ok()) return;
    const std::uintptr_t a = output.start();
    const std::uintptr_t b = other.start();
    add(message() << output.name << " must not overlap " << other.name << ", got " << output.bytes
                  << " bytes that start " << (a < b ? b - a : a - b) << " bytes " << (a < b ? "before" : "after")
                  << " its start" << status_code::overlap);
}

template <class T>
checks& hyper_rules(checks& c, const hyper_parameters& h) noexcept {
    c.number(h.lr >= 0 && is_finite(h.lr), "lr", ">= 0 and finite", h.lr);
    c.number(is_finite(rounded<T>(h.lr)), "lr", sizeof(T) == 4 ? "finite as float" : "finite", h.lr);
    c.number(h.beta1 >= 0 && h.beta1 < 1, "beta1", "in [0, 1)", h.beta1);
    c.number(h.beta2 >= 0 && h.beta2 < 1, "beta2", "in [0, 1)", h.beta2);
    c.number(h.eps > 0 && is_finite(h.eps), "eps", "> 0 and finite", h.eps);
    c.number(rounded<T>(h.eps) > 0 && is_finite(rounded<T>(h.eps)), "eps",
             sizeof(T) == 4 ? "> 0 and finite as float" : "> 0 and finite", h.eps);
    c.number(h.decay >= 0 && h.decay <= 1, "decay", "in [0, 1]", h.decay);
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
    if (table != nullptr &&
        table_of<T>(*table).elements.valid_state({s.weights, s.ema_weights, s.m, s.v}, s.features)) {
        return {};
    }
    checks c;
    return c.add(bad_element("weights", s.weights, s.features, false))
        .add(bad_element("ema_weights", s.ema_weights, s.features, false))
        .add(bad_element("m", s.m, s.features, false))
        .add(bad_element("v", s.v, s.features, true))
        .result();
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
