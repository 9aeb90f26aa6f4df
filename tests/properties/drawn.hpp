// SPDX-License-Identifier: Apache-2.0
// What the property tests draw with RapidCheck: shapes around every edge of the kernels' forms, cuts of rows into shards,
// accumulate modes, teams. Numbers come from a drawn seed (support/generator.hpp), so that a failing case shrinks to a small
// shape and not to small numbers. Every property compares bits, on each runnable kernel set, each with a team of its own.
//
// CTest runs a fixed seed (CMakeLists.txt); by hand each run draws others, and a failure prints its seed.
#pragma once

#include "support/arch_threads.hpp"
#include "support/bitwise.hpp"
#include "support/problem.hpp"
#include "support/state.hpp"
#include "support/typed.hpp"
#include "support/workers.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

/// How RapidCheck shows what it drew.
namespace bitstep {
inline void showValue(accumulate_mode mode, std::ostream& out) { out << bitstep_test::mode_name(mode); }
} // namespace bitstep

namespace bitstep_test {

inline const char* kind_name(data_kind kind) {
    switch (kind) { // no default: the compiler tells when a kind is added
    case data_kind::uniform:
        return "uniform";
    case data_kind::usual:
        return "usual";
    case data_kind::integers:
        return "integers";
    case data_kind::spread:
        return "spread";
    case data_kind::tiny:
        return "tiny";
    case data_kind::denormal:
        return "denormal";
    case data_kind::zeros:
        return "zeros";
    case data_kind::special:
        return "special";
    }
    return "?";
}
inline void showValue(data_kind kind, std::ostream& out) { out << kind_name(kind); }

/// `property` holds for a hundred cases; a case draws for itself. Some of them must have had a team.
template <class Property>
void holds(const std::string& name, Property property) {
    teams_seen.asked = true;
    EXPECT_TRUE(rc::check(name, property)) << "the seed stands in the first line";
}

template <class T>
void require_same_bits(const std::vector<T>& got, const std::vector<T>& want) {
    const testing::AssertionResult same = same_bits(got, want);
    if (!same) RC_FAIL(std::string(same.message()));
}

/// Over the whole range from the first case on: by itself RapidCheck begins with a hundredth of it.
template <class T>
rc::Gen<T> any_in_range(T least, T end) {
    return rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(least, end));
}
inline std::size_t draw_between(std::size_t least, std::size_t most) { return *any_in_range(least, most + 1); }
/// Not shrunk: no seed is simpler than another.
inline std::uint64_t draw_seed() { return *rc::gen::noShrink(any_in_range<std::uint64_t>(0, 1U << 30U)); }
inline bitstep::accumulate_mode draw_mode() {
    return *rc::gen::element(bitstep::accumulate_mode::native, bitstep::accumulate_mode::wide);
}
/// Numbers that neither over- nor underflow in sums of products.
inline data_kind draw_kind() { return *rc::gen::element(data_kind::usual, data_kind::spread, data_kind::integers); }

/// Narrow rows, short rows, and one or two around every power of two: lanes, unrolled vectors, column panels, columns shared
/// by threads (from 8192 on).
inline std::size_t draw_features() {
    const auto around =
        rc::gen::map(rc::gen::pair(any_in_range(2U, 14U), any_in_range(0, 5)), [](std::pair<unsigned, int> drawn) {
            return (std::size_t{1} << drawn.first) + static_cast<std::size_t>(drawn.second) - 2;
        });
    return *rc::gen::oneOf(any_in_range<std::size_t>(1, 40), any_in_range<std::size_t>(1, 700), around);
}

/// As many rows as make subtrees of several panels where rows are narrow, and a quick test where they are long; in one case
/// of five as many numbers as make tasks for several threads of predict.
inline std::size_t draw_rows(std::size_t features, std::size_t most = 4000) {
    const std::size_t numbers = *rc::gen::weightedElement<std::size_t>({{4, 30000}, {1, 300000}});
    const std::size_t limit = std::max<std::size_t>(3, std::min<std::size_t>(most, numbers / features));
    const auto around_panels = rc::gen::map(any_in_range<std::size_t>(0, 3 * (limit / 64) + 1), [=](std::size_t k) {
        return std::clamp<std::size_t>(k / 3 * 64 + k % 3, 2, limit) - 1;
    });
    return *rc::gen::oneOf(any_in_range<std::size_t>(1, limit + 1), around_panels);
}

template <class T>
dense_problem<T> draw_problem(data_kind kind, std::size_t most_rows = 4000) {
    const std::size_t features = draw_features();
    const std::size_t rows = draw_rows(features, most_rows);
    return make_problem<T>(draw_seed(), rows, features, kind);
}

/// A problem's rows in up to eight buffers of their own, some of them empty, each with its own addresses and stride.
template <class T>
class drawn_shards {
public:
    explicit drawn_shards(const dense_problem<T>& of) : features_(of.features) {
        std::vector<std::size_t> cuts(draw_between(0, 7));
        for (std::size_t& cut : cuts) cut = draw_between(0, of.rows);
        std::sort(cuts.begin(), cuts.end());
        cuts.push_back(of.rows);
        std::size_t first = 0;
        for (const std::size_t cut : cuts) {
            placed_.push_back(
                std::make_unique<placed_shard<T>>(of, first, cut - first, layout::numbered(draw_between(0, 30))));
            views_.push_back(cut == first ? bitstep::shard_view<T>{} : placed_.back()->view());
            first = cut;
        }
    }
    bitstep::row_sequence<T> rows() const { return {views_.data(), views_.size(), features_}; }

private:
    std::size_t features_;
    std::vector<std::unique_ptr<placed_shard<T>>> placed_;
    std::vector<bitstep::shard_view<T>> views_;
};

/// body(opts) for each runnable kernel set, with a drawn team.
template <class Body>
void on_every_arch(bitstep::accumulate_mode mode, Body body) {
    for (const bitstep::arch which : runnable_archs()) {
        bitstep::run_report report;
        bitstep::options opts =
            forced(which, *rc::gen::elementOf(std::vector<int>(std::begin(team_sizes), std::end(team_sizes))), mode);
        opts.report = &report;
        body(opts);
        teams_seen.largest = std::max(teams_seen.largest, report.threads);
    }
}

/// Elements of the elementwise stages: mostly few, in one case of five enough for tasks of several threads.
inline std::size_t draw_size() {
    return *rc::gen::weightedOneOf<std::size_t>(
        {{4, any_in_range<std::size_t>(1, 3000)}, {1, any_in_range<std::size_t>(32769, 150000)}});
}

/// Gradient and mean squared error, at addresses that are drawn.
template <class T>
std::vector<T> gradient_of(const dense_problem<T>& on, const bitstep::options& opts) {
    return run_gradient(placed_problem<T>(on, layout::numbered(draw_between(0, 30))), opts);
}
template <class T>
std::vector<T> predict_of(const dense_problem<T>& on, const bitstep::options& opts) {
    return run_predict(placed_problem<T>(on, layout::numbered(draw_between(0, 30))), opts);
}
template <class T>
std::vector<T> residual_of(const dense_problem<T>& on, const bitstep::options& opts) {
    return run_residual(placed_problem<T>(on, layout::numbered(draw_between(0, 30))), opts);
}

/// What the three verbs over rows give for one problem.
template <class T>
struct row_results {
    std::vector<T> predicted;
    std::vector<T> residual;
    std::vector<T> gradient; ///< and the mean squared error
};
template <class T>
row_results<T> results_of(const dense_problem<T>& on, const bitstep::options& opts) {
    return {predict_of(on, opts), residual_of(on, opts), gradient_of(on, opts)};
}
template <class T>
void require_same_results(const row_results<T>& got, const row_results<T>& want) {
    require_same_bits(got.predicted, want.predicted);
    require_same_bits(got.residual, want.residual);
    require_same_bits(got.gradient, want.gradient);
}

/// values[i] * 2^exponent
template <class T>
std::vector<T> scaled(std::vector<T> values, int exponent) {
    for (T& value : values) value = value * power_of_two<T>(exponent);
    return values;
}
/// -values[i], but +0 stays: no sum is ever -0.
template <class T>
std::vector<T> negated(std::vector<T> values) {
    for (T& value : values) value = T(0) - value;
    return values;
}
/// A random order of 0 ... count - 1.
inline std::vector<std::size_t> draw_order(std::size_t count) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    split_mix64 random(draw_seed());
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.index(i)]);
    return order;
}
template <class T>
std::vector<T> in_order(const std::vector<T>& values, const std::vector<std::size_t>& order) {
    std::vector<T> moved;
    for (const std::size_t from : order) moved.push_back(values[from]);
    return moved;
}

} // namespace bitstep_test
