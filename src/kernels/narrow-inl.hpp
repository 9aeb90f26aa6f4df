// SPDX-License-Identifier: Apache-2.0
// The fused pair for rows of few features, as many row panels at once as a logical vector has lanes: lane p works on panel
// p, so that no lane idles and no addition waits for the one before it. X is transposed on its way, in squares of lanes by
// lanes elements. Every sum is that of gradient-inl.hpp: what was lane l of a dot product is vector l here.
// (float, d = 8, one thread: 15 GB/s, and 1.3 row by row; docs/performance.md.)
#pragma once

#include "kernels/arithmetic.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/prefetch.hpp"

namespace bitstep::internal {
namespace {

/// What lane `Lane` of a row's dot product, folded with the lanes a multiple of `Width` above it, is worth in every panel.
/// Lanes beyond the features would add +0, which can change the sign of a zero alone.
template <class A, std::size_t Width, std::size_t Lane>
BITSTEP_INLINE typename A::vector narrow_dot(const typename A::vector* x, const typename A::vector* w,
                                             std::size_t features) {
    if constexpr (Width == A::lane_total) {
        // Without the contract's "+0 +": it decides the sign of a zero alone, and r = dot - y takes any zero to the
        // same sums.
        return x[Lane] * w[Lane];
    } else {
        typename A::vector s = narrow_dot<A, 2 * Width, Lane>(x, w, features);
        if (Lane + Width < features) s = s + narrow_dot<A, 2 * Width, Lane + Width>(x, w, features);
        return s;
    }
}

/// The balanced tree over the panels of one vector: neighbours join, older on the left.
template <class V, std::size_t n>
BITSTEP_INLINE V join_neighbours(V (&all)[n]) {
    for (std::size_t apart = 1; apart < n; apart *= 2) {
        for (std::size_t i = 0; i < n; i += 2 * apart) all[i] = all[i] + all[i + apart];
    }
    return all[0];
}

/// squares += r r in every panel, in double.
template <class A>
BITSTEP_INLINE void add_squares(const typename A::vector& r, lanes<double, typename A::arch>* squares) {
    using doubles = lanes<double, typename A::arch>;
    if constexpr (sizeof(typename A::sum) == sizeof(double)) {
        squares[0] = squares[0] + r * r;
    } else {
        alignas(vector_bytes) typename A::sum all[A::lane_total];
        r.store(all);
        for (std::size_t i = 0; i < A::lane_total / doubles::count; ++i) {
            const doubles wide = load_widened<typename A::arch>(all + i * doubles::count);
            squares[i] = squares[i] + wide * wide;
        }
    }
}

/// `count` vectors from one square after another: vector e holds element `first + e` of each panel.
template <class A>
BITSTEP_INLINE void transpose_panels(const typename A::value* first, std::size_t panel_stride, std::size_t count,
                                     const char* next, typename A::vector* out) {
    constexpr std::size_t n = A::lane_total;
    constexpr std::size_t square_bytes = n * n * sizeof(typename A::value);
    for (std::size_t e = 0; e < count; e += n) {
        typename A::vector square[n];
        for (std::size_t p = 0; p < n; ++p) {
            square[p] = A::load(first + p * panel_stride + e);
        }
        if (next != nullptr) {
            for (std::size_t at = 0; at < square_bytes; at += vector_bytes) prefetch(next + at);
            next += square_bytes;
        }
        transpose(square);
        for (std::size_t i = 0; i < n; ++i) out[e + i] = square[i];
    }
}

/// lane_total whole panels of rows that lie end to end, joined by the tree. `more`: as many rows again follow.
template <class A>
void narrow(const typename A::value* x, const typename A::value* y, std::size_t features, const typename A::value* w,
            bool more, typename A::sum* partial, square_t<typename A::sum>& squares) {
    using vector = typename A::vector;
    using doubles = lanes<double, typename A::arch>;
    constexpr std::size_t n = A::lane_total;
    static_assert(row_panel % n == 0, "y is transposed in whole squares");
    constexpr std::size_t most = most_narrow_features<typename A::sum>;
    vector w_all[most];
    vector sums[most];
    for (std::size_t j = 0; j < features; ++j) {
        w_all[j] = vector(static_cast<typename A::sum>(w[j]));
        sums[j] = A::zero();
    }
    doubles square_sums[n / doubles::count];
    for (auto& s : square_sums) s = doubles(0.0);
    vector y_all[row_panel];
    transpose_panels<A>(y, row_panel, row_panel, nullptr, y_all);

    std::size_t rows = n; // at once: as few as make whole squares
    while (rows > 1 && rows / 2 * features % n == 0) rows /= 2;
    vector x_all[n * most];
    const auto* next = more ? reinterpret_cast<const char*>(x + n * row_panel * features) : nullptr;
    for (std::size_t first = 0; first < row_panel; first += rows) {
        const std::size_t at = first * features;
        transpose_panels<A>(x + at, row_panel * features, rows * features,
                            next == nullptr ? next : next + at * n * sizeof(typename A::value), x_all);
        for (std::size_t i = 0; i < rows; ++i) {
            const vector* xi = x_all + i * features;
            const vector r = narrow_dot<A, 1, 0>(xi, w_all, features) - y_all[first + i];
            add_squares<A>(r, square_sums);
            for (std::size_t j = 0; j < features; ++j) sums[j] = A::multiply_add(sums[j], xi[j], r);
        }
    }

    for (std::size_t j = 0; j < features; ++j) {
        alignas(vector_bytes) typename A::sum panels[n];
        sums[j].store(panels);
        partial[j] = join_neighbours(panels);
    }
    for (std::size_t j = features; j % n != 0; ++j) partial[j] = 0;
    alignas(vector_bytes) double panels[n];
    for (std::size_t i = 0; i < n / doubles::count; ++i) square_sums[i].store(panels + i * doubles::count);
    squares = join_neighbours(panels);
}

} // namespace
} // namespace bitstep::internal
