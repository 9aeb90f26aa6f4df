// SPDX-License-Identifier: Apache-2.0
// Stage 0, the spine: how one step goes through the stages. gradient() is the same way without the last one.
//
//   arguments -> validate -> partition -> gradient: panels, tree, (2 S) / N -> Adam + EMA -> result
#include <bitstep/distributed_step.hpp>
#include <bitstep/gradient.hpp>

#include "adam_ema.hpp"
#include "fp_environment.hpp"
#include "gradient.hpp"
#include "parallel.hpp"
#include "partition.hpp"
#include "validate_step.hpp"
#include "workspace.hpp"

namespace bitstep {
namespace internal {
namespace {

template <class T, class Sum>
status run_step(step_arguments<T>& a) noexcept {
    // 1: every check, before anything is written. The state's values cost a read of 4 d elements.
    if (const status bad = step_rules(a); !bad.ok()) return bad;
    arch which{};
    if (const status bad = choose_arch(a.opts, which); !bad.ok()) return bad;
    if (a.opts.check_state != check_mode::off) {
        if (const status bad = state_values(a.in, which); !bad.ok()) return bad;
    }

    // 2, 3: rows -> panels -> subtrees; scratch for their partial gradients and for g.
    const std::size_t d = a.data.rows.features;
    layout need;
    gradient_plan<Sum> plan;
    team_choice asked;
    if (const status bad = plan_gradient<T>(a.data.total, d, a.opts, which, need, plan); !bad.ok()) return bad;
    if (const status bad = choose_threads(a.opts, which, update_bytes<T>(d), task_count(d), asked); !bad.ok())
        return bad;
    scratch memory;
    if (const status bad = memory.acquire(a.given, need); !bad.ok()) return bad;
    T* grad = memory.at<T>(plan.gradient);

    // 4, 5: g = 2/N X^T (X w - y). Reads X once, N d elements; the tree joins the panels' partial gradients.
    const gradient_result<T> g = compute_gradient(a.data, a.in.weights, plan, memory, grad);
    if (!g.finite) return non_finite_gradient(a.data, "weights", a.in.weights);

    // 6: m', v', w', ema'. Reads g and 4 d elements of state, writes 4 d.
    const int team = update_state<T>(
        {grad, a.in.weights, a.in.ema_weights, a.in.m, a.in.v, a.out.weights, a.out.ema_weights, a.out.m, a.out.v},
        a.hyper, d, which, asked);
    if (a.opts.report != nullptr) *a.opts.report = {which, team > g.team ? team : g.team};
    return {};
}

template <class T>
status step(step_arguments<T>& a) noexcept {
    return guarded(
        [&] { return a.opts.accumulate == accumulate_mode::wide ? run_step<T, wide_sum_t<T>>(a) : run_step<T, T>(a); });
}

/// The public forms of the data become one row sequence.
template <class T>
row_data<T> shards_of(const row_sequence<T>& rows) noexcept {
    return {rows, data_naming::shards, 0};
}

template <class T>
state_view<const T> read_only(const state_view<T>& s) noexcept {
    return {s.weights, s.ema_weights, s.m, s.v, s.features};
}

} // namespace
} // namespace internal

// The arguments are put together where they stay: copies of views just written wait for the stores (by perf 8 % of a step
// of 1 x 1 floats).

template <class T>
status distributed_step(const worker_batches<T>& batches, const state_view<const T>& state,
                        const hyper_parameters& hyper, vector_view<T> out, const options& opts,
                        workspace workspace) noexcept {
    shard_view<T> one;
    internal::step_arguments<T> a{{}, state, {}, hyper, opts, workspace, false};
    if (const status bad = internal::flatten(batches, one, a.data); !bad.ok()) return bad;
    if (const status bad = internal::split_output(out, state.features, a.out); !bad.ok()) return bad;
    return internal::step(a);
}

template <class T>
status distributed_step(const row_sequence<T>& rows, const state_view<const T>& state, const hyper_parameters& hyper,
                        vector_view<T> out, const options& opts, workspace workspace) noexcept {
    internal::step_arguments<T> a{internal::shards_of(rows), state, {}, hyper, opts, workspace, false};
    if (const status bad = internal::split_output(out, state.features, a.out); !bad.ok()) return bad;
    return internal::step(a);
}

template <class T>
status distributed_step(const worker_batches<T>& batches, const state_view<T>& state, const hyper_parameters& hyper,
                        const options& opts, workspace workspace) noexcept {
    shard_view<T> one;
    internal::step_arguments<T> a{{}, internal::read_only(state), state, hyper, opts, workspace, true};
    if (const status bad = internal::flatten(batches, one, a.data); !bad.ok()) return bad;
    return internal::step(a);
}

template <class T>
status distributed_step(const row_sequence<T>& rows, const state_view<T>& state, const hyper_parameters& hyper,
                        const options& opts, workspace workspace) noexcept {
    internal::step_arguments<T> a{
        internal::shards_of(rows), internal::read_only(state), state, hyper, opts, workspace, true};
    return internal::step(a);
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
template BITSTEP_EXPORT status distributed_step_workspace_bytes<double>(std::size_t, std::size_t, const options&,
                                                                        std::size_t&) noexcept;

} // namespace bitstep
