// SPDX-License-Identifier: Apache-2.0
// Beside the stages of a step, predict and residual: validate -> rows to threads -> kernels/dot-inl.hpp. Rows are
// independent of one another.
#include <bitstep/predict.hpp>
#include <bitstep/residual.hpp>

#include "dispatch.hpp"
#include "fp_environment.hpp"
#include "parallel.hpp"
#include "partition.hpp"
#include "reference/predict.hpp"
#include "validate.hpp"

namespace bitstep {
namespace internal {
namespace {

template <class T>
status validate(const matrix_view<const T>& x, const vector_view<const T>* y, const vector_view<const T>& w,
                const vector_view<T>& out, const options& opts) noexcept {
    checks c;
    c.extent("x.rows", x.rows).extent("x.cols", x.cols).at_least("x.row_stride", x.row_stride, "x.cols", x.cols);
    c.equal("w.size", w.size, "x.cols", x.cols).equal("out.size", out.size, "x.rows", x.rows);
    if (y != nullptr) c.equal("y.size", y->size, "x.rows", x.rows);
    c.pointer("x.data", x.data).pointer("w", w.data).pointer("out", out.data);
    if (y != nullptr) c.pointer("y", y->data);
    c.fits("x", x.rows, x.row_stride, x.cols, sizeof(T)).choices(opts);
    if (!c.ok()) return c.result();
    const memory_span output{"out", out.data, out.size * sizeof(T)};
    c.disjoint(output, {"x", x.data, ((x.rows - 1) * x.row_stride + x.cols) * sizeof(T)});
    c.disjoint(output, {"w", w.data, w.size * sizeof(T)});
    if (y != nullptr) c.disjoint_or_same(output, {"y", y->data, y->size * sizeof(T)});
    disjoint_from_options(c, output, opts);
    if (opts.report == nullptr) return c.result();
    const memory_span report = report_span(opts);
    c.disjoint(report, {"x", x.data, ((x.rows - 1) * x.row_stride + x.cols) * sizeof(T)});
    c.disjoint(report, {"w", w.data, w.size * sizeof(T)});
    if (y != nullptr) c.disjoint(report, {"y", y->data, y->size * sizeof(T)});
    return c.result();
}

/// Rows [task * rows_per_task, ...) by one kernel call; predict = X w, reads N d sizeof(T) bytes.
template <class T, class Sum>
int predict_rows(const row_run<T>& all, std::size_t features, const T* w, T* out, arch which, const team_choice& asked,
                 std::size_t rows_per_task) noexcept {
    const kernel_table* table = kernels_for(which);
    const auto kernel = table == nullptr ? reference::predict<T, Sum> : sums_of<T, Sum>(table_of<T>(*table)).predict;
    return for_each_task(asked, (all.rows - 1) / rows_per_task + 1, [&](int, std::size_t task) {
        const std::size_t first = task * rows_per_task;
        row_run<T> run = all;
        run.x += first * all.row_stride;
        if (all.y != nullptr) run.y += first;
        run.rows = all.rows - first < rows_per_task ? all.rows - first : rows_per_task;
        kernel(run, features, w, out + first);
    });
}

template <class T>
status run_predict(const matrix_view<const T>& x, const vector_view<const T>* y, const vector_view<const T>& w,
                   const vector_view<T>& out, const options& opts) noexcept {
    status next = validate(x, y, w, out, opts);
    arch which{};
    if (next.ok()) next = choose_arch(opts, which);
    if (!next.ok()) return next;

    const row_run<T> all{x.data, x.row_stride, y == nullptr ? nullptr : y->data, x.rows, 0, false};
    const std::size_t rows_per_task = x.cols >= elements_per_task ? 1 : elements_per_task / x.cols;
    team_choice asked;
    next = choose_threads(opts, which, x.rows * x.cols * sizeof(T), (x.rows - 1) / rows_per_task + 1, asked);
    if (!next.ok()) return next;
    const int team = opts.accumulate == accumulate_mode::wide
                         ? predict_rows<T, wide_sum_t<T>>(all, x.cols, w.data, out.data, which, asked, rows_per_task)
                         : predict_rows<T, T>(all, x.cols, w.data, out.data, which, asked, rows_per_task);
    if (opts.report != nullptr) *opts.report = {which, team};
    return {};
}

} // namespace
} // namespace internal

template <class T>
status predict(matrix_view<const T> x, vector_view<const T> w, vector_view<T> out, const options& opts) noexcept {
    return internal::guarded([&] { return internal::run_predict<T>(x, nullptr, w, out, opts); });
}

template <class T>
status residual(matrix_view<const T> x, vector_view<const T> y, vector_view<const T> w, vector_view<T> out,
                const options& opts) noexcept {
    return internal::guarded([&] { return internal::run_predict<T>(x, &y, w, out, opts); });
}

template BITSTEP_EXPORT status predict(matrix_view<const float>, vector_view<const float>, vector_view<float>,
                                       const options&) noexcept;
template BITSTEP_EXPORT status predict(matrix_view<const double>, vector_view<const double>, vector_view<double>,
                                       const options&) noexcept;
template BITSTEP_EXPORT status residual(matrix_view<const float>, vector_view<const float>, vector_view<const float>,
                                        vector_view<float>, const options&) noexcept;
template BITSTEP_EXPORT status residual(matrix_view<const double>, vector_view<const double>, vector_view<const double>,
                                        vector_view<double>, const options&) noexcept;

} // namespace bitstep
