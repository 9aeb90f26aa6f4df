// SPDX-License-Identifier: Apache-2.0
// Stage 4: threads take subtrees of row panels; kernels/gradient-inl.hpp does the arithmetic of a panel.
#include "gradient.hpp"

#include "column_split.hpp"
#include "double_double.hpp"
#include "kernels/carry_tree.hpp"
#include "panel_tree.hpp"
#include "parallel.hpp"
#include "reference/gradient.hpp"
#include "reference/scalar.hpp"
#include "row_cursor.hpp"

#include <atomic>

namespace bitstep::internal {
namespace {

/// One thread inside one subtree.
template <class T, class Sum>
struct subtree_walk {
    const row_sequence<T>& rows;
    const T* w;
    const sum_kernels<T, Sum>& kernels;
    std::size_t partial_size;
    bool far;              ///< X comes from memory
    std::size_t rows_left; ///< in the whole sequence, from the cursor on
    row_cursor cursor;

    /// partial = sum over one panel's rows, in order; returns their squares' sum.
    square_t<Sum> sum_panel(Sum* partial) noexcept {
        square_t<Sum> squares{};
        std::size_t in_panel = rows_left < row_panel ? rows_left : row_panel;
        rows_left -= in_panel;
        for (bool first = true; in_panel != 0; first = false) {
            const row_run<T> run = take_rows(rows, cursor, in_panel, far);
            kernels.accumulate(run, rows.features, w, first, partial, squares);
            in_panel -= run.rows;
        }
        return squares;
    }

    /// The next lane_count panels at once, where they are narrow, whole and end to end; false: nothing was done.
    bool sum_narrow(Sum* partial, square_t<Sum>& squares) noexcept {
        constexpr std::size_t taken = lane_count<Sum> * row_panel;
        if (rows.features > most_narrow_features<Sum> || rows_left < taken) return false;
        while (cursor.row == rows.shards[cursor.shard].rows) cursor = {cursor.shard + 1, 0};
        const shard_view<T>& s = rows.shards[cursor.shard];
        const std::size_t in_shard = s.rows - cursor.row;
        if (s.row_stride != rows.features || in_shard < taken) return false;
        kernels.narrow(s.x + cursor.row * s.row_stride, s.y + cursor.row, rows.features, w, in_shard >= 2 * taken,
                       partial, squares);
        cursor.row += taken;
        rows_left -= taken;
        return true;
    }

    bool sum_at_once(std::size_t panels, Sum* partial, square_t<Sum>& squares) noexcept {
        if (panels == lane_count<Sum> && sum_narrow(partial, squares)) return true;
        if (panels == 1) squares = sum_panel(partial);
        return panels == 1;
    }

    void join(Sum* older, const Sum* newer) const noexcept {
        kernels.merge(older, newer, partial_size / lane_count<Sum>);
    }
};

template <class T, class Sum>
bool finish_gradient(const gradient_plan<Sum>& plan, const sum_kernels<T, Sum>& kernels, const Sum* partials,
                     std::size_t features, T* grad) noexcept {
    const auto n = static_cast<scalar_t<Sum>>(plan.partition.rows);
    const std::size_t bytes = plan.partition.subtrees * plan.partial_size * sizeof(Sum);
    // A team costs more than this loop where the partials fit one core's cache.
    const team_choice asked = plan.team.unless(bytes < core_cache_bytes);
    constexpr std::size_t columns = 2048; // per task: a multiple of the lanes, few enough for two threads at d = 4096
    std::atomic<bool> finite{true};
    for_each_task(asked, (features - 1) / columns + 1, [&](int, std::size_t task) {
        const std::size_t first = task * columns;
        const std::size_t last = features - first < columns ? features : first + columns;
        if (!kernels.finish(partials, plan.partition.subtrees, plan.partial_size, n, first, last, grad)) finite = false;
    });
    return finite;
}

/// Rows or columns for each thread. By columns where subtrees of rows are fewer than threads; for rows above
/// core_cache_bytes also where they are too few to share evenly. Four column panels a thread at least: each block of
/// rows waits for all threads.
/// More threads never turn it off, so that a workspace for many does for fewer.
template <class T, class Sum>
void choose_way(std::size_t features, gradient_plan<Sum>& plan) noexcept {
    if (plan.team.parallel_for != nullptr) return; // its tasks cannot wait for one another
    const auto team = static_cast<std::size_t>(plan.team.threads);
    const std::size_t shares = ((features - 1) / column_panel + 1) / 4;
    const std::size_t useful = team < shares ? team : shares;
    const std::size_t enough = features * sizeof(T) > core_cache_bytes ? 4 * useful : useful;
    plan.by_columns = useful > 1 && plan.partition.subtrees < enough;
    if (plan.by_columns) plan.team.threads = static_cast<int>(useful);
}

/// Scratch of the rows' way, `threads` at most.
template <class Sum>
layout plan_rows(std::size_t threads, layout need, gradient_plan<Sum>& plan) noexcept {
    const std::size_t subtrees = plan.partition.subtrees;
    const std::size_t trees = saturating_product(threads < subtrees ? threads : subtrees, plan.partition.levels);
    plan.partials = need.add<Sum>(saturating_product(subtrees, plan.partial_size));
    plan.squares = need.add<square_t<Sum>>(subtrees);
    plan.tree = need.add<Sum>(saturating_product(trees, plan.partial_size));
    return need;
}

} // namespace

template <class T, class Sum>
status plan_gradient(std::size_t rows, std::size_t features, const options& opts, arch which, layout& need,
                     gradient_plan<Sum>& plan) noexcept {
    plan.which = which;
    plan.partition = partition_rows(rows, features <= most_narrow_features<Sum> ? lane_count<Sum> : 1);
    constexpr std::size_t lanes = lane_count<Sum>;
    plan.partial_size = (features / lanes + (features % lanes != 0 ? 1 : 0)) * lanes;
    const std::size_t bytes = saturating_product(saturating_product(rows, features), sizeof(T));
    const std::size_t subtrees = plan.partition.subtrees;
    const std::size_t column_panels = (features - 1) / column_panel + 1;
    const status chosen =
        choose_threads(opts, which, bytes, subtrees > column_panels ? subtrees : column_panels, plan.team);
    if (!chosen.ok()) return chosen;
    plan.gradient = need.add<T>(features);
    if (which == arch::reference) {
        plan.tree = need.add<Sum>(reference::gradient_scratch(plan.partition, plan.partial_size));
        return {};
    }
    const auto team = static_cast<std::size_t>(plan.team.threads);
    plan.far = bytes > far_bytes;
    choose_way<T>(features, plan);
    // A workspace for many threads must do for fewer, which may share the rows instead.
    const layout by_rows = plan_rows(team, need, plan);
    need = plan.by_columns ? larger(by_rows, plan_columns(column_panels, need, plan)) : by_rows;
    return {};
}

template <class T, class Sum>
gradient_result<T> compute_gradient(const row_data<T>& data, const T* w, const gradient_plan<Sum>& plan,
                                    const scratch& memory, T* grad) noexcept {
    if (plan.which == arch::reference) {
        return reference::gradient<T, Sum>(data, w, memory.at<Sum>(plan.tree), plan.partial_size, grad);
    }
    const sum_kernels<T, Sum>& kernels = sums_of<T, Sum>(table_of<T>(*kernels_for(plan.which)));
    if (plan.by_columns) return gradient_by_columns(data, w, plan, kernels, memory, grad);
    const row_partition& p = plan.partition;
    Sum* partials = memory.at<Sum>(plan.partials);
    auto* squares = memory.at<square_t<Sum>>(plan.squares);
    Sum* tree = memory.at<Sum>(plan.tree);

    gradient_result<T> result;
    result.team = for_each_task(plan.team, p.subtrees, [&](int thread, std::size_t subtree) {
        const std::size_t first_panel = subtree * p.subtree_panels;
        const std::size_t first_row = first_panel * row_panel;
        const std::size_t panels =
            p.panels - first_panel < p.subtree_panels ? p.panels - first_panel : p.subtree_panels;
        subtree_walk<T, Sum> walk{
            data.rows, w, kernels, plan.partial_size, plan.far, p.rows - first_row, cursor_at(data.rows, first_row)};
        Sum* levels = tree + static_cast<std::size_t>(thread) * p.levels * plan.partial_size;
        squares[subtree] = sum_panels(walk, panels, partials + subtree * plan.partial_size, levels);
    });

    result.finite = finish_gradient(plan, kernels, partials, data.rows.features, grad);
    carry_tree<square_t<Sum>> total;
    for (std::size_t i = 0; i < p.subtrees; ++i) total.push(squares[i]);
    result.mse = reference::divide<T>(total.total(), static_cast<double>(p.rows));
    return result;
}

template status plan_gradient<float>(std::size_t, std::size_t, const options&, arch, layout&,
                                     gradient_plan<float>&) noexcept;
template status plan_gradient<float>(std::size_t, std::size_t, const options&, arch, layout&,
                                     gradient_plan<double>&) noexcept;
template status plan_gradient<double>(std::size_t, std::size_t, const options&, arch, layout&,
                                      gradient_plan<double>&) noexcept;
template status plan_gradient<double>(std::size_t, std::size_t, const options&, arch, layout&,
                                      gradient_plan<double_double>&) noexcept;
template gradient_result<float> compute_gradient(const row_data<float>&, const float*, const gradient_plan<float>&,
                                                 const scratch&, float*) noexcept;
template gradient_result<float> compute_gradient(const row_data<float>&, const float*, const gradient_plan<double>&,
                                                 const scratch&, float*) noexcept;
template gradient_result<double> compute_gradient(const row_data<double>&, const double*, const gradient_plan<double>&,
                                                  const scratch&, double*) noexcept;
template gradient_result<double> compute_gradient(const row_data<double>&, const double*,
                                                  const gradient_plan<double_double>&, const scratch&,
                                                  double*) noexcept;

} // namespace bitstep::internal
