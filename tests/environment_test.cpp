// SPDX-License-Identifier: Apache-2.0
// Proves what BITSTEP_ARCH and BITSTEP_NUM_THREADS do, and that bad values are errors that list the good ones. They are
// read once per process, so each case runs in a forked child, and no case may call the library in the parent.
#include "support/forked.hpp"

#include <bitstep/bitstep.hpp>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace bitstep_test {
namespace {

struct variables {
    const char* arch = nullptr; ///< null: not set
    const char* threads = nullptr;
};

void set_or_clear(const char* name, const char* value) {
    if (value == nullptr) {
        unsetenv(name);
    } else {
        setenv(name, value, 1);
    }
}

std::string describe(const bitstep::status& result) {
    return std::to_string(static_cast<int>(result.code())) + " " + result.message();
}

/// One prediction of 512 rows x 4096 features, large enough for threads, under default options unless changed.
std::string predict_report(const bitstep::options& base) {
    const std::vector<float> x(512 * 4096, 1.0F);
    const std::vector<float> w(4096, 0.5F);
    std::vector<float> out(512, 77.0F);
    bitstep::run_report report;
    bitstep::options opts = base;
    opts.report = &report;
    const bitstep::status result =
        bitstep::predict<float>({x.data(), 512, 4096, 4096}, {w.data(), 4096}, {out.data(), 512}, opts);
    const bool untouched = out == std::vector<float>(512, 77.0F);
    const bool right = out == std::vector<float>(512, 2048.0F);
    return describe(result) + " ran " + bitstep::arch_name(report.ran) + " threads " + std::to_string(report.threads) +
           (untouched ? " untouched" : "") + (right ? " right" : "");
}

std::string predict_under(const variables& set, const bitstep::options& opts = {}) {
    const child_result child = run_in_child([&] {
        set_or_clear("BITSTEP_ARCH", set.arch);
        set_or_clear("BITSTEP_NUM_THREADS", set.threads);
        return predict_report(opts);
    });
    EXPECT_TRUE(child.exited_cleanly) << "the child died: " << child.text;
    return child.text;
}

void expect_holds(const std::string& text, const std::vector<std::string>& words) {
    for (const std::string& word : words) {
        const bool found = text.find(word) != std::string::npos;
        EXPECT_TRUE(found) << "\"" << word << "\" is not in: " << text;
    }
}

const std::string arch_unavailable = "9 ";
const std::string invalid_argument = "2 ";

TEST(environment, arch_names_the_kernels_that_run) {
    expect_holds(predict_under({"reference", nullptr}), {"0 ", "ran reference", "threads 1", "right"});
    expect_holds(predict_under({nullptr, nullptr}), {"0 ", "right"});
    for (const char* name : {"baseline", "avx2", "avx512", "neon64"}) {
        const child_result runnable = run_in_child([&] {
            bitstep::arch which = bitstep::arch::automatic;
            const bool known = bitstep::arch_from_name(name, which).ok();
            return std::string(known && bitstep::arch_runnable(which) ? "yes" : "no");
        });
        const std::string ran = predict_under({name, nullptr});
        if (runnable.text == "yes") {
            expect_holds(ran, {"0 ", std::string("ran ") + name, "right"});
        } else {
            expect_holds(ran, {arch_unavailable, name, "reference", "untouched"});
        }
    }
}

TEST(environment, an_unknown_arch_is_an_error_that_lists_the_valid_ones) {
    for (const char* name : {"sse9", "AVX2", "automatic", "avx2,avx512"}) {
        expect_holds(predict_under({name, nullptr}),
                     {arch_unavailable, "BITSTEP_ARCH", name, "reference", "untouched"});
    }
}

TEST(environment, an_empty_arch_counts_as_not_set) {
    EXPECT_EQ(predict_under({"", nullptr}), predict_under({nullptr, nullptr}));
}

TEST(environment, an_arch_option_overrules_the_variable) {
    bitstep::options opts;
    opts.arch = bitstep::arch::reference;
    expect_holds(predict_under({"sse9", nullptr}, opts), {"0 ", "ran reference", "right"});
}

TEST(environment, num_threads_sets_the_team) {
#if defined(BITSTEP_TESTS_WITH_OPENMP)
    expect_holds(predict_under({nullptr, "3"}), {"0 ", "threads 3", "right"});
    expect_holds(predict_under({nullptr, "1"}), {"0 ", "threads 1", "right"});
    bitstep::options opts;
    opts.threads = 2;
    expect_holds(predict_under({nullptr, "3"}, opts), {"0 ", "threads 2", "right"});
#else
    expect_holds(predict_under({nullptr, "3"}), {"0 ", "threads 1", "right"});
#endif
}

TEST(environment, bad_numbers_of_threads_are_errors) {
    for (const char* value : {"0", "-1", "1025", "two", "2x", " ", "1e3", "0x10", "99999999999999999999", "2.5"}) {
        SCOPED_TRACE(value);
        expect_holds(predict_under({nullptr, value}), {invalid_argument, "BITSTEP_NUM_THREADS", value, "untouched"});
    }
}

TEST(environment, an_empty_number_of_threads_counts_as_not_set) {
    EXPECT_EQ(predict_under({nullptr, ""}), predict_under({nullptr, nullptr}));
}

TEST(environment, a_threads_option_overrules_the_variable) {
    bitstep::options opts;
    opts.threads = 1;
    expect_holds(predict_under({nullptr, "two"}, opts), {"0 ", "threads 1", "right"});
}

TEST(environment, queries_say_what_would_run) {
    const auto query = [](const char* arch, const char* threads) {
        return run_in_child([=] {
                   set_or_clear("BITSTEP_ARCH", arch);
                   set_or_clear("BITSTEP_NUM_THREADS", threads);
                   bitstep::arch which = bitstep::arch::automatic;
                   int team = -7;
                   const bitstep::status of_arch = bitstep::active_arch(which);
                   const bitstep::status of_threads = bitstep::active_threads(team);
                   return describe(of_arch) + "|" + bitstep::arch_name(which) + "|" + describe(of_threads) + "|" +
                          std::to_string(team);
               })
            .text;
    };
    EXPECT_EQ(query("reference", "5").substr(0, 17), "0 |reference|0 |5");
    expect_holds(query("sse9", "5"), {"9 ", "BITSTEP_ARCH", "sse9", "|automatic|"});
    expect_holds(query("reference", "many"), {"0 |reference|2 ", "BITSTEP_NUM_THREADS", "many", "|-7"});
    EXPECT_EQ(query("reference", nullptr).substr(0, 15), "0 |reference|0 ");
}

} // namespace
} // namespace bitstep_test
