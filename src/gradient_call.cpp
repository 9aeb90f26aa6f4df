// SPDX-License-Identifier: Apache-2.0
// The public gradient() and its workspace query: validate -> partition -> scratch -> compute_gradient (gradient.cpp).
#include <bitstep/gradient.hpp>

#include "fp_environment.hpp"
#include "gradient.hpp"
#include "validate.hpp"
#include "workspace.hpp"

namespace bitstep {
namespace internal {
namespace {

template <class T, class Sum>
status run_gradient(row_data<T> data, const vector_view<const T>& w, const vector_view<T>& grad, T* mse,
                    const options& opts, const workspace& given) noexcept {
    checks c;
    row_rules(c, data);
    c.equal("w.size", w.size, "features", data.rows.features).equal("grad.size", grad.size, "features", w.size);
    c.pointer("w", w.data).pointer("grad", grad.data).choices(opts);
    if (!c.ok()) return c.result();
    const std::size_t bytes = grad.size * sizeof(T);
    const memory_span grad_span{"grad", grad.data, bytes};
    const memory_span mse_span{"mse", mse, mse == nullptr ? 0 : sizeof(T)};
    const memory_span given_span{"workspace", given.data, given.bytes};
    disjoint_from_rows(c.disjoint(given_span, {"w", w.data, bytes}), given_span, data);
    c.disjoint(grad_span, given_span).disjoint(mse_span, given_span);
    disjoint_from_rows(c.disjoint(grad_span, {"w", w.data, bytes}), grad_span, data);
    disjoint_from_rows(c.disjoint(mse_span, {"w", w.data, bytes}).disjoint(mse_span, grad_span), mse_span, data);
    for (const memory_span& written : {given_span, grad_span, mse_span}) disjoint_from_options(c, written, opts);
    if (opts.report != nullptr) {
        disjoint_from_rows(c.disjoint(report_span(opts), {"w", w.data, bytes}), report_span(opts), data);
    }

    arch which{};
    layout need;
    gradient_plan<Sum> plan;
    scratch memory;
    if (c.ok()) c.add(choose_arch(opts, which));
    if (c.ok()) c.add(plan_gradient<T>(data.total, w.size, opts, which, need, plan));
    if (c.ok()) c.add(memory.acquire(given, need));
    if (!c.ok()) return c.result();

    T* result =
        memory.at<T>(plan.gradient); // the caller's array stays as it is until the gradient is known to be finite
    const gradient_result<T> g = compute_gradient(data, w.data, plan, memory, result);
    if (!g.finite) return non_finite_gradient(data, "w", w.data);
    for (std::size_t j = 0; j < grad.size; ++j) grad.data[j] = result[j];
    if (mse != nullptr) *mse = g.mse;
    if (opts.report != nullptr) *opts.report = {which, g.team};
    return {};
}

template <class T, class Sum>
status workspace_bytes(std::size_t rows, std::size_t features, const options& opts, std::size_t& bytes) noexcept {
    checks c;
    c.extent("rows", rows).extent("features", features).fits("X", rows, features, features, sizeof(T)).choices(opts);
    arch which{};
    layout need;
    gradient_plan<Sum> plan;
    if (c.ok()) c.add(choose_arch(opts, which));
    if (c.ok()) c.add(plan_gradient<T>(rows, features, with_most_threads(opts), which, need, plan));
    if (c.ok() && need.overflows()) {
        c.add(
            {status_code::invalid_shape, "workspace: its size must be below 2^63 bytes, but these extents need more"});
    }
    if (c.ok()) bytes = need.bytes();
    return c.result();
}

} // namespace
} // namespace internal

template <class T>
status gradient(const row_sequence<T>& rows, vector_view<const T> w, vector_view<T> grad, T* mse, const options& opts,
                workspace workspace) noexcept {
    return internal::guarded([&] {
        return opts.accumulate == accumulate_mode::wide
                   ? internal::run_gradient<T, internal::wide_sum_t<T>>(internal::row_data<T>{rows}, w, grad, mse, opts,
                                                                        workspace)
                   : internal::run_gradient<T, T>(internal::row_data<T>{rows}, w, grad, mse, opts, workspace);
    });
}

template <class T>
status gradient_workspace_bytes(std::size_t rows, std::size_t features, const options& opts,
                                std::size_t& bytes) noexcept {
    return opts.accumulate == accumulate_mode::wide
               ? internal::workspace_bytes<T, internal::wide_sum_t<T>>(rows, features, opts, bytes)
               : internal::workspace_bytes<T, T>(rows, features, opts, bytes);
}

template BITSTEP_EXPORT status gradient(const row_sequence<float>&, vector_view<const float>, vector_view<float>,
                                        float*, const options&, workspace) noexcept;
template BITSTEP_EXPORT status gradient_workspace_bytes<float>(std::size_t, std::size_t, const options&,
                                                               std::size_t&) noexcept;

template BITSTEP_EXPORT status gradient(const row_sequence<double>&, vector_view<const double>, vector_view<double>,
                                        double*, const options&, workspace) noexcept;
template BITSTEP_EXPORT status gradient_workspace_bytes<double>(std::size_t, std::size_t, const options&,
                                                                std::size_t&) noexcept;

} // namespace bitstep
