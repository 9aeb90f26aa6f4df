// SPDX-License-Identifier: Apache-2.0
// A linear regression problem as plain numbers (dense_problem), and the same numbers laid out in memory as a caller
// might: at odd addresses, with padding between rows that holds NaN (placed_problem). Also one-line calls of the stages
// that return their result as a vector, so that a test is one comparison.
#pragma once

#include "buffers.hpp"
#include "generator.hpp"

#include <bitstep/bitstep.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace bitstep_test {

template <class T>
struct dense_problem {
    std::size_t rows = 0;
    std::size_t features = 0;
    std::vector<T> x; ///< rows x features
    std::vector<T> y;
    std::vector<T> w;
};

template <class T>
dense_problem<T> make_problem(std::uint64_t seed, std::size_t rows, std::size_t features, data_kind kind) {
    split_mix64 random(seed);
    dense_problem<T> made{rows, features, {}, {}, {}};
    made.x = draw_many<T>(random, rows * features, kind);
    made.y = draw_many<T>(random, rows, kind);
    made.w = draw_many<T>(random, features, kind);
    return made;
}

/// Where the arrays stand: elements past a 64-byte line, and elements between the rows of X.
struct layout {
    std::size_t x = 0;
    std::size_t y = 0;
    std::size_t w = 0;
    std::size_t out = 0;
    std::size_t padding = 0;

    /// The k-th of a sequence that soon visits every offset of every array, and dense and padded rows.
    static layout numbered(std::size_t k) { return {k, 3 * k + 1, 5 * k + 2, 7 * k + 3, (k % 3 == 0) ? 0 : k % 5}; }
};

/// Rows [first, first + count) of a problem in a buffer of their own.
template <class T>
class placed_shard {
public:
    placed_shard(const dense_problem<T>& from, std::size_t first, std::size_t count, const layout& where)
        : stride_(from.features + where.padding),
          x_(std::vector<T>(count * stride_, std::numeric_limits<T>::quiet_NaN()), where.x), y_(count, where.y) {
        for (std::size_t i = 0; i < count; ++i) {
            std::copy_n(&from.x[(first + i) * from.features], from.features, x_.data() + i * stride_);
            y_[i] = from.y[first + i];
        }
    }

    bitstep::shard_view<T> view() const { return {x_.data(), y_.data(), y_.size(), stride_}; }

private:
    std::size_t stride_;
    misaligned_buffer<T> x_;
    misaligned_buffer<T> y_;
};

template <class T>
class placed_problem {
public:
    placed_problem(const dense_problem<T>& from, const layout& where)
        : features_(from.features), out_offset_(where.out), shard_(from, 0, from.rows, where), w_(from.w, where.w),
          view_(shard_.view()) {}

    bitstep::matrix_view<const T> x() const { return {view_.x, view_.rows, features_, view_.row_stride}; }
    bitstep::vector_view<const T> y() const { return {view_.y, view_.rows}; }
    bitstep::vector_view<const T> w() const { return {w_.data(), w_.size()}; }
    bitstep::row_sequence<T> rows() const { return {&view_, 1, features_}; }
    std::size_t row_count() const { return view_.rows; }
    std::size_t features() const { return features_; }
    std::size_t out_offset() const { return out_offset_; }

private:
    std::size_t features_;
    std::size_t out_offset_;
    placed_shard<T> shard_;
    misaligned_buffer<T> w_;
    bitstep::shard_view<T> view_;
};

/// One problem at ever other addresses. A large one is moved once only: copying it would cost more than the test.
template <class T>
class wandering_problem {
public:
    wandering_problem(const dense_problem<T>& from, std::size_t number) : from_(from), number_(number) {}

    const placed_problem<T>& next() {
        constexpr std::size_t large = std::size_t{1} << 18U;
        if (placed_ == nullptr || from_.x.size() < large) {
            placed_ = std::make_unique<placed_problem<T>>(from_, layout::numbered(number_++));
        }
        return *placed_;
    }

private:
    const dense_problem<T>& from_;
    std::size_t number_;
    std::unique_ptr<placed_problem<T>> placed_;
};

inline void expect_ok(const bitstep::status& result) { EXPECT_TRUE(result.ok()) << result.message(); }

/// The gradient's d elements, then the mean squared error.
template <class T>
std::vector<T> run_gradient(const bitstep::row_sequence<T>& rows, bitstep::vector_view<const T> w,
                            const bitstep::options& opts, std::size_t out_offset = 0) {
    misaligned_buffer<T> out(rows.features + 1, out_offset);
    expect_ok(bitstep::gradient<T>(rows, w, {out.data(), rows.features}, out.data() + rows.features, opts));
    EXPECT_TRUE(out.marks_intact()) << "gradient wrote outside its output";
    return out.values();
}

template <class T>
std::vector<T> run_gradient(const placed_problem<T>& on, const bitstep::options& opts) {
    return run_gradient<T>(on.rows(), on.w(), opts, on.out_offset());
}

template <class T>
std::vector<T> run_predict(const placed_problem<T>& on, const bitstep::options& opts) {
    misaligned_buffer<T> out(on.row_count(), on.out_offset());
    expect_ok(bitstep::predict<T>(on.x(), on.w(), {out.data(), out.size()}, opts));
    EXPECT_TRUE(out.marks_intact()) << "predict wrote outside its output";
    return out.values();
}

template <class T>
std::vector<T> run_residual(const placed_problem<T>& on, const bitstep::options& opts) {
    misaligned_buffer<T> out(on.row_count(), on.out_offset());
    expect_ok(bitstep::residual<T>(on.x(), on.y(), on.w(), {out.data(), out.size()}, opts));
    EXPECT_TRUE(out.marks_intact()) << "residual wrote outside its output";
    return out.values();
}

} // namespace bitstep_test
