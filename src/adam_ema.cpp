// SPDX-License-Identifier: Apache-2.0
// Stage 6: scalars once in double, then elementwise blocks -> kernels/adam_ema-inl.hpp.
#include "adam_ema.hpp"

#include <bitstep/adam_ema_update.hpp>

#include "dispatch.hpp"
#include "double_double.hpp"
#include "fp_environment.hpp"
#include "parallel.hpp"
#include "partition.hpp"
#include "reference/adam_ema.hpp"
#include "validate.hpp"

namespace bitstep {
namespace internal {

namespace {

/// Two numbers side by side: the two powers take the same steps, so one chain of dependent operations serves both.
/// Elementwise, so each has the bits that it would have alone.
struct number_pair {
    typedef double vector __attribute__((vector_size(16)));
    vector both;
    explicit number_pair(vector values) noexcept : both(values) {}
    explicit number_pair(double value) noexcept : both{value, value} {}
    friend number_pair operator+(number_pair a, number_pair b) noexcept { return number_pair(a.both + b.both); }
    friend number_pair operator-(number_pair a, number_pair b) noexcept { return number_pair(a.both - b.both); }
    friend number_pair operator*(number_pair a, number_pair b) noexcept { return number_pair(a.both * b.both); }
    /// Nothing overflows where every factor is below one, so every error term is finite.
    friend number_pair finite_or_zero(number_pair e) noexcept { return e; }
};

} // namespace

// The platform's pow differs between C libraries and CPUs. From the highest bit down: square, then multiply by beta
// where the bit is one. The relative error stays below t 2^-100: for t up to 2^40 far under half a unit of the rounding
// at the end.
power_pair powers(double beta1, double beta2, long long t) noexcept {
    const auto exponent = static_cast<unsigned long long>(t);
    const number_pair beta(number_pair::vector{beta1, beta2});
    pair_sum<number_pair> p{beta, number_pair(0.0)};
    for (int bit = 62 - __builtin_clzll(exponent); bit >= 0; --bit) {
        p = multiply(p, p);
        if ((exponent >> bit & 1U) != 0) p = multiply(p, beta);
    }
    const number_pair rounded = p.hi + p.lo;
    return {rounded.both[0], rounded.both[1]};
}

template <class T>
adam_scalars<T> scalars_of(const hyper_parameters& h) noexcept {
    const power_pair power = powers(h.beta1, h.beta2, h.t);
    adam_scalars<T> s;
    s.lr = static_cast<T>(h.lr);
    s.beta1 = static_cast<T>(h.beta1);
    s.one_minus_beta1 = static_cast<T>(1.0 - h.beta1);
    s.beta2 = static_cast<T>(h.beta2);
    s.one_minus_beta2 = static_cast<T>(1.0 - h.beta2);
    s.correction1 = static_cast<T>(1.0 - power.of_beta1);
    s.correction2 = static_cast<T>(1.0 - power.of_beta2);
    s.eps = static_cast<T>(h.eps);
    s.decay = static_cast<T>(h.decay);
    s.one_minus_decay = static_cast<T>(1.0 - h.decay);
    return s;
}

template <class T>
int update_state(const adam_arrays<T>& arrays, const hyper_parameters& hyper, std::size_t features, arch which,
                 const team_choice& team) noexcept {
    const adam_scalars<T> scalars = scalars_of<T>(hyper);
    const kernel_table* table = kernels_for(which);
    const auto kernel = table == nullptr ? reference::adam_ema<T> : table_of<T>(*table).elements.adam_ema;
    return for_each_task(team, task_count(features), [&](int, std::size_t task) {
        const std::size_t first = task * elements_per_task;
        kernel(arrays, scalars, first, features - first < elements_per_task ? features : first + elements_per_task);
    });
}

template int update_state(const adam_arrays<float>&, const hyper_parameters&, std::size_t, arch,
                          const team_choice&) noexcept;
template int update_state(const adam_arrays<double>&, const hyper_parameters&, std::size_t, arch,
                          const team_choice&) noexcept;

namespace {

template <class T>
status run_update(const vector_view<const T>& grad, const state_view<T>& state, const hyper_parameters& hyper,
                  const options& opts) noexcept {
    checks c;
    c.extent("grad.size", grad.size).pointer("grad", grad.data);
    state_rules(c, state, grad.size);
    hyper_rules<T>(c, hyper).choices(opts);
    const state_spans<T> spans(state);
    for (std::size_t i = 0; c.ok() && i < 4; ++i) {
        c.disjoint(spans.span[i], {"grad", grad.data, grad.size * sizeof(T)});
        disjoint_from_options(c, spans.span[i], opts).disjoint(spans.span[i], {"hyper", &hyper, sizeof hyper});
        for (std::size_t k = i + 1; k < 4; ++k) c.disjoint(spans.span[i], spans.span[k]);
    }
    c.disjoint(report_span(opts), {"grad", grad.data, grad.size * sizeof(T)});
    if (!c.ok()) return c.result();

    arch which{};
    status next = choose_arch(opts, which);
    team_choice asked;
    if (next.ok()) next = choose_threads(opts, which, update_bytes<T>(grad.size), task_count(grad.size), asked);
    if (next.ok() && opts.check_state == check_mode::on) {
        next = state_values<T>({state.weights, state.ema_weights, state.m, state.v, state.features}, which);
    }
    if (!next.ok()) return next;
    const adam_arrays<T> arrays{grad.data,     state.weights,     state.ema_weights, state.m, state.v,
                                state.weights, state.ema_weights, state.m,           state.v};
    const int team = update_state(arrays, hyper, grad.size, which, asked);
    if (opts.report != nullptr) *opts.report = {which, team};
    return {};
}

} // namespace
} // namespace internal

template <class T>
status adam_ema_update(vector_view<const T> grad, const state_view<T>& state, const hyper_parameters& hyper,
                       const options& opts) noexcept {
    return internal::guarded([&] { return internal::run_update<T>(grad, state, hyper, opts); });
}

template BITSTEP_EXPORT status adam_ema_update(vector_view<const float>, const state_view<float>&,
                                               const hyper_parameters&, const options&) noexcept;
template BITSTEP_EXPORT status adam_ema_update(vector_view<const double>, const state_view<double>&,
                                               const hyper_parameters&, const options&) noexcept;

} // namespace bitstep
