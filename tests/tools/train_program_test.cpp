// SPDX-License-Identifier: Apache-2.0
// `bitstep train` as a process: the quality on real data, one digest for everything that must not matter and another for
// everything that must, and what it shows on the way.
#include "files.hpp"
#include "run_program.hpp"

#include <bitstep/bitstep.hpp>

#include <gtest/gtest.h>

namespace bitstep_test {
namespace {

std::string digest_of(const std::string& more, const std::vector<std::string>& environment = {}) {
    const program_result result = train("--epochs 3 " + more, environment);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(result.digest().size(), 32u) << result.out;
    return result.digest();
}

// The last word of the line that begins with `name`: R2, to four decimals.
std::string r2_of(const program_result& result, const std::string& name) {
    for (const std::string& line : result.out_lines()) {
        if (line.rfind(name + "  ", 0) == 0) {
            return line.substr(line.find_last_of(' ') + 1);
        }
    }
    return "no line " + name;
}

TEST(train_program_test, reaches_the_exact_least_squares_quality_on_randhie) {
    for (const char* more : {"", "--dtype f64", "--seed 2", "--accumulate wide"}) {
        const program_result result = train(std::string("--least-squares ") + more);
        EXPECT_EQ(result.exit_code, 0) << result.err;
        EXPECT_EQ(r2_of(result, "ema weights"), "0.0687") << result.out;
        EXPECT_EQ(r2_of(result, "exact least squares"), "0.0687") << result.out;
        EXPECT_LE(result.out_lines().size(), 32u);
    }
}

TEST(train_program_test, threads_do_not_change_the_digest) {
    // A step of the default 256 rows stays on one thread, whatever is asked; one of 16384 rows is shared.
    for (const std::string type : {"", "--dtype f64 ", "--batch 2048 ", "--batch 2048 --accumulate wide "}) {
        const std::string one = digest_of(type + "--threads 1");
        EXPECT_EQ(digest_of(type + "--threads 2"), one);
        EXPECT_EQ(digest_of(type + "--threads 7"), one);
        EXPECT_EQ(digest_of(type, {"BITSTEP_NUM_THREADS=3"}), one);
    }
}

TEST(train_program_test, the_kernel_set_does_not_change_the_digest) {
#if defined(__x86_64__) || defined(__aarch64__)
    const std::size_t least = 2; // reference, and baseline or neon64: these need nothing but the processor
#else
    const std::size_t least = 1;
#endif
    for (const std::string size : {"", "--batch 2048 --threads 2 "}) {
        const std::string by_default = digest_of(size);
        std::size_t compared = 0;
        for (const bitstep::arch which : {bitstep::arch::reference, bitstep::arch::baseline, bitstep::arch::avx2,
                                          bitstep::arch::avx512, bitstep::arch::neon64}) {
            if (!bitstep::arch_runnable(which)) {
                continue;
            }
            const std::string name = bitstep::arch_name(which);
            EXPECT_EQ(digest_of(size, {"BITSTEP_ARCH=" + name}), by_default) << name;
            EXPECT_EQ(digest_of(size + "--arch " + name), by_default) << name;
            ++compared;
        }
        EXPECT_GE(compared, least);
    }
}

TEST(train_program_test, the_cut_into_workers_does_not_change_the_digest) {
    const std::string by_default = digest_of("");
    EXPECT_EQ(digest_of("--workers 1 --accum 8"), by_default);
    EXPECT_EQ(digest_of("--workers 2 --accum 4"), by_default);
    EXPECT_EQ(digest_of("--workers 8 --accum 1"), by_default);
    EXPECT_EQ(digest_of("--workers 3 --accum 1 --batch 85"), digest_of("--workers 17 --accum 5 --batch 3"));
}

TEST(train_program_test, what_matters_changes_the_digest) {
    const std::string by_default = digest_of("");
    for (const char* more : {"--batch 16", "--seed 2", "--lr 0.02", "--beta1 0.8", "--beta2 0.99", "--eps 1e-3",
                             "--ema-decay 0.9", "--dtype f64", "--no-bias", "--no-standardize", "--accumulate wide"}) {
        EXPECT_NE(digest_of(more), by_default) << more;
    }
}

TEST(train_program_test, the_total_of_epochs_changes_nothing_before_the_end) {
    const auto loss_of_epoch_7 = [](const std::string& epochs) {
        const program_result result = train("--epochs " + epochs);
        for (const std::string& line : result.out_lines()) {
            if (line.find(" 7/" + epochs) == std::string::npos) {
                continue;
            }
            const std::size_t at = line.find("loss ");
            return line.substr(at, line.find("  ", at) - at);
        }
        return "no line in\n" + result.out;
    };
    const std::string loss = loss_of_epoch_7("7");
    EXPECT_EQ(loss.rfind("loss ", 0), 0u) << loss;
    EXPECT_EQ(loss_of_epoch_7("20"), loss);
}

TEST(train_program_test, solves_a_small_exact_problem_in_any_form_of_the_file) {
    const std::string plain = "a,y\n1,5\n2,7\n3,9\n4,11\n"; // y = 2 a + 3
    const std::string odd = "\xEF\xBB\xBF\"a\" , y\r\n+1,5\r\n\r\n2,\"7\"\r\n 3 ,9.0\r\n4e0,11";
    std::string digests[2];
    std::size_t at = 0;
    for (const std::string& text : {plain, odd}) {
        const temporary_file file(text);
        const program_result result = train_on(file.path(), "--epochs 3000 --lr 0.02 --ema-decay 0.99");
        EXPECT_EQ(result.exit_code, 0) << result.err;
        EXPECT_EQ(r2_of(result, "weights"), "1.0000") << result.out;
        digests[at++] = result.digest();
    }
    EXPECT_NE(digests[0], "");
    EXPECT_EQ(digests[0], digests[1]);
}

TEST(train_program_test, says_when_the_average_still_holds_its_start) {
    const temporary_file file("a,y\n1,5\n2,7\n");
    EXPECT_NE(train_on(file.path(), "").out.find("of their start at zero"), std::string::npos);
    EXPECT_EQ(train_on(file.path(), "--ema-decay 0").out.find("of their start at zero"), std::string::npos);
}

TEST(train_program_test, a_terminal_gets_a_line_that_is_rewritten) {
    const program_result result = run_program_in_terminal(train_arguments(randhie, "--epochs 400 --arch reference"));
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_GT(count_of(result.out, "\repoch "), 1u) << result.out;
    EXPECT_EQ(count_of(result.out, "\nepoch "), 0u) << result.out; // the line that stays overwrites the live one
    for (const char* part : {"step ", "loss ", "rows/s", " left", "epoch 400/400"}) {
        EXPECT_NE(result.out.find(part), std::string::npos) << part;
    }
    const std::string plain = train("--epochs 400").digest();
    EXPECT_NE(plain, "");
    EXPECT_NE(result.out.find("digest " + plain), std::string::npos);
}

TEST(train_program_test, help_shows_examples_and_defaults) {
    const program_result result = run_program({"train", "--help"});
    EXPECT_EQ(result.exit_code, 0);
    for (const char* part : {"Examples:", "--workers N=4", "--accum", "--batch", "=100", "--lr X=0.01",
                             "--ema-decay X=0.999", "--no-bias", "--no-standardize", "--least-squares", "digest"}) {
        EXPECT_NE(result.out.find(part), std::string::npos) << part;
    }
}

} // namespace
} // namespace bitstep_test
