// SPDX-License-Identifier: Apache-2.0
// Proves: no verb reads or writes one element outside its arrays, on any kernel set. Every array ends exactly at, or
// starts exactly at, a page that kills the process when touched; inputs are read-only pages. X ends with the last
// element of its last row: padding behind it does not exist.
#include "support/arch_threads.hpp"
#include "support/bitwise.hpp"
#include "support/guard_pages.hpp"
#include "support/problem.hpp"
#include "support/shapes.hpp"
#include "support/state.hpp"
#include "support/typed.hpp"
#include "support/workers.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace bitstep_test {
namespace {

using bitstep::accumulate_mode;

template <class T>
class bounds_test : public testing::Test {};
TYPED_TEST_SUITE(bounds_test, element_types, element_names);

constexpr page_edge both_edges[] = {page_edge::begin, page_edge::end};

/// At a page's end an array of n elements starts at every distance from a 64-byte line as n grows, with every tail.
constexpr std::size_t longest_swept = 200;

template <class T>
std::vector<T> with_stride(const dense_problem<T>& from, std::size_t stride) {
    std::vector<T> x((from.rows - 1) * stride + from.features, std::numeric_limits<T>::quiet_NaN());
    for (std::size_t i = 0; i < from.rows; ++i) {
        std::copy_n(&from.x[i * from.features], from.features, &x[i * stride]);
    }
    return x;
}

template <class T>
std::size_t expect_inside(const dense_problem<T>& data, std::size_t padding, page_edge edge,
                          const bitstep::options& opts, const std::vector<T>& gradient,
                          const std::vector<T>& residual) {
    const std::size_t stride = data.features + padding;
    const guarded_buffer<T> x(with_stride(data, stride), edge);
    const guarded_buffer<T> y(data.y, edge);
    const guarded_buffer<T> w(data.w, edge);
    guarded_buffer<T> rows_out(data.rows, edge);
    guarded_buffer<T> grad(data.features, edge);
    guarded_buffer<T> mse(1, edge);
    const bitstep::matrix_view<const T> matrix{x.data(), data.rows, data.features, stride};
    const bitstep::shard_view<T> shard{x.data(), y.data(), data.rows, stride};
    expect_ok(bitstep::predict<T>(matrix, {w.data(), w.size()}, {rows_out.data(), data.rows}, opts));
    expect_ok(
        bitstep::residual<T>(matrix, {y.data(), y.size()}, {w.data(), w.size()}, {rows_out.data(), data.rows}, opts));
    EXPECT_TRUE(same_bits(rows_out.values(), residual));
    expect_ok(bitstep::gradient<T>({&shard, 1, data.features}, {w.data(), w.size()}, {grad.data(), data.features},
                                   mse.data(), opts));
    auto got = grad.values();
    got.push_back(*mse.data());
    EXPECT_TRUE(same_bits(got, gradient));
    return got.size() + residual.size();
}

template <class T>
void expect_inside_everywhere(std::size_t rows, std::size_t features) {
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(features));
    const auto data = make_problem<T>(rows + features, rows, features, data_kind::usual);
    const placed_problem<T> plain(data, {});
    const bool large = rows * features > 1000000;
    std::size_t compared = 0;
    for (const accumulate_mode mode : every_mode) {
        if (too_long_here<T>(mode, rows * features)) {
            continue;
        }
        const auto gradient = run_gradient(plain, reference_options(mode));
        const auto residual = run_residual(plain, reference_options(mode));
        for (const bitstep::arch which : runnable_archs()) {
            for (const page_edge edge : both_edges) {
                for (const std::size_t padding : {0U, 3U}) {
                    if (emulated && large && (edge == page_edge::begin || padding != 0)) {
                        continue;
                    }
                    SCOPED_TRACE(std::string(bitstep::arch_name(which)) + " " + mode_name(mode));
                    compared += expect_inside(data, padding, edge, forced(which, 2, mode), gradient, residual);
                }
            }
        }
    }
    EXPECT_GT(compared, 0U) << "this test compared nothing";
}

TYPED_TEST(bounds_test, x_y_w_and_outputs_of_short_rows) {
    for (std::size_t features = 1; features <= longest_swept; ++features) {
        const bool few_vectors = features <= 2 * native_lanes<TypeParam>() + 1;
        for (const std::size_t rows :
             few_vectors ? std::vector<std::size_t>{1, 2, 3, 5, 67} : std::vector<std::size_t>{3}) {
            expect_inside_everywhere<TypeParam>(rows, features);
        }
    }
}

TYPED_TEST(bounds_test, x_y_w_and_outputs_of_longer_rows) {
    const bitstep::panel_lengths panels = bitstep::numerics_panels();
    for (const std::size_t features : {panels.column_panel - 1, panels.column_panel, panels.column_panel + 1,
                                       2 * panels.column_panel + 7, std::size_t{333}}) {
        for (const std::size_t rows : {std::size_t{1}, std::size_t{3}, panels.row_panel + 1}) {
            expect_inside_everywhere<TypeParam>(rows, features);
        }
    }
    expect_inside_everywhere<TypeParam>(1021, 7);
    expect_inside_everywhere<TypeParam>(1024, 1); // whole groups of narrow panels, one and two of them
    expect_inside_everywhere<TypeParam>(2048, sizeof(TypeParam) == 4 ? 15 : 7);
}

/// X above 16 MB: rows of one and two vectors, in sequence, and side by side with prefetch.
TYPED_TEST(bounds_test, x_y_w_and_outputs_of_rows_from_memory) {
    for (const std::size_t features : {native_lanes<TypeParam>() + 3, std::size_t{67}, std::size_t{1500}}) {
        expect_inside_everywhere<TypeParam>(16 * 1024 * 1024 / (features * sizeof(TypeParam)) + 7, features);
    }
}

template <class T>
std::size_t expect_state_inside(std::size_t size, page_edge edge, const bitstep::options& opts) {
    const std::vector<T> flat = make_state<T>(size, size, data_kind::usual);
    const std::vector<T> gradient(size, T(0.5));
    std::vector<T> want = flat;
    expect_ok(bitstep::adam_ema_update<T>({gradient.data(), size}, quarters(want.data(), size), {},
                                          reference_options(opts.accumulate)));
    const guarded_buffer<T> grad(gradient, edge);
    std::vector<std::unique_ptr<guarded_buffer<T>>> parts;
    std::vector<T> got;
    for (std::size_t i = 0; i < 4; ++i) {
        parts.push_back(std::make_unique<guarded_buffer<T>>(size, edge));
        std::copy_n(&flat[i * size], size, parts[i]->data());
    }
    bitstep::options checking = opts;
    checking.check_state = bitstep::check_mode::on;
    expect_ok(bitstep::adam_ema_update<T>(
        {grad.data(), size}, {parts[0]->data(), parts[1]->data(), parts[2]->data(), parts[3]->data(), size}, {},
        checking));
    for (const auto& part : parts) {
        got.insert(got.end(), part->data(), part->data() + size);
    }
    EXPECT_TRUE(same_bits(got, want)) << "d = " << size;
    return got.size();
}

TYPED_TEST(bounds_test, state) {
    std::size_t compared = 0;
    for (const bitstep::arch which : runnable_archs()) {
        for (const page_edge edge : both_edges) {
            for (std::size_t size = 1; size <= longest_swept; ++size) {
                compared += expect_state_inside<TypeParam>(size, edge, forced(which, 1, accumulate_mode::native));
            }
            for (const std::size_t size : {4095U, 4096U, 4097U, 70001U}) { // the last is shared by a team
                compared += expect_state_inside<TypeParam>(size, edge, forced(which, 3, accumulate_mode::native));
            }
        }
    }
    EXPECT_GT(compared, 0U) << "this test compared nothing";
}

/// Everything that a step in place, and one with its own output, reads and writes; `want` has what both must give.
template <class T>
std::size_t expect_steps_inside(const dense_problem<T>& data, const std::vector<T>& flat, page_edge edge,
                                const bitstep::options& opts, const std::vector<T>& want) {
    const std::size_t d = data.features;
    const bitstep::hyper_parameters hyper;
    const guarded_buffer<T> x(data.x, edge);
    const guarded_buffer<T> y(data.y, edge);
    const bitstep::worker_batches<T> batches{x.data(), y.data(), data.rows, 1, 1, d};
    std::vector<std::unique_ptr<guarded_buffer<T>>> inputs;
    std::vector<std::unique_ptr<guarded_buffer<T>>> parts;
    for (std::size_t i = 0; i < 4; ++i) {
        const std::vector<T> quarter(flat.data() + i * d, flat.data() + (i + 1) * d);
        inputs.push_back(std::make_unique<guarded_buffer<T>>(quarter, edge));
        parts.push_back(std::make_unique<guarded_buffer<T>>(d, edge));
        std::copy_n(quarter.data(), d, parts[i]->data());
    }
    guarded_buffer<T> out(4 * d, edge);
    expect_ok(bitstep::distributed_step<T>(
        batches, {inputs[0]->data(), inputs[1]->data(), inputs[2]->data(), inputs[3]->data(), d}, hyper,
        {out.data(), 4 * d}, opts));
    EXPECT_TRUE(same_bits(out.values(), want));
    expect_ok(bitstep::distributed_step<T>(
        batches, {parts[0]->data(), parts[1]->data(), parts[2]->data(), parts[3]->data(), d}, hyper, opts));
    std::vector<T> got;
    for (const auto& part : parts) {
        got.insert(got.end(), part->data(), part->data() + d);
    }
    EXPECT_TRUE(same_bits(got, want));
    return 2 * want.size();
}

TYPED_TEST(bounds_test, steps) {
    std::size_t compared = 0;
    for (std::size_t d = 1; d <= longest_swept; ++d) {
        const auto data = make_problem<TypeParam>(d, 3, d, data_kind::usual);
        const auto flat = make_state<TypeParam>(d, d, data_kind::usual);
        for (const accumulate_mode mode : every_mode) {
            std::vector<TypeParam> want = flat;
            expect_ok(bitstep::distributed_step<TypeParam>(
                bitstep::worker_batches<TypeParam>{data.x.data(), data.y.data(), 1, 1, 3, d}, quarters(want.data(), d),
                {}, reference_options(mode)));
            for (const bitstep::arch which : runnable_archs()) {
                for (const page_edge edge : both_edges) {
                    SCOPED_TRACE(std::string(bitstep::arch_name(which)) + " " + mode_name(mode) +
                                 ", d = " + std::to_string(d));
                    compared += expect_steps_inside(data, flat, edge, forced(which, 2, mode), want);
                }
            }
        }
    }
    EXPECT_GT(compared, 0U) << "this test compared nothing";
}

template <class T>
std::size_t expect_mean_and_ring_inside(std::size_t workers, std::size_t size, page_edge edge,
                                        const bitstep::options& opts) {
    const auto tensor = make_workers<T>(size, workers, size, data_kind::usual);
    const std::vector<long long> counts(workers, 3);
    const auto want = run_mean<T>({tensor}, counts, reference_options(opts.accumulate));
    std::vector<std::unique_ptr<guarded_buffer<T>>> inputs;
    std::vector<std::unique_ptr<guarded_buffer<T>>> outputs;
    std::vector<const T*> from;
    std::vector<T*> to;
    for (const auto& each : tensor) {
        inputs.push_back(std::make_unique<guarded_buffer<T>>(each, edge));
        outputs.push_back(std::make_unique<guarded_buffer<T>>(size, edge));
        from.push_back(inputs.back()->data());
        to.push_back(outputs.back()->data());
    }
    const bitstep::worker_tensor<T> one{"w", from.data(), to[0], size};
    expect_ok(bitstep::allreduce_mean<T>(&one, 1, workers, counts.data(), opts));
    EXPECT_TRUE(same_bits(outputs[0]->values(), want)) << "W = " << workers << ", n = " << size;
    guarded_buffer<bitstep::ring_event> trace(bitstep::ring_event_count(workers), edge);
    std::vector<std::vector<T>> finals(workers, std::vector<T>(size));
    std::vector<T*> wanted;
    for (auto& each : finals) {
        wanted.push_back(each.data());
    }
    for (T* const* outputs_of_ring : {wanted.data(), to.data()}) {
        expect_ok(bitstep::simulate_ring_allreduce<T>(from.data(), workers, size, bitstep::ring_op::mean,
                                                      outputs_of_ring, trace.data()));
    }
    for (std::size_t i = 0; i < workers; ++i) {
        EXPECT_TRUE(same_bits(outputs[i]->values(), finals[i])) << "ring, W = " << workers << ", n = " << size;
    }
    return want.size();
}

/// No element at all: not one byte of any array may be touched.
TYPED_TEST(bounds_test, means_of_nothing) {
    for (const accumulate_mode mode : every_mode) {
        for (const bitstep::arch which : runnable_archs()) {
            const guarded_buffer<TypeParam> nothing(std::vector<TypeParam>{}, page_edge::end);
            guarded_buffer<TypeParam> out(0, page_edge::end);
            const TypeParam* const from[] = {nothing.data(), nothing.data()};
            const bitstep::worker_tensor<TypeParam> one{"w", from, out.data(), 0};
            expect_ok(bitstep::allreduce_mean<TypeParam>(&one, 1, 2, nullptr, forced(which, 2, mode)));
        }
    }
}

TYPED_TEST(bounds_test, means_and_rings) {
    std::size_t compared = 0;
    for (const accumulate_mode mode : every_mode) {
        for (const bitstep::arch which : runnable_archs()) {
            for (const page_edge edge : both_edges) {
                for (std::size_t size = 1; size <= longest_swept; ++size) {
                    compared +=
                        expect_mean_and_ring_inside<TypeParam>(1 + size % 5, size, edge, forced(which, 1, mode));
                }
                for (const std::size_t size : {1024U, 4097U, 70001U}) { // the last is shared by a team
                    compared += expect_mean_and_ring_inside<TypeParam>(3, size, edge, forced(which, 3, mode));
                }
            }
        }
    }
    EXPECT_GT(compared, 0U) << "this test compared nothing";
}

} // namespace
} // namespace bitstep_test
