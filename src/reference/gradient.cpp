// SPDX-License-Identifier: Apache-2.0
// The contract of docs/numerics.md for the gradient, to be checked by hand. Mirrors ../gradient.cpp, shares no loop
// with it.
#include "reference/gradient.hpp"

#include "parallel.hpp"
#include "reference/scalar.hpp"

#include <cstdint>

namespace bitstep::internal::reference {
namespace {

/// Sums of panels: a binary counter. slot[k] holds the sum of 2^k panels while bit k of `pushed` is one.
template <class Sum>
struct panel_counter {
    Sum* slots;
    std::size_t size;
    square_t<Sum> squares[64];
    std::uint64_t pushed = 0;

    /// newer = slot[level] + newer
    void join(std::size_t level, Sum* newer, square_t<Sum>& newer_squares) noexcept {
        const Sum* older = slots + level * size;
        for (std::size_t j = 0; j < size; ++j) newer[j] = older[j] + newer[j];
        newer_squares = squares[level] + newer_squares;
    }

    void push(Sum* panel, square_t<Sum> panel_squares) noexcept {
        std::size_t level = 0;
        for (; (pushed >> level & 1U) != 0; ++level) join(level, panel, panel_squares);
        for (std::size_t j = 0; j < size; ++j) slots[level * size + j] = panel[j];
        squares[level] = panel_squares;
        ++pushed;
    }

    /// What is left joins newest first; the total is in `panel`.
    square_t<Sum> total(Sum* panel) noexcept {
        std::size_t level = 0;
        while ((pushed >> level & 1U) == 0) ++level;
        for (std::size_t j = 0; j < size; ++j) panel[j] = slots[level * size + j];
        square_t<Sum> sum = squares[level];
        for (++level; level < 64; ++level) {
            if ((pushed >> level & 1U) != 0) join(level, panel, sum);
        }
        return sum;
    }
};

} // namespace

std::size_t gradient_scratch(const row_partition& partition, std::size_t partial_size) noexcept {
    std::size_t bits = 0;
    for (std::size_t n = partition.panels; n != 0; n /= 2) ++bits;
    return saturating_product(bits + 1, partial_size);
}

template <class T, class Sum>
gradient_result<T> gradient(const row_data<T>& data, const T* w, Sum* scratch, std::size_t partial_size,
                            T* grad) noexcept {
    const std::size_t d = data.rows.features;
    Sum* panel = scratch;
    panel_counter<Sum> counter{scratch + partial_size, d, {}, 0};
    square_t<Sum> squares{};
    std::size_t in_panel = 0;
    for (std::size_t i = 0; i < data.rows.shard_count; ++i) {
        const shard_view<T>& s = data.rows.shards[i];
        for (std::size_t row = 0; row < s.rows; ++row) {
            const T* x = s.x + row * s.row_stride;
            const Sum r = minus(dot<Sum>(x, w, d), s.y[row]);
            if (in_panel == 0) {
                for (std::size_t j = 0; j < d; ++j) panel[j] = Sum{};
                squares = {};
            }
            for (std::size_t j = 0; j < d; ++j) panel[j] = add_update(panel[j], x[j], r);
            squares = add_square(squares, r);
            if (++in_panel == row_panel) {
                counter.push(panel, squares);
                in_panel = 0;
            }
        }
    }
    if (in_panel != 0) counter.push(panel, squares);

    squares = counter.total(panel);
    gradient_result<T> result;
    const auto n = static_cast<scalar_t<Sum>>(data.total);
    for (std::size_t j = 0; j < d; ++j) {
        grad[j] = divide<T>(twice(panel[j]), n);
        if (!(grad[j] - grad[j] == 0)) result.finite = false;
    }
    result.mse = divide<T>(squares, static_cast<double>(data.total));
    return result;
}

template gradient_result<float> gradient(const row_data<float>&, const float*, float*, std::size_t, float*) noexcept;
template gradient_result<float> gradient(const row_data<float>&, const float*, double*, std::size_t, float*) noexcept;
template gradient_result<double> gradient(const row_data<double>&, const double*, double*, std::size_t,
                                          double*) noexcept;
template gradient_result<double> gradient(const row_data<double>&, const double*, double_double*, std::size_t,
                                          double*) noexcept;

} // namespace bitstep::internal::reference
