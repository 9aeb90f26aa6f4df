// SPDX-License-Identifier: Apache-2.0
// Stage 4 by columns, see column_split.hpp.
#include "column_split.hpp"

#include "double_double.hpp"
#include "kernels/carry_tree.hpp"
#include "panel_tree.hpp"
#include "parallel.hpp"
#include "reference/scalar.hpp"
#include "row_cursor.hpp"

#include <atomic>

namespace bitstep::internal {
namespace {

std::size_t levels_of(std::size_t panels) noexcept {
    std::size_t levels = 0;
    for (std::size_t n = 1; n < panels; n *= 2) ++levels;
    return levels;
}

/// Rows of a block: as many as keep a thread's part of them in a quarter of its core's cache; at least one. Parts
/// beyond that cache want one, too (2^20 floats, two threads, X from memory: 20.6 GB/s with one row, 19.7 with 2, 19.2
/// with 4, 16.0 with 8).
std::size_t rows_at_once(std::size_t part_bytes) noexcept {
    std::size_t rows = most_column_rows;
    while (rows > 1 && rows * part_bytes > core_cache_bytes / 4) rows /= 2;
    return rows;
}

/// One thread's columns [first, last), whole column panels, over all rows. All threads of a team walk in step.
template <class T, class Sum>
struct column_walk {
    const row_sequence<T>& rows;
    const T* w;
    const sum_kernels<T, Sum>& kernels;
    std::size_t partial_size;
    std::size_t column_panels; ///< of a whole row
    std::size_t first;
    std::size_t last;
    std::size_t block_rows;
    std::size_t team;
    Sum* panel_sums[2]; ///< in turn, so that nobody writes what somebody still reads
    std::size_t rows_left;
    row_cursor cursor{};
    std::size_t blocks_done = 0;

    std::size_t vectors() const noexcept {
        return ((last == rows.features ? partial_size : last) - first) / lane_count<Sum>;
    }

    void add_block(const row_run<T>& run, Sum* partial, square_t<Sum>& squares) noexcept {
        Sum* sums = panel_sums[blocks_done++ % 2];
        kernels.panel_dots(run, first, last, w, sums + first / column_panel, column_panels);
        wait_for_team(team);
        Sum residuals[most_column_rows];
        for (std::size_t i = 0; i < run.rows; ++i) {
            carry_tree<Sum> row;
            for (std::size_t c = 0; c < column_panels; ++c) row.push(sums[i * column_panels + c]);
            residuals[i] = reference::minus(row.total(), run.y[i]);
            squares = reference::add_square(squares, residuals[i]);
        }
        kernels.update_columns(run, first, last, residuals, partial);
    }

    square_t<Sum> sum_panel(Sum* partial) noexcept {
        square_t<Sum> squares{};
        std::size_t in_panel = rows_left < row_panel ? rows_left : row_panel;
        rows_left -= in_panel;
        for (std::size_t j = 0; j < vectors() * lane_count<Sum>; ++j) partial[first + j] = Sum{};
        while (in_panel != 0) {
            const row_run<T> run = take_rows(rows, cursor, in_panel < block_rows ? in_panel : block_rows);
            add_block(run, partial, squares);
            in_panel -= run.rows;
        }
        return squares;
    }

    bool sum_at_once(std::size_t panels, Sum* partial, square_t<Sum>& squares) noexcept {
        if (panels == 1) squares = sum_panel(partial);
        return panels == 1;
    }

    void join(Sum* older, const Sum* newer) const noexcept { kernels.merge(older + first, newer + first, vectors()); }
};

} // namespace

template <class Sum>
layout plan_columns(std::size_t column_panels, layout need, gradient_plan<Sum>& plan) noexcept {
    plan.column_tree = need.add<Sum>(saturating_product(levels_of(plan.partition.panels) + 1, plan.partial_size));
    plan.column_sums = need.add<Sum>(saturating_product(2 * most_column_rows, column_panels));
    return need;
}

template <class T, class Sum>
gradient_result<T> gradient_by_columns(const row_data<T>& data, const T* w, const gradient_plan<Sum>& plan,
                                       const sum_kernels<T, Sum>& kernels, const scratch& memory, T* grad) noexcept {
    const std::size_t features = data.rows.features;
    const std::size_t column_panels = (features - 1) / column_panel + 1;
    Sum* tree = memory.at<Sum>(plan.column_tree);
    Sum* sums = memory.at<Sum>(plan.column_sums);
    const auto n = static_cast<scalar_t<Sum>>(plan.partition.rows);
    std::atomic<bool> finite{true};
    square_t<Sum> squares{};

    gradient_result<T> result;
    result.team = for_each_thread(plan.team.threads, [&](std::size_t thread, std::size_t team) {
        const auto edge = [&](std::size_t part) {
            const std::size_t column = column_panels * part / team * column_panel;
            return column < features ? column : features;
        };
        const std::size_t part_bytes = ((column_panels - 1) / team + 1) * column_panel * sizeof(T);
        column_walk<T, Sum> walk{data.rows,
                                 w,
                                 kernels,
                                 plan.partial_size,
                                 column_panels,
                                 edge(thread),
                                 edge(thread + 1),
                                 rows_at_once(part_bytes),
                                 team,
                                 {sums, sums + most_column_rows * column_panels},
                                 plan.partition.rows};
        const square_t<Sum> own = sum_panels(walk, plan.partition.panels, tree, tree + plan.partial_size);
        if (thread == 0) squares = own;
        if (!kernels.finish(tree, 1, plan.partial_size, n, walk.first, walk.last, grad)) finite = false;
    });
    result.finite = finite;
    result.mse = reference::divide<T>(squares, static_cast<double>(plan.partition.rows));
    return result;
}

template layout plan_columns(std::size_t, layout, gradient_plan<float>&) noexcept;
template layout plan_columns(std::size_t, layout, gradient_plan<double>&) noexcept;
template layout plan_columns(std::size_t, layout, gradient_plan<double_double>&) noexcept;
template gradient_result<float> gradient_by_columns(const row_data<float>&, const float*, const gradient_plan<float>&,
                                                    const sum_kernels<float, float>&, const scratch&, float*) noexcept;
template gradient_result<float> gradient_by_columns(const row_data<float>&, const float*, const gradient_plan<double>&,
                                                    const sum_kernels<float, double>&, const scratch&, float*) noexcept;
template gradient_result<double> gradient_by_columns(const row_data<double>&, const double*,
                                                     const gradient_plan<double>&, const sum_kernels<double, double>&,
                                                     const scratch&, double*) noexcept;
template gradient_result<double> gradient_by_columns(const row_data<double>&, const double*,
                                                     const gradient_plan<double_double>&,
                                                     const sum_kernels<double, double_double>&, const scratch&,
                                                     double*) noexcept;

} // namespace bitstep::internal
