// SPDX-License-Identifier: Apache-2.0
// Proves: from C, too, an allocation that fails is BITSTEP_OUT_OF_MEMORY and changes nothing, with a workspace nothing is
// allocated, and a mean over no tensors, or over empty ones, is a success that touches no pointer.
#include "c_calls.hpp"

#include "support/allocation.hpp"
#include "support/typed.hpp"

#include <cerrno>
#include <string_view>

namespace bitstep_test {
namespace {

template <class T>
class c_memory_test : public testing::Test {};
TYPED_TEST_SUITE(c_memory_test, element_types, element_names);

const long long counts[] = {1, 2, 3};

/// Allocation 1, 2, ... of the call fails until it needs none beyond.
TYPED_TEST(c_memory_test, failing_allocations_are_out_of_memory) {
    if (!mallocs_are_seen()) {
        GTEST_SKIP() << "a sanitizer's malloc cannot be made to fail";
    }
    using k = c_calls<TypeParam>;
    std::size_t number = 0;
    for (const auto verb :
         {&k::step, &k::step_rows, &k::step_in_place, &k::step_rows_in_place, &k::gradient, &k::take_mean}) {
        SCOPED_TRACE("verb " + std::to_string(number++));
        std::size_t failures = 0;
        bool done = false;
        while (!done && failures < 100) {
            k call(24, 5, data_kind::usual);
            call.counts = counts;
            call.workspace_argument = nullptr;
            call.options.threads = 1;
            watched_memory memory;
            call.watch_all(memory);
            memory.remember();
            fail_allocation(failures + 1);
            errno = 1234;
            const bitstep_status got = (call.*verb)();
            const int error = errno;
            fail_allocation(0);
            EXPECT_EQ(error, 1234);
            done = got == BITSTEP_OK;
            if (!done) {
                ++failures;
                EXPECT_EQ(got, BITSTEP_OUT_OF_MEMORY);
                EXPECT_NE(std::string_view(bitstep_last_error()).find("workspace"), std::string_view::npos)
                    << bitstep_last_error();
                memory.expect_unchanged();
            }
        }
        EXPECT_TRUE(done);
        EXPECT_GT(failures, 0U) << "no allocation failed: this test proved nothing";
    }
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
