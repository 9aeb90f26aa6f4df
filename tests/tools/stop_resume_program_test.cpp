// SPDX-License-Identifier: Apache-2.0
// Stopping `bitstep train` at any moment, in any way, and going on: the bits of a training that never stopped.
#include "files.hpp"
#include "run_program.hpp"

#include "program/split_mix.hpp"
#include "program/train/state_file.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <sstream>
#include <thread>

namespace bitstep_test {
namespace {

using bitstep::program::saved_state;
using bitstep::program::split_mix;

void sleep_up_to(split_mix& random, std::uint64_t microseconds) {
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(microseconds)));
}

// Another moment each time the test runs; the seed is shown, though the scheduler has its say, too.
split_mix moments() {
    const std::uint64_t seed = std::random_device{}();
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    return split_mix(seed);
}

// The epochs that a state has behind it; 0 where there is none yet.
std::uint64_t epochs_in(const std::string& state) {
    if (!std::filesystem::exists(state)) {
        return 0;
    }
    const std::string steps = bitstep::program::safetensors_reader(state).header().metadata.at("t");
    return std::stoull(steps) / 79; // of 256 rows, of 20190
}

// Where a state is, the program goes on from it.
std::string saving_to(const std::string& state) {
    return " --save " + state + (std::filesystem::exists(state) ? " --resume " + state : "");
}

// Each run would go 4000 epochs further. Its first line of progress, after a twentieth of all epochs, says that it is
// training: it then catches the signal, and is far from its end.
TEST(stop_resume_program_test, twenty_interrupts_in_a_row_end_with_the_bits_of_an_uninterrupted_run) {
    const temporary_folder files;
    const std::string state = files / "state";
    const std::string plan = "--save-every 700 --epochs ";
    split_mix random = moments();
    for (int attempt = 0; attempt < 20; ++attempt) {
        running_program program(
            train_arguments(randhie, plan + std::to_string(epochs_in(state) + 4000) + saving_to(state)));
        ASSERT_TRUE(program.wait_for_output("\nepoch "));
        sleep_up_to(random, 20'000);
        const int signal = attempt % 2 == 0 ? SIGINT : SIGTERM;
        program.send(signal);
        const program_result result = program.wait();
        ASSERT_EQ(result.signal, signal) << result.out << result.err;
        EXPECT_NE(result.out.find("stopped by "), std::string::npos) << result.out;
        EXPECT_EQ(result.err, "");
    }
    const std::string all = plan + std::to_string(epochs_in(state) + 10);
    const std::string whole = train(all + " --save " + files / "whole").digest();
    ASSERT_NE(whole, "");
    EXPECT_EQ(train(all + saving_to(state)).digest(), whole);
    EXPECT_EQ(content_of(state), content_of(files / "whole"));
}

// Six rows of so many columns that saving takes most of the time.
std::string wide_table() {
    const int columns = 3000;
    std::string text = "y";
    for (int column = 0; column < columns; ++column) {
        text.append(",c").append(std::to_string(column));
    }
    for (int row = 0; row < 6; ++row) {
        text.append("\n").append(std::to_string(row));
        for (int column = 0; column < columns; ++column) {
            text.append(",").append(std::to_string((row * 7 + column * 3) % 11));
        }
    }
    return text + "\n";
}

TEST(stop_resume_program_test, a_kill_never_loses_the_previous_state) {
    const temporary_file data(wide_table());
    const temporary_folder files;
    const std::string state = files / "state";
    split_mix random = moments();
    std::uint64_t t = 0;
    for (int attempt = 0; attempt < 25; ++attempt) {
        const bool resumes = std::filesystem::exists(state);
        running_program program(train_arguments(data.path(), "--epochs 100000 --save-every 1" + saving_to(state)));
        EXPECT_TRUE(program.wait_for_output("\nrun "));
        sleep_up_to(random, 60'000);
        program.send(SIGKILL);
        EXPECT_EQ(program.wait().signal, SIGKILL);
        if (resumes || std::filesystem::exists(state)) {
            const saved_state saved(state);
            const std::uint64_t reached = saved.read_state<float>().t;
            EXPECT_GE(reached, t);
            t = reached;
        }
    }
    ASSERT_GT(t, 0u);
    const std::size_t cut_off = files.entries() - 1; // files that a save was writing when it was killed
    EXPECT_GT(cut_off, 0u);
    std::printf("25 kills, %zu of them within a save, up to step %llu\n", cut_off, static_cast<unsigned long long>(t));
    const std::string rest = "--epochs " + std::to_string(t + 3);
    const std::string resumed = train_on(data.path(), rest + " --resume " + state).digest();
    EXPECT_NE(resumed, "");
    EXPECT_EQ(resumed, train_on(data.path(), rest).digest());
}

TEST(stop_resume_program_test, threads_arch_and_the_cut_into_workers_may_change_on_the_way) {
    for (const std::string fixed : {"--lr 0.02", "--dtype f64 --l2 0.1 --test-fraction 0.3 --no-bias",
                                    "--accumulate wide", "--batch 2048 --no-standardize"}) {
        SCOPED_TRACE(fixed);
        const temporary_folder files;
        const std::string state = files / "state";
        const auto go_on = [&](const std::string& more) { return train(fixed + more + saving_to(state)); };
        EXPECT_EQ(go_on(" --epochs 2 --threads 1 --arch reference").exit_code, 0);
        EXPECT_EQ(go_on(" --epochs 3 --workers 8 --accum 1").exit_code, 0);
        const std::string whole = train(fixed + " --epochs 6").digest();
        ASSERT_NE(whole, "");
        EXPECT_EQ(go_on(" --epochs 6 --workers 1 --accum 8 --threads 2").digest(), whole);
    }
}

// Here --epochs, which the rate of every step depends on, stays; only a signal stops such a training on the way.
TEST(stop_resume_program_test, a_cosine_training_goes_on_with_its_rates) {
    const temporary_folder files;
    const std::string state = files / "state";
    const std::string plan = "--accumulate wide --lr-schedule cosine --epochs 1000";
    running_program stopped(train_arguments(randhie, plan + " --save " + state));
    ASSERT_TRUE(stopped.wait_for_output("\nepoch "));
    stopped.send(SIGINT);
    ASSERT_EQ(stopped.wait().signal, SIGINT);
    ASSERT_LT(epochs_in(state), 1000u);
    expect_refusal(train("--accumulate wide --lr-schedule cosine --epochs 1001 --resume " + state), {"--epochs"});
    const std::string whole = train(plan).digest();
    ASSERT_NE(whole, "");
    EXPECT_EQ(train(plan + " --threads 1 --resume " + state).digest(), whole);
}

TEST(stop_resume_program_test, a_finished_training_resumes_to_the_same_result) {
    const temporary_folder files;
    const std::string state = files / "state";
    const std::string whole = train("--epochs 3 --save " + state).digest();
    ASSERT_NE(whole, "");
    EXPECT_EQ(train("--epochs 3 --resume " + state + " --save " + files / "copy").digest(), whole);
    EXPECT_NE(content_of(state), "");
    EXPECT_EQ(content_of(files / "copy"), content_of(state));
    expect_refusal(train("--epochs 2 --resume " + state), {"is already in epoch 3; --epochs 2 is less"});
}

TEST(stop_resume_program_test, settings_that_differ_are_named) {
    const temporary_folder files;
    const std::string state = files / "state";
    ASSERT_EQ(train("--epochs 1 --save " + state).exit_code, 0);
    const auto resume = [&](const std::string& more) { return train("--epochs 2 --resume " + state + " " + more); };
    expect_refusal(resume("--seed 2 --lr 0.5"), {"--seed is 1 in the state, 2 here", "--lr is 0.01 in the state"});
    expect_refusal(resume("--dtype f64"), {"--dtype is f32 in the state, f64 here"});
    expect_refusal(resume("--accumulate wide"), {"--accumulate is native in the state, wide here"});
    expect_refusal(resume("--batch 16"), {"--workers x --accum x --batch is 256 in the state, 128 here"});
    expect_refusal(train("--epochs 2 --resume " + state + "x"), {"statex", "No such file"});
    expect_refusal(train("--epochs 2 --resume " + randhie), {"randhie.csv", "no safetensors file"});
    const temporary_file other("a,y\n1,2\n3,5\n");
    expect_refusal(train_on(other.path(), "--epochs 2 --resume " + state), {"--target is mdvis in the state, y here"});
    EXPECT_EQ(resume("").exit_code, 0);
}

TEST(stop_resume_program_test, changed_data_are_noticed) {
    const temporary_folder files;
    const std::string state = files / "state";
    const temporary_file before("a,y\n1,2\n3,5\n4,4\n");
    const temporary_file after("a,y\n1,2\n3,5\n4,4.0001\n");
    ASSERT_EQ(train_on(before.path(), "--epochs 1 --save " + state).exit_code, 0);
    EXPECT_EQ(train_on(before.path(), "--epochs 2 --resume " + state).exit_code, 0);
    expect_refusal(train_on(after.path(), "--epochs 2 --resume " + state), {"the numbers in the file are not those"});
}

TEST(stop_resume_program_test, a_save_that_cannot_work_is_refused_before_training) {
    const temporary_file data("a,y\n1,2\n3,5\n");
    const std::string before = content_of(data.path());
    const temporary_file other("a,y\n1,2\n3,5\n");
    expect_refusal(train_on(data.path(), "--save " + other.path()), {"--save would replace a file that is no state"});
    EXPECT_EQ(content_of(other.path()), before);
    expect_refusal(train_on(data.path(), "--save " + data.path()), {"DATA.csv and --save are the same file"});
    EXPECT_EQ(content_of(data.path()), before);
    expect_refusal(train_on(data.path(), "--save " + data.path() + "/s"), {"data.csv/s"});
    expect_refusal(train_on(data.path(), "--save /"), {"/"});
    expect_refusal(train_on(data.path(), "--save-every 0"), {"--save-every"});
}

// bitstep allreduce A B, with OUT forgotten, must not cost a training.
TEST(stop_resume_program_test, a_mean_does_not_replace_a_state) {
    const temporary_folder files;
    const std::string state = files / "state";
    ASSERT_EQ(train("--epochs 1 --save " + state).exit_code, 0);
    const std::string before = content_of(state);
    expect_refusal(run_program({"allreduce", state, state}), {"is a state of bitstep train"});
    EXPECT_EQ(content_of(state), before);
    EXPECT_EQ(run_program({"allreduce", files / "mean", state, state}).exit_code, 0);
}

TEST(stop_resume_program_test, a_finished_training_leaves_its_picture_alone) {
    const temporary_folder files;
    const std::string state = files / "state";
    ASSERT_EQ(train("--epochs 1 --save " + state).exit_code, 0);
    const program_result again = train("--epochs 1 --resume " + state + " --plot " + (files / "p.svg"));
    EXPECT_EQ(again.exit_code, 0);
    EXPECT_NE(again.err.find("no step was made"), std::string::npos) << again.err;
    EXPECT_EQ(content_of(files / "p.svg"), "");
}

TEST(stop_resume_program_test, the_history_goes_on_where_the_state_does) {
    const temporary_folder files;
    const std::string plan = "--test-fraction 0.1 --history-every 50 --history ";
    // All columns but the seconds (the seventh).
    const auto rows_of = [](const std::string& path) {
        std::vector<std::string> rows;
        std::istringstream text(content_of(path));
        for (std::string line; std::getline(text, line);) {
            std::size_t begin = 0;
            for (int comma = 0; comma < 6; ++comma) {
                begin = line.find(',', begin) + 1;
            }
            rows.push_back(line.erase(begin, line.find(',', begin) - begin));
        }
        return rows;
    };
    ASSERT_EQ(train(plan + files / "whole" + " --epochs 4").exit_code, 0);
    const std::vector<std::string> whole = rows_of(files / "whole");
    ASSERT_EQ(whole.size(), 1 + 1 + 284 / 50 + 1u); // header, start, every 50 of 4 x 71 steps, the end
    ASSERT_EQ(train(plan + files / "cut" + " --epochs 3 --save " + files / "state").exit_code, 0);
    ASSERT_EQ(train(plan + files / "cut" + " --epochs 4 --resume " + files / "state").exit_code, 0);
    std::vector<std::string> resumed = rows_of(files / "cut");
    ASSERT_EQ(resumed.size(), whole.size() + 1); // the end of the first run stays
    resumed.erase(resumed.end() - 3);
    EXPECT_EQ(resumed, whole);
    // From an older state: what lies behind it is dropped.
    ASSERT_EQ(train(plan + files / "cut" + " --epochs 4 --resume " + files / "state").exit_code, 0);
    EXPECT_EQ(rows_of(files / "cut").size(), whole.size() + 1);
}

} // namespace
} // namespace bitstep_test
