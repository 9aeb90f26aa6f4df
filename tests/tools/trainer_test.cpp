// SPDX-License-Identifier: Apache-2.0
// The trainer, one step after another: equals distributed_step called by hand, uses every row, allocates nothing, stops in words.
#include "program/data/shuffle.hpp"
#include "program/errors.hpp"
#include "program/split_mix.hpp"
#include "program/train/trainer.hpp"
#include "refusal.hpp"

#include "support/allocation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace bitstep_test {
namespace {

using namespace bitstep::program;

template <class T>
design_matrix<T> some_data(std::size_t rows, std::size_t features) {
    design_matrix<T> data;
    data.rows = rows;
    data.features = features;
    split_mix bits(rows);
    const auto value = [&] { return static_cast<T>(static_cast<int>(bits.below(2001)) - 1000) / T{512}; };
    for (std::size_t i = 0; i < rows * features; ++i) {
        data.x.push_back(value());
    }
    for (std::size_t i = 0; i < rows; ++i) {
        data.y.push_back(value());
    }
    return data;
}

training_plan small_plan() {
    training_plan plan;
    plan.workers = 2;
    plan.micro_batches = 1;
    plan.examples = 2;
    plan.seed = 7;
    plan.hyper.lr = 0.05;
    return plan;
}

bitstep::options one_thread() {
    bitstep::options opts;
    opts.threads = 1;
    return opts;
}

// What the trainer promises, written with the functional form and whole vectors.
template <class T>
digest digest_by_hand(const design_matrix<T>& data, const training_plan& plan, std::size_t epochs) {
    const std::size_t d = data.features;
    std::vector<T> state(4 * d, T{0});
    bitstep::hyper_parameters hyper = plan.hyper;
    long long steps = 0;
    for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
        std::vector<std::size_t> order(data.rows);
        shuffle_rows(plan.seed, epoch, order);
        for (std::size_t first = 0; first < data.rows; first += 4) {
            std::vector<T> x;
            std::vector<T> y;
            for (std::size_t i = first; i < std::min(first + 4, data.rows); ++i) {
                const auto row = data.x.begin() + static_cast<std::ptrdiff_t>(order[i] * d);
                x.insert(x.end(), row, row + static_cast<std::ptrdiff_t>(d));
                y.push_back(data.y[order[i]]);
            }
            hyper.t = ++steps;
            const bitstep::worker_batches<T> batch{x.data(), y.data(), 1, 1, y.size(), d};
            const bitstep::state_view<const T> now{state.data(), state.data() + d, state.data() + 2 * d,
                                                   state.data() + 3 * d, d};
            std::vector<T> next(4 * d);
            const bitstep::status result =
                bitstep::distributed_step(batch, now, hyper, bitstep::vector_view<T>{next.data(), next.size()});
            EXPECT_TRUE(result.ok()) << result.message();
            state = next;
        }
    }
    digest sum;
    sum.add(state);
    sum.add_integer(static_cast<std::uint64_t>(steps));
    return sum;
}

template <class T>
void run_epochs(trainer<T>& training, std::uint64_t until) {
    while (training.epoch() < until) {
        training.run_step();
    }
}

template <class T>
void expect_equal_to_steps_by_hand() {
    const auto data = some_data<T>(11, 3); // two full steps of four rows and one of three, an epoch
    trainer<T> training(data, small_plan(), false, one_thread());
    EXPECT_EQ(training.steps_per_epoch(), 3u);
    run_epochs(training, 5);
    EXPECT_EQ(training.state().t, 15u);
    EXPECT_EQ(training.state().digest().hex(), digest_by_hand(data, small_plan(), 5).hex());
    EXPECT_NE(training.state().digest().hex(), digest_by_hand(data, small_plan(), 4).hex());
}

TEST(trainer_test, equals_steps_by_hand_f32) { expect_equal_to_steps_by_hand<float>(); }
TEST(trainer_test, equals_steps_by_hand_f64) { expect_equal_to_steps_by_hand<double>(); }

TEST(trainer_test, goes_on_from_any_step_as_if_it_had_never_stopped) {
    const auto data = some_data<float>(11, 3);
    training_plan plan = small_plan();
    plan.l2 = 0.1;
    plan.schedule = lr_schedule::cosine;
    plan.epochs = 4;
    trainer<float> whole(data, plan, true, one_thread());
    run_epochs(whole, 4);
    for (std::uint64_t stop = 0; stop <= 12; ++stop) {
        trainer<float> first(data, plan, true, one_thread());
        while (first.state().t < stop) {
            first.run_step();
        }
        trainer<float> second(data, plan, true, one_thread());
        second.resume(first.state());
        while (!second.finished()) {
            second.run_step();
        }
        EXPECT_EQ(second.state().digest().hex(), whole.state().digest().hex()) << stop;
    }
}

// g_j + (2 l2) w_j in T, the bias left out: written with the library's stages for the second step, where w is not 0.
TEST(trainer_test, the_ridge_term_is_added_to_the_gradient_but_not_to_the_bias) {
    const auto data = some_data<float>(4, 3); // one step is an epoch
    training_plan plan = small_plan();
    plan.l2 = 0.3;
    trainer<float> training(data, plan, true, one_thread());
    training.run_step();
    training_state<float> expected = training.state();

    std::vector<std::size_t> order(4);
    shuffle_rows(plan.seed, 1, order);
    step_buffer<float> buffer(4, 3, plan.workers);
    const auto rows = buffer.gather(data, order.data(), 4);
    std::vector<float> grad(3);
    float loss = 0;
    ASSERT_TRUE(bitstep::gradient<float>(rows, {expected.weights.data(), 3}, {grad.data(), 3}, &loss, {}).ok());
    for (std::size_t j = 0; j < 2; ++j) {
        const float term = 0.6f * expected.weights[j];
        grad[j] += term;
    }
    bitstep::hyper_parameters hyper = plan.hyper;
    hyper.t = 2;
    ASSERT_TRUE(bitstep::adam_ema_update<float>(
                    {grad.data(), 3},
                    {expected.weights.data(), expected.ema_weights.data(), expected.m.data(), expected.v.data(), 3},
                    hyper)
                    .ok());
    expected.t = 2;
    const step_result done = training.run_step();
    EXPECT_EQ(training.state().digest().hex(), expected.digest().hex());
    EXPECT_EQ(done.loss, static_cast<double>(loss));
    EXPECT_EQ(done.rows, 4u);
    EXPECT_EQ(training.gradient_norm(),
              std::sqrt(1.0 * grad[0] * grad[0] + 1.0 * grad[1] * grad[1] + 1.0 * grad[2] * grad[2]));
}

TEST(trainer_test, a_ridge_term_that_overflows_stops_the_training) {
    const auto data = some_data<float>(8, 2);
    training_plan plan = small_plan();
    plan.l2 = 1e37;
    plan.hyper.lr = 100;
    trainer<float> training(data, plan, false, one_thread());
    const std::string said = refusal_of([&] { run_epochs(training, 10); });
    EXPECT_NE(said.find("training stopped in epoch 1, step 2: the gradient with its ridge"), std::string::npos) << said;
}

TEST(trainer_test, fewer_rows_than_a_step_are_one_step) {
    const auto data = some_data<float>(3, 2);
    trainer<float> training(data, small_plan(), false, one_thread());
    EXPECT_EQ(training.steps_per_epoch(), 1u);
    EXPECT_EQ(training.rows_per_step(), 3u);
}

TEST(trainer_test, allocates_nothing_in_an_epoch) {
    const auto data = some_data<float>(1000, 9);
    trainer<float> training(data, small_plan(), false, one_thread());
    run_epochs(training, 1);
    EXPECT_GT(allocations().news, 0u); // the counter counts
    reset_allocations();
    run_epochs(training, 2);
    EXPECT_EQ(allocations().news, 0u);
}

TEST(trainer_test, says_where_it_left_the_finite_numbers) {
    const auto data = some_data<float>(8, 2);
    training_plan plan = small_plan();
    plan.hyper.lr = 1e38;
    trainer<float> training(data, plan, false, one_thread());
    const std::string said = refusal_of([&] { run_epochs(training, 100); });
    EXPECT_EQ(said.rfind("training stopped in epoch 1, step 2: ", 0), 0u) << said;
}

TEST(trainer_test, refuses_steps_that_no_memory_could_hold) {
    training_plan plan = small_plan();
    plan.workers = std::numeric_limits<std::size_t>::max() / 2;
    plan.examples = 3;
    EXPECT_THROW(plan.rows_per_step(10), input_error);
    plan.workers = std::numeric_limits<std::size_t>::max();
    plan.examples = 1;
    EXPECT_EQ(plan.rows_per_step(10), 10u);
}

} // namespace
} // namespace bitstep_test
