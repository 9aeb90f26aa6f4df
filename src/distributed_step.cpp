// SPDX-License-Identifier: Apache-2.0
// Stage 0, the spine: how one step goes through the stages. gradient() is the same way without the last one.
//
//   arguments -> validate -> partition -> gradient: panels, tree, (2 S) / N -> Adam + EMA -> result
#include <bitstep/distributed_step.hpp>
#include <bitstep/gradient.hpp>

#include "adam_ema.hpp"
#include "fp_environment.hpp"
#include "gradient.hpp"
#include "message.hpp"
#include "parallel.hpp"
#include "validate.hpp"
#include "workspace.hpp"

namespace bitstep {
namespace internal {
namespace {

/// The arguments of one step: out == in for the in-place form.
template <class T>
struct step_arguments {
    row_data<T> data;
    state_view<const T> in;
    state_view<T> out;
    const hyper_parameters& hyper;
    const options& opts;
    workspace given;
    bool in_place;
};

template <class T>
status validate(step_arguments<T>& a) noexcept {
    checks c;
    row_rules(c, a.data);
    state_rules(c, a.in, a.data.rows.features);
    hyper_rules<T>(c, a.hyper).choices(a.opts);
    if (!c.ok()) return c.result();
    const state_spans<const T> inputs(a.in);
    const memory_span given{"workspace", a.given.data, a.given.bytes};
    disjoint_from_rows(c, given, a.data);
    for (const memory_span& input : inputs.span) c.disjoint(given, input);
    if (a.in_place) {
        for (std::size_t i = 0; i < 4; ++i) {
            disjoint_from_rows(c, inputs.span[i], a.data);
            for (std::size_t k = i + 1; k < 4; ++k) c.disjoint(inputs.span[i], inputs.span[k]);
        }
        return c.result();
    }
    const memory_span out{"out", a.out.weights, 4 * a.in.features * sizeof(T)};
    disjoint_from_rows(c.disjoint(out, given), out, a.data);
    for (const memory_span& input : inputs.span) c.disjoint(out, input);
    return c.result();
}

template <class T, class Sum>
status plan_step(std::size_t rows, std::size_t features, const options& opts, arch which, layout& need,
                 gradient_plan<Sum>& plan, std::size_t& grad) noexcept {
    const status planned = plan_gradient<T>(rows, features, opts, which, need, plan);
    grad = need.add<T>(features);
    return planned;
}

template <class T, class Sum>
status run_step(step_arguments<T>& a) noexcept {
    // 1: every check, before anything is written. The state's values cost a read of 4 d elements.
    status next = validate(a);
    arch which{};
    if (next.ok()) next = choose_arch(a.opts, which);
    if (next.ok() && a.opts.check_state != check_mode::off) next = state_values(a.in, which);
    if (!next.ok()) return next;

    // 2, 3: rows -> panels -> subtrees; scratch for their partial gradients and for g.
    const std::size_t d = a.data.rows.features;
    layout need;
    gradient_plan<Sum> plan;
    std::size_t grad_at = 0;
    next = plan_step<T>(a.data.total, d, a.opts, which, need, plan, grad_at);
    scratch memory;
    if (next.ok()) next = memory.acquire(a.given, need);
    if (!next.ok()) return next;
    T* grad = memory.at<T>(grad_at);

    // 4, 5: g = 2/N X^T (X w - y). Reads X once, N d elements; the tree joins the panels' partial gradients.
    const gradient_result<T> g = compute_gradient(a.data, a.in.weights, plan, memory, grad);
    if (!g.finite) return non_finite_gradient(a.data, "weights", a.in.weights);

    // 6: m', v', w', ema'. Reads g and 4 d elements of state, writes 4 d.
    int workers = 1;
    next = choose_workers(a.opts, update_bytes<T>(d), task_count(d), workers);
    if (!next.ok()) return next;
    const int team = update_state<T>({grad, a.in.weights, a.in.ema_weights, a.in.m, a.in.v, a.out.weights,
                                      a.out.ema_weights, a.out.m, a.out.v},
                                     a.hyper, d, which, workers);
    if (a.opts.report != nullptr) *a.opts.report = {which, team > g.team ? team : g.team};
    return {};
}

template <class T>
status step(step_arguments<T> a) noexcept {
    return guarded([&] {
        return a.opts.accumulate == accumulate_mode::wide ? run_step<T, wide_sum_t<T>>(a) : run_step<T, T>(a);
    });
}

/// The two public forms of the data become one row sequence.
template <class T>
row_data<T> shards_of(const row_sequence<T>& rows) noexcept {
    return {rows, data_naming::shards, 0};
}

template <class T>
status flatten(const worker_batches<T>& b, shard_view<T>& one, row_data<T>& data) noexcept {
    std::size_t rows = 0;
    checks c;
    c.extent("workers", b.workers).extent("micro_batches", b.micro_batches).extent("examples", b.examples);
    if (c.ok() && (__builtin_mul_overflow(b.workers, b.micro_batches, &rows) ||
                   __builtin_mul_overflow(rows, b.examples, &rows))) {
        c.add(message() << "workers * micro_batches * examples must fit size_t, got " << b.workers << " * "
                        << b.micro_batches << " * " << b.examples << status_code::invalid_shape);
    }
    one = {b.worker_xs, b.worker_ys, rows, b.features};
    data = {{&one, 1, b.features}, data_naming::dense, 0};
    return c.result();
}

template <class T>
status split_output(const vector_view<T>& out, std::size_t features, state_view<T>& state) noexcept {
    checks c;
    c.pointer("out", out.data).fits("out", 4, features, features, sizeof(T));
    if (c.ok()) c.equal("out.size", out.size, "4 * features", 4 * features);
    if (!c.ok()) return c.result();
    state = {out.data, out.data + features, out.data + 2 * features, out.data + 3 * features, features};
    return {};
}

template <class T>
state_view<const T> read_only(const state_view<T>& s) noexcept {
    return {s.weights, s.ema_weights, s.m, s.v, s.features};
}

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

    arch which{};
    layout need;
    gradient_plan<Sum> plan;
    std::size_t grad_at = 0;
    scratch memory;
    if (c.ok()) c.add(choose_arch(opts, which));
    if (c.ok()) c.add(plan_step<T>(data.total, w.size, opts, which, need, plan, grad_at));
    if (c.ok()) c.add(memory.acquire(given, need));
    if (!c.ok()) return c.result();

    T* result = memory.at<T>(grad_at); // the caller's array stays as it is until the gradient is known to be finite
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
    std::size_t grad_at = 0;
    if (c.ok()) c.add(choose_arch(opts, which));
    if (c.ok()) c.add(plan_step<T>(rows, features, opts, which, need, plan, grad_at));
    if (c.ok() && need.overflows()) {
        c.add({status_code::invalid_shape, "workspace: its size must fit size_t, but these extents overflow it"});
    }
    if (c.ok()) bytes = need.bytes();
    return c.result();
}

} // namespace
} // namespace internal

template <class T>
status distributed_step(const worker_batches<T>& batches, const state_view<const T>& state,
                        const hyper_parameters& hyper, vector_view<T> out, const options& opts,
                        workspace scratch) noexcept {
    shard_view<T> one;
    internal::row_data<T> data;
    state_view<T> result;
    status next = internal::flatten(batches, one, data);
    if (next.ok()) next = internal::split_output(out, state.features, result);
    return next.ok() ? internal::step<T>({data, state, result, hyper, opts, scratch, false}) : next;
}

template <class T>
status distributed_step(const row_sequence<T>& rows, const state_view<const T>& state, const hyper_parameters& hyper,
                        vector_view<T> out, const options& opts, workspace scratch) noexcept {
    state_view<T> result;
    const status next = internal::split_output(out, state.features, result);
    return next.ok() ? internal::step<T>({internal::shards_of(rows), state, result, hyper, opts, scratch, false}) : next;
}

template <class T>
status distributed_step(const worker_batches<T>& batches, const state_view<T>& state, const hyper_parameters& hyper,
                        const options& opts, workspace scratch) noexcept {
    shard_view<T> one;
    internal::row_data<T> data;
    const status next = internal::flatten(batches, one, data);
    return next.ok() ? internal::step<T>({data, internal::read_only(state), state, hyper, opts, scratch, true}) : next;
}

template <class T>
status distributed_step(const row_sequence<T>& rows, const state_view<T>& state, const hyper_parameters& hyper,
                        const options& opts, workspace scratch) noexcept {
    return internal::step<T>({internal::shards_of(rows), internal::read_only(state), state, hyper, opts, scratch, true});
}

template <class T>
status gradient(const row_sequence<T>& rows, vector_view<const T> w, vector_view<T> grad, T* mse, const options& opts,
                workspace scratch) noexcept {
    return internal::guarded([&] {
        return opts.accumulate == accumulate_mode::wide
                   ? internal::run_gradient<T, internal::wide_sum_t<T>>(internal::shards_of(rows), w, grad, mse, opts,
                                                                        scratch)
                   : internal::run_gradient<T, T>(internal::shards_of(rows), w, grad, mse, opts, scratch);
    });
}

template <class T>
status gradient_workspace_bytes(std::size_t rows, std::size_t features, const options& opts,
                                std::size_t& bytes) noexcept {
    return opts.accumulate == accumulate_mode::wide
               ? internal::workspace_bytes<T, internal::wide_sum_t<T>>(rows, features, opts, bytes)
               : internal::workspace_bytes<T, T>(rows, features, opts, bytes);
}

template <class T>
status distributed_step_workspace_bytes(std::size_t rows, std::size_t features, const options& opts,
                                        std::size_t& bytes) noexcept {
    return gradient_workspace_bytes<T>(rows, features, opts, bytes);
}

template BITSTEP_EXPORT status distributed_step(const worker_batches<float>&, const state_view<const float>&,
                                                const hyper_parameters&, vector_view<float>, const options&,
                                                workspace) noexcept;
template BITSTEP_EXPORT status distributed_step(const row_sequence<float>&, const state_view<const float>&,
                                                const hyper_parameters&, vector_view<float>, const options&,
                                                workspace) noexcept;
template BITSTEP_EXPORT status distributed_step(const worker_batches<float>&, const state_view<float>&,
                                                const hyper_parameters&, const options&, workspace) noexcept;
template BITSTEP_EXPORT status distributed_step(const row_sequence<float>&, const state_view<float>&,
                                                const hyper_parameters&, const options&, workspace) noexcept;
template BITSTEP_EXPORT status gradient(const row_sequence<float>&, vector_view<const float>, vector_view<float>, float*,
                                        const options&, workspace) noexcept;
template BITSTEP_EXPORT status gradient_workspace_bytes<float>(std::size_t, std::size_t, const options&,
                                                             std::size_t&) noexcept;
template BITSTEP_EXPORT status distributed_step_workspace_bytes<float>(std::size_t, std::size_t, const options&,
                                                                     std::size_t&) noexcept;

template BITSTEP_EXPORT status distributed_step(const worker_batches<double>&, const state_view<const double>&,
                                                const hyper_parameters&, vector_view<double>, const options&,
                                                workspace) noexcept;
template BITSTEP_EXPORT status distributed_step(const row_sequence<double>&, const state_view<const double>&,
                                                const hyper_parameters&, vector_view<double>, const options&,
                                                workspace) noexcept;
template BITSTEP_EXPORT status distributed_step(const worker_batches<double>&, const state_view<double>&,
                                                const hyper_parameters&, const options&, workspace) noexcept;
template BITSTEP_EXPORT status distributed_step(const row_sequence<double>&, const state_view<double>&,
                                                const hyper_parameters&, const options&, workspace) noexcept;
template BITSTEP_EXPORT status gradient(const row_sequence<double>&, vector_view<const double>, vector_view<double>, double*,
                                        const options&, workspace) noexcept;
template BITSTEP_EXPORT status gradient_workspace_bytes<double>(std::size_t, std::size_t, const options&,
                                                             std::size_t&) noexcept;
template BITSTEP_EXPORT status distributed_step_workspace_bytes<double>(std::size_t, std::size_t, const options&,
                                                                     std::size_t&) noexcept;

} // namespace bitstep
