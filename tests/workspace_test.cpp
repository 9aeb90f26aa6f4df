// SPDX-License-Identifier: Apache-2.0
// Proves: with a workspace no verb allocates; a workspace of exactly the queried size is enough at any address and is not
// overrun, one byte less is refused; where an allocation fails in the convenience path the call says out_of_memory and
// nothing has changed.
#include "support/allocation.hpp"
#include "support/arch_threads.hpp"
#include "support/every_verb.hpp"
#include "support/forked.hpp"
#include "support/guard_pages.hpp"
#include "support/refusal.hpp"
#include "support/shapes.hpp"
#include "support/step_call.hpp"
#include "support/typed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

namespace bitstep_test {
namespace {

using bitstep::accumulate_mode;
using bitstep::status_code;

template <class T>
class workspace_test : public testing::Test {};
TYPED_TEST_SUITE(workspace_test, element_types, element_names);

template <class T>
std::size_t queried_bytes(std::size_t rows, std::size_t features, const bitstep::options& opts) {
    std::size_t for_step = 0;
    std::size_t for_gradient = 0;
    expect_ok(bitstep::distributed_step_workspace_bytes<T>(rows, features, opts, for_step));
    expect_ok(bitstep::gradient_workspace_bytes<T>(rows, features, opts, for_gradient));
    EXPECT_GE(for_step, for_gradient);
    return for_step;
}

const shape shapes[] = {{1, 1, "a workspace of nothing but its alignment"},
                        {70, 33, "two row panels"},
                        {1300, 9, "a subtree per thread"},
                        {5, 3001, "long rows"},
                        {70, 20481, "columns shared by two to five threads"},
                        {64 * 130 + 1, 3, "subtrees of several panels"}};

TYPED_TEST(workspace_test, no_verb_allocates) {
    for (const shape& of : shapes) {
        every_verb<TypeParam> verbs(of.rows, of.features, data_kind::usual);
        for (const accumulate_mode mode : every_mode) {
            if (too_long_here<TypeParam>(mode, of.rows * of.features)) {
                continue;
            }
            const auto want = verbs.run_all(reference_options(mode));
            for_each_arch_and_threads(mode, [&](const bitstep::options& opts) {
                std::vector<unsigned char> scratch(queried_bytes<TypeParam>(of.rows, of.features, opts), 0xFF);
                verb_statuses status;
                verbs.run(opts, {scratch.data(), scratch.size()}, status); // OpenMP makes its threads here
                reset_allocations();
                verbs.run(opts, {scratch.data(), scratch.size()}, status);
                const allocation_counts seen = allocations();
                EXPECT_EQ(seen.news, 0U);
                if (opts.threads == 1) {
                    EXPECT_EQ(seen.mallocs, 0U); // a team of several is the OpenMP runtime's to allocate
                }
                EXPECT_TRUE(same_results(verbs.results(status), want));
                return want.values.size();
            });
        }
    }
}

/// "Never touches OpenMP": not even the runtime's start, which allocates (libomp), is on the way of small work. In a
/// child, and alone in its process under CTest, so that no other case has started the runtime.
TYPED_TEST(workspace_test, the_first_small_call_of_a_process_allocates_nothing) {
    const child_result child = run_in_child([] {
        every_verb<TypeParam> verbs(20, 30, data_kind::usual);
        std::vector<unsigned char> scratch(1U << 20U);
        verb_statuses status;
        reset_allocations();
        verbs.run({}, {scratch.data(), scratch.size()}, status);
        const allocation_counts seen = allocations();
        return std::string(std::all_of(std::begin(status), std::end(status), [](const auto& s) { return s.ok(); })
                               ? "ok "
                               : "refused ") +
               std::to_string(seen.news + seen.mallocs);
    });
    EXPECT_TRUE(child.exited_cleanly);
    EXPECT_EQ(child.text, "ok 0");
}

/// The counters count: without this the test above could pass blind.
TYPED_TEST(workspace_test, the_convenience_path_is_seen_to_allocate) {
    if (!mallocs_are_seen()) {
        GTEST_SKIP() << "a sanitizer's malloc can be neither counted nor made to fail";
    }
    every_verb<TypeParam> verbs(70, 33, data_kind::usual);
    verb_statuses status;
    const bitstep::options opts = forced(bitstep::arch::automatic, 1, accumulate_mode::native);
    verbs.run(opts, {}, status);
    reset_allocations();
    verbs.run(opts, {}, status);
    const allocation_counts seen = allocations();
    EXPECT_GT(seen.news + seen.mallocs, 0U);
    EXPECT_LE(seen.news + seen.mallocs, 3U) << "gradient, distributed_step and a mean with counts allocate once each";
}

/// Sized for many threads, used by fewer, which may share the rows where many share the columns.
TYPED_TEST(workspace_test, the_size_for_many_threads_does_for_fewer) {
    for (const shape& of : {shape{70, 20481, "rows or columns"}, shape{300, 8193, "five panels"},
                            shape{4, 300001, "few rows above 1 MB"}, shape{1300, 9, "narrow"}}) {
        SCOPED_TRACE(describe(of));
        every_verb<TypeParam> verbs(of.rows, of.features, data_kind::usual);
        for (const accumulate_mode mode : every_mode) {
            if (too_long_here<TypeParam>(mode, of.rows * of.features)) {
                continue;
            }
            const auto want = verbs.run_all(reference_options(mode));
            const auto asking = [&](int threads) { return forced(bitstep::arch::automatic, threads, mode); };
            const std::size_t bytes = queried_bytes<TypeParam>(of.rows, of.features, asking(16));
            guarded_buffer<unsigned char> given(bytes, page_edge::end);
            for (const int threads : {1, 2, 3, 4, 5, 7, 11, 16}) {
                if (emulated && threads > 3 && threads < 16) {
                    continue;
                }
                EXPECT_LE(queried_bytes<TypeParam>(of.rows, of.features, asking(threads)), bytes) << threads;
                EXPECT_TRUE(same_results(verbs.run_all(asking(threads), {given.data(), bytes}), want)) << threads;
            }
        }
    }
}

/// Exactly the queried bytes, against a guard page at the end or the start, or at an odd address between marks.
TYPED_TEST(workspace_test, the_queried_size_is_enough_and_not_overrun) {
    for (const shape& of : shapes) {
        SCOPED_TRACE(describe(of));
        every_verb<TypeParam> verbs(of.rows, of.features, data_kind::usual);
        for (const accumulate_mode mode : every_mode) {
            if (too_long_here<TypeParam>(mode, of.rows * of.features)) {
                continue;
            }
            const auto want = verbs.run_all(reference_options(mode));
            std::size_t number = 0;
            for_each_arch_and_threads(mode, [&](const bitstep::options& opts) {
                const std::size_t bytes = queried_bytes<TypeParam>(of.rows, of.features, opts);
                guarded_buffer<unsigned char> at_end(bytes, page_edge::end);
                EXPECT_TRUE(same_results(verbs.run_all(opts, {at_end.data(), bytes}), want));
                guarded_buffer<unsigned char> at_begin(bytes, page_edge::begin);
                EXPECT_TRUE(same_results(verbs.run_all(opts, {at_begin.data(), bytes}), want));
                misaligned_buffer<unsigned char> odd(bytes, 1 + 2 * number++);
                EXPECT_TRUE(same_results(verbs.run_all(opts, {odd.data(), bytes}), want));
                EXPECT_TRUE(odd.marks_intact()) << "the workspace was overrun";
                return want.values.size();
            });
        }
    }
}

TYPED_TEST(workspace_test, every_address_will_do) {
    every_verb<TypeParam> verbs(70, 33, data_kind::usual);
    const auto want = verbs.run_all(reference_options(accumulate_mode::native));
    for (const bitstep::arch which : runnable_archs()) {
        const bitstep::options opts = forced(which, 2, accumulate_mode::native);
        for (std::size_t offset = 0; offset < line_bytes; ++offset) {
            misaligned_buffer<unsigned char> scratch(queried_bytes<TypeParam>(70, 33, opts), offset);
            std::fill_n(scratch.data(), scratch.size(), static_cast<unsigned char>(0xFF)); // NaN wherever it is read
            ASSERT_TRUE(same_results(verbs.run_all(opts, {scratch.data(), scratch.size()}), want))
                << "offset " << offset;
            ASSERT_TRUE(scratch.marks_intact()) << "offset " << offset;
        }
    }
}

TYPED_TEST(workspace_test, one_byte_less_is_refused) {
    for (const bitstep::arch which : runnable_archs()) {
        for (const accumulate_mode mode : every_mode) {
            for (const step_form form : every_form) {
                step_call<TypeParam> call;
                call.opts = forced(which, 3, mode);
                const std::size_t bytes = queried_bytes<TypeParam>(24, 5, call.opts);
                ASSERT_LE(bytes, call.scratch_bytes.size());
                call.scratch = {call.scratch_bytes.data(), bytes - 1};
                watched_memory memory;
                call.watch_all(memory);
                memory.watch("workspace", call.scratch_bytes.data(), call.scratch_bytes.size());
                expect_refused(
                    form_name(form), [&] { return call.run(form); },
                    {status_code::workspace_too_small, {"workspace", std::to_string(bytes), std::to_string(bytes - 1)}},
                    memory);
                call.scratch.bytes = bytes;
                expect_ok(call.run(form));
            }
        }
    }
}

/// Bytes without memory: the call allocates, as for an empty workspace.
TYPED_TEST(workspace_test, an_empty_workspace_allocates) {
    step_call<TypeParam> call;
    call.scratch = {nullptr, 0};
    expect_ok(call.run(step_form::batches_to_out));
}

/// Allocation k = 1, 2, ... fails until a call needs none beyond: each failure is out_of_memory and changes nothing.
TYPED_TEST(workspace_test, failing_allocations_are_out_of_memory) {
    if (!mallocs_are_seen()) {
        GTEST_SKIP() << "a sanitizer's malloc can be neither counted nor made to fail";
    }
    for (const bitstep::arch which : runnable_archs()) {
        for (const accumulate_mode mode : every_mode) {
            for (const step_form form : every_form) {
                SCOPED_TRACE(std::string(bitstep::arch_name(which)) + " " + mode_name(mode));
                std::size_t failures = 0;
                for (bool done = false; !done && failures < 100;) {
                    step_call<TypeParam> call;
                    call.opts = forced(which, 1, mode);
                    watched_memory memory;
                    call.watch_all(memory);
                    memory.remember();
                    fail_allocation(failures + 1);
                    const bitstep::status result = call.run(form);
                    fail_allocation(0);
                    done = result.ok();
                    if (!done) {
                        ++failures;
                        expect_says(result, {status_code::out_of_memory, {"workspace"}});
                        memory.expect_unchanged();
                        expect_ok(call.run(form)); // the failure has left nothing behind
                    }
                }
                EXPECT_GT(failures, 0U) << "no allocation failed: this test proved nothing";
            }
        }
    }
}

/// Outputs in no order of addresses need an index; if that cannot be had, the call says so.
TYPED_TEST(workspace_test, a_mean_over_unordered_outputs_survives_a_failing_allocation) {
    if (!mallocs_are_seen()) {
        GTEST_SKIP() << "a sanitizer's malloc can be neither counted nor made to fail";
    }
    const std::vector<TypeParam> input(8, TypeParam(3));
    std::vector<TypeParam> output(16, TypeParam(77));
    const TypeParam* const pointers[] = {input.data(), input.data()};
    const bitstep::worker_tensor<TypeParam> list[] = {{"b", pointers, output.data() + 8, 8},
                                                      {"a", pointers, output.data(), 8}};
    watched_memory memory;
    memory.watch("output", output.data(), output.size());
    memory.remember();
    fail_allocation(1);
    const bitstep::status result = bitstep::allreduce_mean<TypeParam>(list, 2, 2);
    fail_allocation(0);
    expect_says(result, {status_code::out_of_memory, {"workspace"}});
    memory.expect_unchanged();
    expect_ok(bitstep::allreduce_mean<TypeParam>(list, 2, 2));
    EXPECT_EQ(output, std::vector<TypeParam>(16, TypeParam(3)));
}

/// A size that no machine has: out_of_memory, not a crash. X is never read, so it need not exist.
TYPED_TEST(workspace_test, an_impossible_size_is_out_of_memory) {
    const std::size_t features = std::size_t{1} << 44U;
    auto* nowhere = reinterpret_cast<TypeParam*>(std::size_t{1} << 20U);
    const auto far = [&](std::size_t i) { return nowhere + i * 2 * features; };
    const TypeParam y = 0;
    const bitstep::shard_view<TypeParam> shard{far(1), &y, 1, features};
    bitstep::options opts = forced(bitstep::arch::automatic, 1, accumulate_mode::native);
    expect_says(
        bitstep::gradient<TypeParam>({&shard, 1, features}, {far(2), features}, {far(3), features}, nullptr, opts),
        {status_code::out_of_memory, {"workspace"}});
}

} // namespace
} // namespace bitstep_test
