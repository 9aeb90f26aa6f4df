// SPDX-License-Identifier: Apache-2.0
// Proves for simulate_ring_allreduce: hand-worked rounds for N = 3 and for vectors shorter than N; an independent literal
// simulation gives the same bits for any N and n; every worker ends with the same bits; the trace lists every message in
// order; non-finite values propagate.
#include "support/arch_threads.hpp"
#include "support/bitwise.hpp"
#include "support/typed.hpp"
#include "support/workers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

namespace bitstep_test {
namespace {

using bitstep::ring_event;
using bitstep::ring_op;
using bitstep::ring_phase;

template <class T>
class ring_test : public testing::Test {};
TYPED_TEST_SUITE(ring_test, element_types, element_names);

template <class T>
worker_vectors<T> run_ring(const worker_vectors<T>& from, ring_op op, std::vector<ring_event>* trace = nullptr) {
    const placed_workers<T> inputs(from, 1);
    placed_workers<T> outputs(worker_vectors<T>(from.size(), std::vector<T>(from[0].size(), T(77))), 2);
    if (trace != nullptr) {
        trace->resize(bitstep::ring_event_count(from.size()));
    }
    expect_ok(bitstep::simulate_ring_allreduce<T>(inputs.pointers(), from.size(), from[0].size(), op,
                                                  outputs.mutable_pointers(),
                                                  trace != nullptr ? trace->data() : nullptr));
    EXPECT_TRUE(outputs.marks_intact());
    worker_vectors<T> finals;
    for (std::size_t i = 0; i < from.size(); ++i) {
        EXPECT_TRUE(same_bits(inputs.values(i), from[i])) << "the input of worker " << i << " has changed";
        finals.push_back(outputs.values(i));
    }
    return finals;
}

template <class T>
void expect_all(const worker_vectors<T>& finals, const std::vector<T>& want) {
    ASSERT_FALSE(finals.empty());
    for (std::size_t i = 0; i < finals.size(); ++i) {
        EXPECT_TRUE(same_bits(finals[i], want)) << "worker " << i;
    }
}

/// The ring as a real one runs: N buffers, and in each round all sends read copies taken before the round.
template <class T>
worker_vectors<T> literal_ring(worker_vectors<T> buffers, ring_op op) {
    const std::size_t workers = buffers.size();
    const std::size_t size = buffers[0].size();
    std::vector<std::size_t> cut = {0};
    for (std::size_t c = 0; c < workers; ++c) {
        cut.push_back(cut.back() + size / workers + (c < size % workers ? 1 : 0));
    }
    for (std::size_t s = 0; s + 1 < workers; ++s) {
        const worker_vectors<T> before = buffers;
        for (std::size_t i = 0; i < workers; ++i) {
            const std::size_t chunk = (i + workers - s) % workers;
            for (std::size_t j = cut[chunk]; j < cut[chunk + 1]; ++j) {
                T& own = buffers[(i + 1) % workers][j];
                own = own + before[i][j];
            }
        }
    }
    if (op == ring_op::mean) {
        for (std::size_t i = 0; i < workers; ++i) {
            const std::size_t chunk = (i + 1) % workers;
            for (std::size_t j = cut[chunk]; j < cut[chunk + 1]; ++j) {
                buffers[i][j] = buffers[i][j] / static_cast<T>(workers);
            }
        }
    }
    for (std::size_t s = 0; s + 1 < workers; ++s) {
        const worker_vectors<T> before = buffers;
        for (std::size_t i = 0; i < workers; ++i) {
            const std::size_t chunk = (i + 1 + workers - s) % workers;
            for (std::size_t j = cut[chunk]; j < cut[chunk + 1]; ++j) {
                buffers[(i + 1) % workers][j] = before[i][j];
            }
        }
    }
    return buffers;
}

/// N = 3, n = 7: chunks are elements 0-2, 3-4, 5-6. With a, b, c the workers' values and h so large that h + 1 = h:
///   chunk 0 starts at worker 0: b + a, then c + (b + a);
///   chunk 1 starts at worker 1: c + b, then a + (c + b);
///   chunk 2 starts at worker 2: a + c, then b + (a + c).
/// Workers hold (h, -h, 1) in each element, so chunk 0 gives 1 + (-h + h) = 1, chunk 1 gives h + (1 - h) = h + -h = 0,
/// chunk 2 gives -h + (h + 1) = -h + h = 0.
TYPED_TEST(ring_test, three_workers_seven_elements_by_hand) {
    const TypeParam h = power_of_two<TypeParam>(std::numeric_limits<TypeParam>::digits + 2);
    const worker_vectors<TypeParam> from = {std::vector<TypeParam>(7, h), std::vector<TypeParam>(7, -h),
                                            std::vector<TypeParam>(7, 1)};
    const std::vector<TypeParam> sum = {1, 1, 1, 0, 0, 0, 0};
    expect_all(run_ring(from, ring_op::sum), sum);
    const TypeParam third = TypeParam(1) / TypeParam(3);
    expect_all(run_ring(from, ring_op::mean), {third, third, third, 0, 0, 0, 0});
}

/// The same cut with numbers that are exact in any order: no chunk may be lost, doubled or misplaced.
TYPED_TEST(ring_test, three_workers_exact_sums) {
    const worker_vectors<TypeParam> from = {
        {1, 2, 3, 4, 5, 6, 7}, {10, 20, 30, 40, 50, 60, 70}, {100, 200, 300, 400, 500, 600, 700}};
    expect_all(run_ring(from, ring_op::sum), {111, 222, 333, 444, 555, 666, 777});
    expect_all(run_ring(from, ring_op::mean), {37, 74, 111, 148, 185, 222, 259});
}

/// N = 4, n = 2: chunks 0 and 1 hold one element each, chunks 2 and 3 none. Workers hold (h, 1), (1, h), (-h, 1), (1, -h):
///   element 0, chunk 0, from worker 0: 1 + h = h, -h + h = 0, 1 + 0 = 1;
///   element 1, chunk 1, from worker 1: 1 + h = h, -h + h = 0, 1 + 0 = 1.
TYPED_TEST(ring_test, four_workers_two_elements_by_hand) {
    const TypeParam h = power_of_two<TypeParam>(std::numeric_limits<TypeParam>::digits + 2);
    const worker_vectors<TypeParam> from = {{h, 1}, {1, h}, {-h, 1}, {1, -h}};
    expect_all(run_ring(from, ring_op::sum), {1, 1});
    expect_all(run_ring(from, ring_op::mean), {TypeParam(0.25), TypeParam(0.25)});
}

TYPED_TEST(ring_test, one_worker_keeps_its_vector) {
    const worker_vectors<TypeParam> from = {{1, -2, 3}};
    std::vector<ring_event> trace;
    expect_all(run_ring(from, ring_op::mean, &trace), from[0]);
    expect_all(run_ring(from, ring_op::sum), from[0]);
    EXPECT_TRUE(trace.empty());
}

TYPED_TEST(ring_test, empty_vectors_are_allowed) {
    const worker_vectors<TypeParam> from(3);
    std::vector<ring_event> trace;
    EXPECT_EQ(run_ring(from, ring_op::mean, &trace).size(), 3U);
    EXPECT_EQ(trace.size(), 12U);
}

TYPED_TEST(ring_test, equals_a_literal_simulation_for_any_size) {
    std::size_t compared = 0;
    for (std::size_t workers = 1; workers <= 13; ++workers) {
        for (std::size_t size = 0; size <= 41; ++size) {
            for (const data_kind kind : {data_kind::spread, data_kind::special}) {
                const auto from = make_workers<TypeParam>(workers * 100 + size, workers, size, kind);
                for (const ring_op op : {ring_op::sum, ring_op::mean}) {
                    const auto got = run_ring(from, op);
                    const auto want = literal_ring(from, op);
                    for (std::size_t i = 0; i < workers; ++i) {
                        ASSERT_TRUE(same_bits(got[i], want[i])) << "N = " << workers << ", n = " << size;
                        ASSERT_TRUE(same_bits(got[i], got[0])) << "workers 0 and " << i << " end with other bits";
                        compared += size;
                    }
                }
            }
        }
    }
    EXPECT_GT(compared, 0U);
}

TYPED_TEST(ring_test, in_place_equals_out_of_place) {
    for (const std::size_t workers : {2U, 3U, 5U}) {
        const auto from = make_workers<TypeParam>(workers, workers, 17, data_kind::spread);
        const auto want = run_ring(from, ring_op::mean);
        placed_workers<TypeParam> both(from, 3);
        expect_ok(bitstep::simulate_ring_allreduce<TypeParam>(both.pointers(), workers, 17, ring_op::mean,
                                                              both.mutable_pointers()));
        for (std::size_t i = 0; i < workers; ++i) {
            EXPECT_TRUE(same_bits(both.values(i), want[i])) << "worker " << i;
        }
        EXPECT_TRUE(both.marks_intact());
    }
}

using event_row = std::tuple<int, std::size_t, std::size_t, std::size_t, std::size_t>;

event_row as_row(const ring_event& event) {
    return {static_cast<int>(event.phase), event.round, event.sender, event.receiver, event.chunk};
}

/// By hand from the rules: reduce-scatter sends chunk (i - s) mod 3, all-gather chunk (i + 1 - s) mod 3.
TEST(ring, trace_of_three_workers_by_hand) {
    const std::vector<event_row> want = {
        {0, 0, 0, 1, 0}, {0, 0, 1, 2, 1}, {0, 0, 2, 0, 2}, {0, 1, 0, 1, 2}, {0, 1, 1, 2, 0}, {0, 1, 2, 0, 1},
        {1, 0, 0, 1, 1}, {1, 0, 1, 2, 2}, {1, 0, 2, 0, 0}, {1, 1, 0, 1, 0}, {1, 1, 1, 2, 1}, {1, 1, 2, 0, 2},
    };
    for (const std::size_t size : {0U, 2U, 7U}) { // empty chunks are sent too
        std::vector<ring_event> trace;
        run_ring<float>(worker_vectors<float>(3, std::vector<float>(size, 1.0F)), ring_op::sum, &trace);
        ASSERT_EQ(trace.size(), want.size());
        for (std::size_t i = 0; i < want.size(); ++i) {
            EXPECT_EQ(as_row(trace[i]), want[i]) << "event " << i << ", n = " << size;
        }
    }
}

TEST(ring, event_count) {
    EXPECT_EQ(bitstep::ring_event_count(1), 0U);
    EXPECT_EQ(bitstep::ring_event_count(2), 4U);
    EXPECT_EQ(bitstep::ring_event_count(3), 12U);
    EXPECT_EQ(bitstep::ring_event_count(100), 19800U);
    EXPECT_EQ(bitstep::ring_event_count(0), 0U);
    EXPECT_EQ(bitstep::ring_event_count(std::numeric_limits<std::size_t>::max()), 0U) << "an overflow gives 0";
    EXPECT_EQ(bitstep::ring_event_count(std::size_t{1} << 32U), 0U) << "an overflow gives 0";
}

/// The example of the documentation: a ring gives other bits than the fixed tree, at other places for other chunks.
TYPED_TEST(ring_test, a_ring_differs_from_the_fixed_tree) {
    const auto from = make_workers<TypeParam>(77, 5, 400, data_kind::spread);
    const auto ring = run_ring(from, ring_op::mean);
    const auto tree = run_mean<TypeParam>({from}, {}, reference_options(bitstep::accumulate_mode::native));
    EXPECT_FALSE(same_bits(ring[0], tree));
}

} // namespace
} // namespace bitstep_test
