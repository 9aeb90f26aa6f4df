// SPDX-License-Identifier: Apache-2.0
// The history of a training on disk: what is written, what an interrupted run leaves, and which files are left alone.
#include "child_process.hpp"
#include "files.hpp"
#include "program/train/history.hpp"
#include "refusal.hpp"
#include "run_program.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <limits>

namespace bitstep_test {
namespace {

using bitstep::program::history;
using bitstep::program::history_row;

const std::string header = "step,epoch,loss,test_loss,gradient_norm,lr,seconds,ema_loss,ema_test_loss\n";
const std::string three_rows = "0,0,28.5,,,,0.000,28.5,\n79,1,23.25,,7.5,0.01,0.125,28,\n158,2,21,,2,0.01,0.250,27,\n";

history_row row_at(std::uint64_t step) {
    history_row row;
    row.step = step;
    row.epoch = static_cast<double>(step) / 79;
    row.loss = 20;
    return row;
}

void expect_same_bits(double a, double b, const char* what) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b)) << what << ' ' << a << ' ' << b;
}

TEST(history_test, writes_each_row_as_it_comes) {
    const temporary_file file("", "h.csv");
    history written = history::begin(file.path());
    EXPECT_EQ(content_of(file.path()), header);
    history_row row;
    row.loss = row.ema_loss = 28.5;
    written.add(row);
    EXPECT_EQ(content_of(file.path()), header + "0,0,28.5,,,,0.000,28.5,\n");
    row = {79, 0.5, 1e30, std::numeric_limits<double>::infinity(), 1e-9, 0.01, 1.23456, 0.1 + 0.2, 3};
    written.add(row);
    EXPECT_EQ(content_of(file.path()),
              header + "0,0,28.5,,,,0.000,28.5,\n79,0.5,1e+30,inf,1e-09,0.01,1.235,0.30000000000000004,3\n");
    EXPECT_EQ(written.rows().size(), 2u);
}

TEST(history_test, reads_back_the_bits_that_were_written) {
    const temporary_file file("", "h.csv");
    history written = history::begin(file.path());
    for (const double value : {1.0 / 3, 5e-324, 1.7976931348623157e308, std::numeric_limits<double>::infinity(), 0.0,
                               18.893995, history_row::unknown}) {
        history_row row;
        row.step = written.rows().size() + (std::uint64_t{1} << 63);
        row.epoch = static_cast<double>(written.rows().size()) / 79;
        row.loss = row.test_loss = row.gradient_norm = row.lr = row.ema_loss = row.ema_test_loss = value;
        row.seconds = 0.125;
        written.add(row);
    }
    const history read = history::resume(file.path(), std::numeric_limits<std::uint64_t>::max());
    ASSERT_EQ(read.rows().size(), written.rows().size());
    for (std::size_t i = 0; i < read.rows().size(); ++i) {
        const history_row& a = written.rows()[i];
        const history_row& b = read.rows()[i];
        EXPECT_EQ(a.step, b.step);
        expect_same_bits(a.epoch, b.epoch, "epoch");
        expect_same_bits(a.loss, b.loss, "loss");
        expect_same_bits(a.test_loss, b.test_loss, "test_loss");
        expect_same_bits(a.gradient_norm, b.gradient_norm, "gradient_norm");
        expect_same_bits(a.lr, b.lr, "lr");
        expect_same_bits(a.seconds, b.seconds, "seconds");
        expect_same_bits(a.ema_loss, b.ema_loss, "ema_loss");
        expect_same_bits(a.ema_test_loss, b.ema_test_loss, "ema_test_loss");
    }
}

TEST(history_test, without_a_file_rows_stay_in_memory) {
    history none;
    none.add(row_at(1));
    EXPECT_EQ(none.rows().size(), 1u);
}

TEST(history_test, resume_drops_rows_after_the_step_and_a_torn_line) {
    const std::string rows_0_1 = three_rows.substr(0, three_rows.find("158"));
    const struct {
        std::string rows;
        std::uint64_t step;
        std::string kept;
    } cases[] = {{three_rows, 158, three_rows},
                 {three_rows, 157, rows_0_1},
                 {three_rows, 79, rows_0_1},
                 {three_rows + "237,3,20", 1000, three_rows},
                 {three_rows + "237,3,20,,2,0.01,0.250,27,", 1000, three_rows}, // whole, as far as anybody can tell
                 {three_rows + "x", 79, rows_0_1},
                 {"", 79, ""}};
    for (const auto& one : cases) {
        const temporary_file file(header + one.rows, "h.csv");
        history resumed = history::resume(file.path(), one.step);
        EXPECT_EQ(content_of(file.path()), header + one.kept) << one.rows;
        EXPECT_EQ(resumed.rows().size(), count_of(one.kept, "\n")) << one.rows;
        resumed.add(row_at(one.step + 1));
        EXPECT_EQ(count_of(content_of(file.path()), "\n"), count_of(one.kept, "\n") + 2) << one.rows;
    }
}

TEST(history_test, resume_begins_a_file_that_is_missing_or_was_hardly_begun) {
    for (const std::string& text : {std::string(), header.substr(0, 20), header.substr(0, header.size() - 1)}) {
        const temporary_file file(text, "h.csv");
        EXPECT_TRUE(history::resume(file.path(), 79).rows().empty());
        EXPECT_EQ(content_of(file.path()), header);
        std::filesystem::remove(file.path());
        EXPECT_TRUE(history::resume(file.path(), 79).rows().empty());
        EXPECT_EQ(content_of(file.path()), header);
    }
}

TEST(history_test, begin_replaces_an_older_history) {
    const temporary_file file(header + three_rows, "h.csv");
    EXPECT_TRUE(history::begin(file.path()).rows().empty());
    EXPECT_EQ(content_of(file.path()), header);
}

TEST(history_test, a_foreign_file_is_refused_and_untouched) {
    for (const std::string& text : {std::string("mdvis,lpi\n1,2\n"), "x" + header, header.substr(1), std::string("\n"),
                                    header.substr(0, header.size() - 1) + "\r\n", std::string(1, '\0')}) {
        const temporary_file file(text, "data.csv");
        for (const std::string& said :
             {refusal_of([&] { history::begin(file.path()); }), refusal_of([&] { history::resume(file.path(), 1); })}) {
            EXPECT_NE(said.find(":1: not a history of bitstep: the header is \""), std::string::npos) << said;
            EXPECT_EQ(said.find('\n'), std::string::npos) << said;
        }
        EXPECT_EQ(content_of(file.path()), text);
    }
}

TEST(history_test, a_malformed_row_is_refused_with_its_line) {
    const struct {
        std::string rows;
        std::string message;
    } cases[] = {{three_rows + "\n", ":5: not a row of a history"},
                 {"0,0,1,,,,0.000,1\n", ":2: not a row of a history"},   // a field too few
                 {"0,0,1,,,,0.000,1,,\n", ":2: not a row of a history"}, // one too many
                 {"-1,0,1,,,,0.000,1,\n", ":2: not a row of a history"},
                 {"1.5,0,1,,,,0.000,1,\n", ":2: not a row of a history"},
                 {",0,1,,,,0.000,1,\n", ":2: not a row of a history"},
                 {"0,,1,,,,0.000,1,\n", ":2: not a row of a history"},
                 {"0,0,1,,,,inf,1,\n", ":2: not a row of a history"},
                 {"0,0,1 ,,,,0.000,1,\n", ":2: not a row of a history"},
                 {"0,0,nan,,,,0.000,1,\n", ":2: not a row of a history"},
                 {"0,0,1,,,,0.000,1,\r\n", ":2: not a row of a history"},
                 {"18446744073709551616,0,1,,,,0.000,1,\n", ":2: not a row of a history"},
                 {three_rows + "158,2,21,,2,0.01,0.250,27,\n", ":5: step 158 comes after step 158"},
                 {three_rows + three_rows, ":5: step 0 comes after step 158"}};
    for (const auto& one : cases) {
        const temporary_file file(header + one.rows, "h.csv");
        const std::string said = refusal_of([&] { history::resume(file.path(), 0); });
        EXPECT_NE(said.find(one.message), std::string::npos) << said << "\n" << one.rows;
        EXPECT_EQ(content_of(file.path()), header + one.rows);
    }
}

TEST(history_test, names_the_path_that_cannot_be_written) {
    const temporary_file file("", "h.csv");
    const std::string folder = std::filesystem::path(file.path()).parent_path().string();
    EXPECT_NE(refusal_of([&] { history::begin(folder); }).find("is a directory"), std::string::npos);
    EXPECT_NE(refusal_of([&] { history::resume(folder, 1); }).find("is a directory"), std::string::npos);
    EXPECT_NE(refusal_of([] { history::begin("/dev/full"); }).find("/dev/full: is no regular file"), std::string::npos);
    EXPECT_NE(refusal_of([] { history::begin("/no/h.csv"); }).find("/no/h.csv: No such file"), std::string::npos);
    EXPECT_NE(refusal_of([] { history::resume("/no/h.csv", 1); }).find("/no/h.csv: No such file"), std::string::npos);
}

TEST(history_test, a_full_disk_is_an_error_that_leaves_the_rows_before_it) {
    const temporary_file file("", "h.csv");
    history written = history::begin(file.path());
    written.add(row_at(1));
    const std::string before = content_of(file.path());
    // A limit in the middle of the next line stands in for the disk.
    rlimit old = {};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
    const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit tight = old;
    tight.rlim_cur = before.size() + 5;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
    const std::string first = refusal_of([&] { written.add(row_at(2)); });
    const std::string second = refusal_of([&] { written.add(row_at(2)); });
    setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, old_handler);
    EXPECT_NE(first.find("h.csv: No space left on device"), std::string::npos) << first;
    EXPECT_NE(second.find("h.csv: File too large"), std::string::npos) << second;
    EXPECT_EQ(written.rows().size(), 1u);
    EXPECT_EQ(history::resume(file.path(), 100).rows().size(), 1u);
    EXPECT_EQ(content_of(file.path()), before);
}

TEST(history_test, a_killed_run_leaves_a_history_to_go_on_with) {
    const temporary_file file("", "h.csv");
    const pid_t child = start_child([&]() -> int {
        history written = history::begin(file.path());
        for (std::uint64_t step = 0;; ++step) {
            written.add(row_at(step));
        }
    });
    for (int i = 0; i < 1000 && std::filesystem::file_size(file.path()) < 20000; ++i) {
        usleep(10000);
    }
    kill(child, SIGKILL);
    const int status = status_of(child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "it ended by itself: " << status;
    const history resumed = history::resume(file.path(), std::numeric_limits<std::uint64_t>::max());
    ASSERT_GT(resumed.rows().size(), 100u);
    EXPECT_EQ(resumed.rows().back().step + 1, resumed.rows().size());
}

TEST(history_test, steps_must_rise) {
    history rows;
    rows.add(row_at(5));
    EXPECT_THROW(rows.add(row_at(5)), std::logic_error);
    EXPECT_THROW(rows.add(row_at(4)), std::logic_error);
}

} // namespace
} // namespace bitstep_test
