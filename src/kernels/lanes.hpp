// SPDX-License-Identifier: Apache-2.0
// The 64-byte logical vector: the one place that knows how many registers it takes. One AVX-512, two AVX, four SSE or
// NEON registers behave as the same 16 float or 8 double lanes.
// Before: registers.hpp, shuffle.hpp. Next: arithmetic.hpp.
// Only correctly rounded single operations appear here: no fma, reduce, rsqrt or reciprocal.
#pragma once

#include "inline.hpp"
#include "kernels/registers.hpp"
#include "kernels/shuffle.hpp"
#include "numerics.hpp"

namespace bitstep::internal {
namespace {

/// Lanes fold by halves: l with l + n/2, then n/4, ... The caller has stored them to `all`.
template <class Sum, std::size_t n>
BITSTEP_INLINE Sum fold_halves(Sum (&all)[n]) {
    for (std::size_t half = n / 2; half > 0; half /= 2) {
        for (std::size_t l = 0; l < half; ++l) all[l] = all[l] + all[l + half];
    }
    return all[0];
}

template <class T, class Arch>
struct lanes {
    using batch = native_register<T, Arch>;
    static constexpr std::size_t count = vector_bytes / sizeof(T);
    static constexpr std::size_t registers = count / batch::size;

    batch part[registers];

    lanes() = default;
    BITSTEP_INLINE explicit lanes(T value) {
        for (std::size_t i = 0; i < registers; ++i) part[i] = batch(value);
    }

    static BITSTEP_INLINE lanes load(const T* p) {
        lanes r;
        for (std::size_t i = 0; i < registers; ++i) r.part[i] = batch::load_unaligned(p + i * batch::size);
        return r;
    }

    /// The first n <= count elements, zeros behind them. Never reads beyond p + n.
    static BITSTEP_INLINE lanes load_first(const T* p, std::size_t n) {
        if constexpr (registers <= 2) {
            lanes r;
            for (std::size_t i = 0; i < registers; ++i) {
                const std::size_t before = i * batch::size;
                const std::size_t here = n > before ? n - before : 0;
                r.part[i] = load_masked(p + (here == 0 ? 0 : before), here < batch::size ? here : batch::size,
                                        typename batch::register_type{});
            }
            return r;
        } else {
            alignas(vector_bytes) T padded[count] = {};
            for (std::size_t i = 0; i < n; ++i) padded[i] = p[i];
            return load(padded);
        }
    }

    BITSTEP_INLINE void store(T* p) const {
        for (std::size_t i = 0; i < registers; ++i) part[i].store_unaligned(p + i * batch::size);
    }

    BITSTEP_INLINE void store_first(T* p, std::size_t n) const {
        if constexpr (registers == 1) {
            store_masked(p, n, part[0]);
        } else {
            alignas(vector_bytes) T all[count];
            store(all);
            for (std::size_t i = 0; i < n; ++i) p[i] = all[i];
        }
    }

    friend BITSTEP_INLINE lanes operator+(const lanes& a, const lanes& b) {
        lanes r;
        for (std::size_t i = 0; i < registers; ++i) r.part[i] = a.part[i] + b.part[i];
        return r;
    }
    friend BITSTEP_INLINE lanes operator-(const lanes& a, const lanes& b) {
        lanes r;
        for (std::size_t i = 0; i < registers; ++i) r.part[i] = a.part[i] - b.part[i];
        return r;
    }
    friend BITSTEP_INLINE lanes operator*(const lanes& a, const lanes& b) {
        lanes r;
        for (std::size_t i = 0; i < registers; ++i) r.part[i] = a.part[i] * b.part[i];
        return r;
    }
    friend BITSTEP_INLINE lanes operator/(const lanes& a, const lanes& b) {
        lanes r;
        for (std::size_t i = 0; i < registers; ++i) r.part[i] = divide(a.part[i], b.part[i]);
        return r;
    }
    friend BITSTEP_INLINE lanes square_root(const lanes& a) {
        lanes r;
        for (std::size_t i = 0; i < registers; ++i) r.part[i] = square_root(a.part[i]);
        return r;
    }
    /// Per lane: e, or +0 where e is NaN or infinite.
    friend BITSTEP_INLINE lanes finite_or_zero(const lanes& e) {
        lanes r;
        const batch zero(T(0));
        for (std::size_t i = 0; i < registers; ++i) {
            r.part[i] = choose(e.part[i] - e.part[i] == zero, e.part[i], zero);
        }
        return r;
    }
    /// Per lane: b where it is below a, else a; a where b is NaN.
    friend BITSTEP_INLINE lanes lesser(const lanes& a, const lanes& b) {
        lanes r;
        for (std::size_t i = 0; i < registers; ++i) {
            r.part[i] = choose(b.part[i] < a.part[i], b.part[i], a.part[i]);
        }
        return r;
    }
    /// False for NaN.
    friend BITSTEP_INLINE bool all_zero(const lanes& a) {
        bool zero = true;
        for (std::size_t i = 0; i < registers; ++i) zero = zero && all_of(a.part[i] == batch(T(0)));
        return zero;
    }
    friend BITSTEP_INLINE bool any_below_zero(const lanes& a) {
        bool below = false;
        for (std::size_t i = 0; i < registers; ++i) below = below || any_of(a.part[i] < batch(T(0)));
        return below;
    }
};

/// Fold by halves (l with l + count/2, and so on) of R logical vectors at once: sums[r] becomes row r's.
template <std::size_t R, class T, class Arch>
BITSTEP_INLINE void fold_lanes(const lanes<T, Arch> (&rows)[R], T (&sums)[R]) {
    using vector = lanes<T, Arch>;
    using batch = typename vector::batch;
    constexpr std::size_t blocks = batch::size * sizeof(T) / 16;
    constexpr std::size_t at_once = R < batch::size ? R : batch::size;
    if constexpr (R < blocks) {
        for (std::size_t r = 0; r < R; ++r) {
            alignas(vector_bytes) T all[vector::count];
            rows[r].store(all);
            sums[r] = fold_halves(all);
        }
    } else {
        for (std::size_t first = 0; first < R; first += at_once) {
            batch one[at_once];
            for (std::size_t r = 0; r < at_once; ++r) {
                vector v = rows[first + r];
                for (std::size_t half = vector::registers / 2; half > 0; half /= 2) {
                    for (std::size_t i = 0; i < half; ++i) v.part[i] = v.part[i] + v.part[i + half];
                }
                one[r] = v.part[0];
            }
            fold_rows<at_once, batch::size, at_once>(one);
            alignas(vector_bytes) T all[batch::size];
            one[0].store_aligned(all);
            for (std::size_t r = 0; r < at_once; ++r) sums[first + r] = all[r * (batch::size / at_once)];
        }
    }
}

/// count rows of count elements: afterwards rows[j] holds what was element j of each.
template <class Vector>
BITSTEP_INLINE void transpose(Vector (&rows)[Vector::count]) {
    constexpr std::size_t size = Vector::batch::size;
    Vector turned[Vector::count];
    for (std::size_t across = 0; across < Vector::registers; ++across) {
        for (std::size_t down = 0; down < Vector::registers; ++down) {
            typename Vector::batch square[size];
            for (std::size_t i = 0; i < size; ++i) square[i] = rows[down * size + i].part[across];
            transpose_registers(square);
            for (std::size_t i = 0; i < size; ++i) turned[across * size + i].part[down] = square[i];
        }
    }
    for (std::size_t i = 0; i < Vector::count; ++i) rows[i] = turned[i];
}

/// The first n <= 8 floats as a logical vector of doubles, zeros behind them.
template <class Arch>
BITSTEP_INLINE lanes<double, Arch> load_widened_first(const float* p, std::size_t n) {
    using wide = lanes<double, Arch>;
    wide r;
    for (std::size_t i = 0; i < wide::registers; ++i) {
        const std::size_t before = i * wide::batch::size;
        const std::size_t here = n > before ? n - before : 0;
        r.part[i] =
            widen_first<Arch>(p + (here == 0 ? 0 : before), here < wide::batch::size ? here : wide::batch::size);
    }
    return r;
}

/// Eight floats as a logical vector of doubles.
template <class Arch>
BITSTEP_INLINE lanes<double, Arch> load_widened(const float* p) {
    using wide = lanes<double, Arch>;
    wide r;
    for (std::size_t i = 0; i < wide::registers; ++i) r.part[i] = widen<Arch>(p + i * wide::batch::size);
    return r;
}

} // namespace
} // namespace bitstep::internal
