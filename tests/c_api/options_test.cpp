// SPDX-License-Identifier: Apache-2.0
// Proves: struct_size is the whole compatibility rule (older callers get defaults, nonsense is refused, nothing beyond it
// is read or written); the constants and texts of C are C++'s.
#include "c_calls.hpp"

#include <cstring>

namespace bitstep_test {
namespace {

using predict_calls = c_calls<float>;

TEST(c_options, every_older_size_is_accepted_and_gives_defaults) {
    for (std::size_t size = 0; size <= sizeof(bitstep_options) + 16; ++size) {
        predict_calls calls(4, 5, data_kind::usual);
        calls.options.threads = -1; // in [8, 12): wrong wherever it is read
        calls.options.struct_size = size;
        const bool whole_fields = size == 8 || (size >= 12 && size <= 24 && size % 4 == 0) ||
                                  (size > 24 && size <= sizeof(bitstep_options) && size % 8 == 0);
        const bitstep_status got = calls.predict();
        EXPECT_EQ(got, size == 8 ? BITSTEP_OK : BITSTEP_INVALID_ARGUMENT) << size;
        const bool about_threads = std::strncmp(bitstep_last_error(), "threads", 7) == 0;
        EXPECT_EQ(about_threads, whole_fields && size != 8) << size << ": " << bitstep_last_error();
    }
}

TEST(c_options, every_older_size_of_hyper_parameters) {
    for (std::size_t size = 0; size <= sizeof(bitstep_hyper_parameters) + 16; ++size) {
        predict_calls calls(4, 5, data_kind::usual);
        calls.hyper = {size, -1, 0, 0, 1, 1, 1}; // lr is wrong wherever it is read
        const bitstep_status got = calls.update();
        EXPECT_EQ(got, size == 8 ? BITSTEP_OK : BITSTEP_INVALID_ARGUMENT) << size;
        const bool about_lr = std::strncmp(bitstep_last_error(), "lr", 2) == 0;
        EXPECT_EQ(about_lr, size > 8 && size % 8 == 0 && size <= sizeof(bitstep_hyper_parameters)) << size;
    }
}

TEST(c_options, a_report_is_written_as_far_as_it_goes) {
    for (const std::size_t size : {std::size_t{8}, std::size_t{12}, std::size_t{16}}) {
        bitstep_run_report report = {size, -7, -7};
        predict_calls calls(4, 5, data_kind::usual);
        calls.options.report = &report;
        calls.options.arch = BITSTEP_ARCH_REFERENCE;
        EXPECT_EQ(calls.predict(), BITSTEP_OK) << bitstep_last_error();
        EXPECT_EQ(report.struct_size, size);
        EXPECT_EQ(report.ran, size >= 12 ? BITSTEP_ARCH_REFERENCE : -7);
        EXPECT_EQ(report.threads, size >= 16 ? 1 : -7);
        report = {size, -7, -7};
        calls.x.rows = 0;
        EXPECT_EQ(calls.predict(), BITSTEP_INVALID_SHAPE);
        EXPECT_EQ(report.ran, -7) << "written although the call was refused";
    }
    bitstep_run_report report = {0, -7, -7};
    predict_calls calls(4, 5, data_kind::usual);
    calls.options.report = &report;
    EXPECT_EQ(calls.predict(), BITSTEP_INVALID_ARGUMENT);
    EXPECT_NE(std::strstr(bitstep_last_error(), "options.report.struct_size"), nullptr) << bitstep_last_error();
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

TEST(c_options, numbers_and_names_are_cpps) {
    EXPECT_EQ(BITSTEP_GRADIENT_OVERFLOW, static_cast<int>(bitstep::status_code::gradient_overflow));
    EXPECT_EQ(BITSTEP_ARCH_UNAVAILABLE, static_cast<int>(bitstep::status_code::arch_unavailable));
    EXPECT_EQ(BITSTEP_ACCUMULATE_WIDE, static_cast<int>(bitstep::accumulate_mode::wide));
    EXPECT_EQ(BITSTEP_CHECK_ON, static_cast<int>(bitstep::check_mode::on));
    EXPECT_EQ(BITSTEP_RING_SUM, static_cast<int>(bitstep::ring_op::sum));
    EXPECT_EQ(BITSTEP_RING_ALL_GATHER, static_cast<int>(bitstep::ring_phase::all_gather));
    EXPECT_STREQ(bitstep_version(), bitstep::version());
    EXPECT_EQ(bitstep_numerics_version(), bitstep::numerics_version());
    EXPECT_EQ(bitstep_ring_event_count(5), bitstep::ring_event_count(5));
    for (int arch = -1; arch <= BITSTEP_ARCH_NEON64 + 1; ++arch) {
        const auto in_cpp = static_cast<bitstep::arch>(arch);
        EXPECT_STREQ(bitstep_arch_name(arch), bitstep::arch_name(in_cpp));
        EXPECT_EQ(bitstep_arch_compiled(arch), bitstep::arch_compiled(in_cpp) ? 1 : 0);
        EXPECT_EQ(bitstep_arch_runnable(arch), bitstep::arch_runnable(in_cpp) ? 1 : 0);
    }
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
