// SPDX-License-Identifier: Apache-2.0
// Proves: struct_size is the whole compatibility rule (older callers get defaults, nonsense is refused, nothing beyond it
// is read or written); the defaults and texts of C are C++'s (that the numbers are is asserted in src/c_api/call.cpp).
#include "c_calls.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace bitstep_test {
namespace {

/// Where a field ends: a size that a caller's struct can have.
template <class Struct, class Field>
std::size_t end_of(Field Struct::*field) {
    const Struct all{};
    const auto* begin = reinterpret_cast<const char*>(&all);
    return static_cast<std::size_t>(reinterpret_cast<const char*>(&(all.*field)) - begin) + sizeof(Field);
}

/// `chosen` as far as `size` goes, then `rest`. Only the copy that begins with bytes of 0xFF can tell what is read.
template <class Struct>
Struct cut(const Struct& chosen, std::size_t size, Struct rest, std::size_t struct_size) {
    std::memcpy(&rest, &chosen, std::min(size, sizeof rest));
    rest.struct_size = struct_size;
    return rest;
}
template <class Struct>
Struct all_ones() {
    Struct s;
    std::memset(&s, 0xFF, sizeof s);
    return s;
}

/// Every size up to 16 more than the struct's: body(size, whether a field ends there).
template <class Struct, class Body>
void for_each_size(const std::vector<std::size_t>& ends, Body body) {
    EXPECT_EQ(ends.back(), sizeof(Struct)) << "padding ends the struct, or a field is missing in this test";
    for (std::size_t size = 0; size <= sizeof(Struct) + 16; ++size) {
        SCOPED_TRACE("size " + std::to_string(size));
        body(size, std::find(ends.begin(), ends.end(), size) != ends.end());
    }
}

testing::AssertionResult refused_for(bitstep_status got, const char* words) {
    if (got == BITSTEP_INVALID_ARGUMENT && std::strstr(bitstep_last_error(), words) != nullptr) {
        return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << bitstep_strerror(got) << ": " << bitstep_last_error();
}

int calls_of_pool = 0;
void* pool_given = nullptr;
void any_pool(void* pool, std::size_t n, bitstep_task task, void* context) {
    ++calls_of_pool;
    pool_given = pool;
    for (std::size_t i = 0; i < n; ++i) {
        task(i, context);
    }
}

/// Bytes for a step over 47 kB, which the default serial_below_bytes leaves to one thread, and over 13 MB, which it does not.
std::size_t queried(const bitstep_options& options) {
    std::size_t small = 0;
    std::size_t large = 0;
    EXPECT_EQ(bitstep_distributed_step_workspace_bytes_f32(1300, 9, &options, &small), BITSTEP_OK)
        << bitstep_last_error();
    EXPECT_EQ(bitstep_distributed_step_workspace_bytes_f32(100000, 33, &options, &large), BITSTEP_OK);
    return small + large;
}

/// What lies beyond the size is invalid wherever it is read: threads, arch, ... of -1, a report and a pool at no address.
TEST(c_options, every_older_size_is_accepted_and_gives_defaults) {
    using o = bitstep_options;
    const std::vector<std::size_t> ends = {
        end_of(&o::struct_size), end_of(&o::threads),      end_of(&o::accumulate),
        end_of(&o::arch),        end_of(&o::check_state),  end_of(&o::serial_below_bytes),
        end_of(&o::report),      end_of(&o::parallel_for), end_of(&o::pool)};
    bitstep_run_report report = BITSTEP_RUN_REPORT_INIT;
    bitstep_options chosen = {0, 3, BITSTEP_ACCUMULATE_WIDE, 0, BITSTEP_CHECK_OFF, 8, &report, any_pool, &report};
    ASSERT_EQ(bitstep_active_arch(&chosen.arch), BITSTEP_OK);
    bitstep_options other = cut<bitstep_options>(chosen, end_of(&o::threads), BITSTEP_OPTIONS_INIT, sizeof(o));
    const std::size_t by_default = queried(other);
    other.serial_below_bytes = SIZE_MAX;
    EXPECT_LT(queried(other), by_default) << "the query does not tell serial_below_bytes";
    other.serial_below_bytes = 0;
    EXPECT_GT(queried(other), by_default) << "the query does not tell serial_below_bytes";

    for_each_size<bitstep_options>(ends, [&](std::size_t size, bool is_end) {
        const bitstep_options given = cut(chosen, size, all_ones<bitstep_options>(), size);
        c_calls<float> calls(1300, 9, data_kind::spread);
        calls.workspace_argument = nullptr;
        calls.options_argument = &given;
        calls_of_pool = 0;
        report.threads = -7;
        if (!is_end) {
            EXPECT_TRUE(refused_for(calls.step(), "options.struct_size"));
            return;
        }
        ASSERT_EQ(calls.step(), BITSTEP_OK) << bitstep_last_error();
        EXPECT_EQ(calls_of_pool > 0, size >= end_of(&o::parallel_for));
        EXPECT_TRUE(calls_of_pool == 0 || pool_given == (size >= end_of(&o::pool) ? &report : nullptr));
        EXPECT_EQ(report.threads > 0, size >= end_of(&o::report));

        const bitstep_options same = cut<bitstep_options>(chosen, size, BITSTEP_OPTIONS_INIT, sizeof(o));
        EXPECT_EQ(queried(given), queried(same));
        c_calls<float> with_defaults(1300, 9, data_kind::spread);
        with_defaults.workspace_argument = nullptr;
        with_defaults.options_argument = &same;
        ASSERT_EQ(with_defaults.step(), BITSTEP_OK) << bitstep_last_error();
        EXPECT_TRUE(same_bits(calls.out, with_defaults.out));
    });
}

TEST(c_options, every_older_size_of_hyper_parameters) {
    using h = bitstep_hyper_parameters;
    const std::vector<std::size_t> ends = {
        end_of(&h::struct_size), end_of(&h::lr),    end_of(&h::beta1), end_of(&h::beta2),
        end_of(&h::eps),         end_of(&h::decay), end_of(&h::t)};
    const bitstep_hyper_parameters chosen = {0, 0.25, 0.5, 0.75, 1e-3, 0.125, 7};
    for_each_size<bitstep_hyper_parameters>(ends, [&](std::size_t size, bool is_end) {
        c_calls<float> calls(4, 5, data_kind::usual);
        calls.hyper = cut(chosen, size, all_ones<bitstep_hyper_parameters>(), size);
        if (!is_end) {
            EXPECT_TRUE(refused_for(calls.update(), "hyper.struct_size"));
            return;
        }
        ASSERT_EQ(calls.update(), BITSTEP_OK) << bitstep_last_error();
        c_calls<float> with_defaults(4, 5, data_kind::usual);
        with_defaults.hyper = cut<bitstep_hyper_parameters>(chosen, size, BITSTEP_HYPER_PARAMETERS_INIT, sizeof(h));
        ASSERT_EQ(with_defaults.update(), BITSTEP_OK) << bitstep_last_error();
        EXPECT_TRUE(same_bits(calls.updated, with_defaults.updated));
    });
}

TEST(c_options, a_report_is_whole_and_written_by_what_ran) {
    for (std::size_t size = 0; size <= 2 * sizeof(bitstep_run_report); ++size) {
        SCOPED_TRACE(size);
        bitstep_run_report report = {size, -7, -7};
        c_calls<float> calls(3, 5, data_kind::usual);
        calls.options.report = &report;
        calls.options.arch = BITSTEP_ARCH_REFERENCE;
        if (size != sizeof report) {
            EXPECT_TRUE(refused_for(calls.predict(), "options.report.struct_size"));
            EXPECT_EQ(report.ran, -7);
            continue;
        }
        EXPECT_GT(queried(calls.options), 0U);
        EXPECT_EQ(report.ran, -7) << "written although nothing ran";
        calls.x.rows = 0;
        EXPECT_EQ(calls.predict(), BITSTEP_INVALID_SHAPE);
        EXPECT_EQ(report.ran, -7) << "written although the call was refused";
        calls.x.rows = 3;
        EXPECT_EQ(calls.predict(), BITSTEP_OK) << bitstep_last_error();
        EXPECT_EQ(report.struct_size, size);
        EXPECT_EQ(report.ran, BITSTEP_ARCH_REFERENCE);
        EXPECT_EQ(report.threads, 1);
    }
}

/// The report is written as it was checked, whatever the caller's threads do to its size meanwhile.
TEST(c_options, a_report_that_grows_during_the_call_is_not_overrun) {
    struct {
        bitstep_run_report report = BITSTEP_RUN_REPORT_INIT;
        unsigned char marks[48];
    } memory;
    std::memset(memory.marks, 0x5A, sizeof memory.marks);
    c_calls<float> calls(1300, 9, data_kind::usual);
    calls.workspace_argument = nullptr;
    calls.options.threads = 3;
    calls.options.serial_below_bytes = 0;
    calls.options.report = &memory.report;
    calls.options.pool = &memory.report;
    calls.options.parallel_for = [](void* pool, std::size_t n, bitstep_task task, void* context) {
        static_cast<bitstep_run_report*>(pool)->struct_size = sizeof memory;
        any_pool(pool, n, task, context);
    };
    EXPECT_EQ(calls.step(), BITSTEP_OK) << bitstep_last_error();
    EXPECT_EQ(memory.report.struct_size, sizeof memory) << "it is the caller's to write";
    EXPECT_GE(memory.report.threads, 2);
    for (const unsigned char mark : memory.marks) {
        ASSERT_EQ(mark, 0x5A);
    }
}

TEST(c_options, initialisers_are_cpps_defaults) {
    const bitstep_options c = BITSTEP_OPTIONS_INIT;
    const bitstep::options cpp;
    EXPECT_EQ(c.threads, cpp.threads);
    EXPECT_EQ(c.accumulate, static_cast<int>(cpp.accumulate));
    EXPECT_EQ(c.arch, static_cast<int>(cpp.arch));
    EXPECT_EQ(c.check_state, static_cast<int>(cpp.check_state));
    EXPECT_EQ(c.serial_below_bytes, cpp.serial_below_bytes);
    EXPECT_EQ(c.parallel_for, nullptr);
    const bitstep_hyper_parameters h = BITSTEP_HYPER_PARAMETERS_INIT;
    const bitstep::hyper_parameters of_cpp;
    EXPECT_EQ(h.lr, of_cpp.lr);
    EXPECT_EQ(h.beta1, of_cpp.beta1);
    EXPECT_EQ(h.beta2, of_cpp.beta2);
    EXPECT_EQ(h.eps, of_cpp.eps);
    EXPECT_EQ(h.decay, of_cpp.decay);
    EXPECT_EQ(h.t, of_cpp.t);
}

TEST(c_options, names_and_texts_are_cpps) {
    EXPECT_STREQ(bitstep_version(), bitstep::version());
    EXPECT_EQ(bitstep_numerics_version(), bitstep::numerics_version());
    EXPECT_EQ(bitstep_ring_event_count(5), bitstep::ring_event_count(5));
    const char* const names[] = {"unknown", "automatic", "reference", "baseline",
                                 "avx2",    "avx512",    "neon64",    "unknown"};
    for (int arch = -1; arch <= BITSTEP_ARCH_NEON64 + 1; ++arch) {
        EXPECT_STREQ(bitstep_arch_name(arch), names[arch + 1]);
        const auto in_cpp = static_cast<bitstep::arch>(arch);
        EXPECT_EQ(bitstep_arch_compiled(arch), bitstep::arch_compiled(in_cpp) ? 1 : 0);
        EXPECT_EQ(bitstep_arch_runnable(arch), bitstep::arch_runnable(in_cpp) ? 1 : 0);
    }
    EXPECT_EQ(bitstep_arch_compiled(BITSTEP_ARCH_REFERENCE), 1);
    EXPECT_EQ(bitstep_arch_runnable(BITSTEP_ARCH_REFERENCE), 1);
    EXPECT_EQ(bitstep_arch_compiled(-1) + bitstep_arch_runnable(-1), 0);
    int got = 0;
    bitstep::arch want{};
    EXPECT_EQ(bitstep_active_arch(&got), static_cast<int>(bitstep::active_arch(want).code()));
    EXPECT_EQ(got, static_cast<int>(want));
    int threads = 0;
    EXPECT_EQ(bitstep_active_threads(&threads), BITSTEP_OK);
    EXPECT_GE(threads, 1);
    bitstep_panel_lengths panels{};
    EXPECT_EQ(bitstep_numerics_panels(&panels), BITSTEP_OK);
    const bitstep::panel_lengths in_cpp = bitstep::numerics_panels();
    EXPECT_EQ(panels.column_panel, in_cpp.column_panel);
    EXPECT_EQ(panels.row_panel, in_cpp.row_panel);
    EXPECT_EQ(panels.float_lanes, in_cpp.float_lanes);
    EXPECT_EQ(panels.double_lanes, in_cpp.double_lanes);
    for (int status = -1; status <= 10; ++status) {
        for (int other = -1; other < status; ++other) {
            EXPECT_TRUE(std::strcmp(bitstep_strerror(status), bitstep_strerror(other)) != 0 ||
                        (status == 10 && other == -1));
        }
    }
}

} // namespace
} // namespace bitstep_test
