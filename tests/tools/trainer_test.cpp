// SPDX-License-Identifier: Apache-2.0
// The training loop: equals distributed_step called by hand, uses every row, allocates nothing, stops in words.
#include "program/errors.hpp"
#include "program/shuffle.hpp"
#include "program/split_mix.hpp"
#include "program/trainer.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace {
std::atomic<std::size_t> allocations{0};
}

void* operator new(std::size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size == 0 ? 1 : size)) {
        return memory;
    }
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

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
void expect_equal_to_steps_by_hand() {
    const auto data = some_data<T>(11, 3); // two full steps of four rows and one of three, an epoch
    trainer<T> training(data, small_plan(), one_thread());
    EXPECT_EQ(training.steps_per_epoch(), 3u);
    progress silent(stdout, false, 1000, training.steps_per_epoch(), data.rows);
    for (std::size_t epoch = 0; epoch < 5; ++epoch) {
        training.run_epoch(epoch, silent);
    }
    EXPECT_EQ(training.steps_done(), 15u);
    EXPECT_EQ(training.state_digest().hex(), digest_by_hand(data, small_plan(), 5).hex());
    EXPECT_NE(training.state_digest().hex(), digest_by_hand(data, small_plan(), 4).hex());
}

TEST(trainer_test, equals_steps_by_hand_f32) { expect_equal_to_steps_by_hand<float>(); }
TEST(trainer_test, equals_steps_by_hand_f64) { expect_equal_to_steps_by_hand<double>(); }

TEST(trainer_test, fewer_rows_than_a_step_are_one_step) {
    const auto data = some_data<float>(3, 2);
    trainer<float> training(data, small_plan(), one_thread());
    EXPECT_EQ(training.steps_per_epoch(), 1u);
    EXPECT_EQ(training.rows_per_step(), 3u);
}

TEST(trainer_test, allocates_nothing_in_an_epoch) {
    const auto data = some_data<float>(1000, 9);
    trainer<float> training(data, small_plan(), one_thread());
    progress silent(stdout, false, 2, training.steps_per_epoch(), data.rows);
    training.run_epoch(0, silent);
    const std::size_t before = allocations;
    training.run_epoch(1, silent);
    EXPECT_EQ(allocations, before);
    EXPECT_GT(before, 0u); // the counter counts
}

TEST(trainer_test, says_where_it_left_the_finite_numbers) {
    const auto data = some_data<float>(8, 2);
    training_plan plan = small_plan();
    plan.hyper.lr = 1e38;
    trainer<float> training(data, plan, one_thread());
    progress silent(stdout, false, 100, training.steps_per_epoch(), data.rows);
    try {
        for (std::size_t epoch = 0; epoch < 100; ++epoch) {
            training.run_epoch(epoch, silent);
        }
        ADD_FAILURE() << "never stopped";
    } catch (const input_error& error) {
        EXPECT_EQ(std::string(error.what()).rfind("training stopped in epoch 1, step 2: ", 0), 0u) << error.what();
    }
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
