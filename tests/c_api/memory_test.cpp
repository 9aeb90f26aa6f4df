// SPDX-License-Identifier: Apache-2.0
// Proves: from C, too, an allocation that fails is BITSTEP_OUT_OF_MEMORY and changes nothing, with a workspace nothing is
// allocated, and a mean over no tensors, or over empty ones, is a success that touches no pointer.
#include "c_calls.hpp"

#include "support/allocation.hpp"
#include "support/arch_threads.hpp"
#include "support/pools.hpp"
#include "support/typed.hpp"

#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace bitstep_test {
namespace {

using bitstep::accumulate_mode;

template <class T>
class c_memory_test : public testing::Test {};
TYPED_TEST_SUITE(c_memory_test, element_types, element_names);

const long long counts[] = {1, 2, 3};

template <class T>
struct named_call {
    const char* name;
    bitstep_status (c_calls<T>::*call)();
    bool allocates; ///< without a workspace
};

template <class T>
const std::vector<named_call<T>>& every_call() {
    using k = c_calls<T>;
    static const std::vector<named_call<T>> all = {{"distributed_step", &k::step, true},
                                                   {"distributed_step_rows", &k::step_rows, true},
                                                   {"distributed_step_in_place", &k::step_in_place, true},
                                                   {"distributed_step_rows_in_place", &k::step_rows_in_place, true},
                                                   {"gradient", &k::gradient, true},
                                                   {"allreduce_mean", &k::take_mean, false},
                                                   {"allreduce_mean, counts", &k::take_weighted_mean, true},
                                                   {"predict", &k::predict, false},
                                                   {"residual", &k::residual, false},
                                                   {"adam_ema_update", &k::update, false},
                                                   {"adam_ema_update, checked", &k::update_checked, false},
                                                   {"simulate_ring_allreduce", &k::ring, false},
                                                   {"simulate_ring_allreduce, sum", &k::ring_sum, false}};
    return all;
}

/// Arguments without a workspace; with threads, on the caller's pool.
template <class T>
struct call_without_workspace : c_calls<T> {
    counting_pool pool;

    call_without_workspace(std::size_t n, std::size_t d, bitstep::arch which, accumulate_mode mode, int threads)
        : c_calls<T>(n, d, data_kind::usual) {
        this->workspace_argument = nullptr;
        this->options.arch = static_cast<int>(which);
        this->options.accumulate = static_cast<int>(mode);
        this->options.threads = threads;
        this->options.serial_below_bytes = 0;
        if (threads > 1) {
            this->options.parallel_for = pool_in_order;
            this->options.pool = &pool;
        }
    }
};

/// Allocation 1, 2, ... fails until the call needs none beyond; then the same arguments give what they should. Returns how
/// many failures there were.
template <class T, class Make, class Fail>
std::size_t count_failures(const named_call<T>& of, Make make, Fail fail) {
    const auto good = make();
    EXPECT_EQ(((*good).*of.call)(), BITSTEP_OK) << bitstep_last_error();
    for (std::size_t failures = 0; failures < 100; ++failures) {
        const auto calls = make();
        watched_memory memory;
        calls->watch_all(memory);
        memory.remember();
        fail(failures + 1);
        errno = 1234;
        const bitstep_status got = ((*calls).*of.call)();
        const int error = errno;
        fail_allocation(0);
        EXPECT_EQ(error, 1234);
        if (got == BITSTEP_OK) {
            EXPECT_TRUE(calls->same_outputs(*good));
            return failures;
        }
        EXPECT_EQ(got, BITSTEP_OUT_OF_MEMORY);
        memory.expect_unchanged();
        EXPECT_EQ(((*calls).*of.call)(), BITSTEP_OK) << "after a failure: " << bitstep_last_error();
        EXPECT_TRUE(calls->same_outputs(*good)) << "after a failure";
    }
    ADD_FAILURE() << "fails for ever";
    return 0;
}

template <class T, class Fail>
void expect_out_of_memory(Fail fail) {
    for (const bitstep::arch which : runnable_archs()) {
        for (const accumulate_mode mode : every_mode) {
            for (const int threads : {1, 3}) {
                for (const named_call<T>& of : every_call<T>()) {
                    SCOPED_TRACE(std::string(of.name) + ", " + bitstep::arch_name(which) + ", " + mode_name(mode) +
                                 ", " + std::to_string(threads));
                    const auto make = [&] {
                        return std::make_unique<call_without_workspace<T>>(300, 9, which, mode, threads);
                    };
                    EXPECT_EQ(count_failures<T>(of, make, fail) > 0, of.allocates);
                }
            }
        }
    }
}

/// One allocation fails, those after it do not.
TYPED_TEST(c_memory_test, a_failing_allocation_is_out_of_memory) {
    if (!mallocs_are_seen()) {
        GTEST_SKIP() << "a sanitizer's malloc cannot be made to fail";
    }
    expect_out_of_memory<TypeParam>([](std::size_t k) { fail_allocation(k); });
    c_calls<TypeParam> calls(24, 5, data_kind::usual);
    calls.workspace_argument = nullptr;
    fail_allocation(1);
    EXPECT_EQ(calls.gradient(), BITSTEP_OUT_OF_MEMORY);
    fail_allocation(0);
    EXPECT_NE(std::string_view(bitstep_last_error()).find("workspace"), std::string_view::npos) << bitstep_last_error();
}

/// Nor is there memory for the text of bitstep_last_error, of which a thread's first failure needs some.
TYPED_TEST(c_memory_test, no_memory_at_all_is_out_of_memory) {
    if (!mallocs_are_seen()) {
        GTEST_SKIP() << "a sanitizer's malloc cannot be made to fail";
    }
    expect_out_of_memory<TypeParam>([](std::size_t k) { fail_allocations_from(k); });
    std::thread([] { // has no text yet
        c_calls<TypeParam> calls(24, 5, data_kind::usual);
        calls.workspace_argument = nullptr;
        fail_allocations_from(1);
        const bitstep_status got = calls.gradient();
        const char* text = bitstep_last_error();
        fail_allocation(0);
        EXPECT_EQ(got, BITSTEP_OUT_OF_MEMORY);
        EXPECT_STREQ(text, "");
        EXPECT_EQ(calls.gradient(), BITSTEP_OK);
    })
        .join();
}

TYPED_TEST(c_memory_test, with_a_workspace_nothing_is_allocated) {
    using k = c_calls<TypeParam>;
    k call(24, 5, data_kind::usual);
    call.counts = counts;
    call.options.threads = 1;
    bitstep_status got[10];
    reset_allocations();
    got[0] = call.step();
    got[1] = call.step_rows();
    got[2] = call.step_in_place();
    got[3] = call.step_rows_in_place();
    got[4] = call.gradient();
    got[5] = call.take_mean();
    got[6] = call.predict();
    got[7] = call.update();
    got[8] = call.ring();
    got[9] = call.residual();
    const allocation_counts seen = allocations();
    EXPECT_EQ(seen.news, 0U);
    EXPECT_EQ(seen.mallocs, 0U);
    for (const bitstep_status each : got) {
        EXPECT_EQ(each, BITSTEP_OK);
    }
}

TYPED_TEST(c_memory_test, a_mean_over_nothing) {
    using c = verbs_of<TypeParam>;
    bitstep_options options = BITSTEP_OPTIONS_INIT;
    bitstep_run_report report = BITSTEP_RUN_REPORT_INIT;
    options.report = &report;
    EXPECT_EQ(c::mean(nullptr, 0, 3, nullptr, &options, nullptr), BITSTEP_OK) << bitstep_last_error();
    EXPECT_NE(report.ran, BITSTEP_ARCH_AUTOMATIC);
    EXPECT_EQ(report.threads, 1);
    EXPECT_EQ(c::mean(nullptr, 0, 3, counts, nullptr, nullptr), BITSTEP_OK) << bitstep_last_error();
    EXPECT_EQ(c::mean(nullptr, 0, 0, nullptr, nullptr, nullptr), BITSTEP_INVALID_SHAPE);

    std::size_t bytes = 0;
    EXPECT_EQ(c::mean_bytes(0, 3, &bytes), BITSTEP_OK) << bitstep_last_error();
    std::vector<unsigned char> scratch(bytes);
    const bitstep_workspace workspace = {scratch.data(), bytes};
    EXPECT_EQ(c::mean(nullptr, 0, 3, counts, nullptr, &workspace), BITSTEP_OK) << bitstep_last_error();

    const typename c::tensor empty[] = {{"a", nullptr, nullptr, 0}, {nullptr, nullptr, nullptr, 0}};
    EXPECT_EQ(c::mean(empty, 2, 3, nullptr, nullptr, nullptr), BITSTEP_OK) << bitstep_last_error();
}

} // namespace
} // namespace bitstep_test
