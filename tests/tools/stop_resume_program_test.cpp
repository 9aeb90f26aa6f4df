// SPDX-License-Identifier: Apache-2.0
// Stopping `bitstep train` at any moment, in any way, and going on: the bits of a training that never stopped.
#include "run_program.hpp"

#include "program/split_mix.hpp"
#include "program/train/state_file.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <thread>

namespace bitstep_test {
namespace {

using bitstep::program::saved_state;
using bitstep::program::split_mix;

const std::string randhie = std::string(BITSTEP_TEST_DATA) + "/randhie.csv";

std::vector<std::string> training(const std::string& data, const std::string& more) {
    std::vector<std::string> arguments = {"train", data, "--target", data == randhie ? "mdvis" : "y"};
    for (const std::string& word : words(more)) {
        arguments.push_back(word);
    }
    return arguments;
}

program_result train(const std::string& more, const std::string& data = randhie) {
    return run_program(training(data, more));
}

// A folder for states and histories.
struct folder : temporary_file {
    folder() : temporary_file("", "unused") {}
    std::string operator/(const std::string& name) const { return path() + "." + name; }
};

void sleep_up_to(split_mix& random, std::uint64_t microseconds) {
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(microseconds)));
}

// Another moment each time the test runs; the seed is shown, though the scheduler has its say, too.
split_mix moments() {
    const std::uint64_t seed = std::random_device{}();
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    return split_mix(seed);
}

TEST(stop_resume_program_test, twenty_interrupts_in_a_row_end_with_the_bits_of_an_uninterrupted_run) {
    const folder files;
    const std::string plan = "--epochs 4000 --save-every 700 --save ";
    const std::string whole = train(plan + files / "whole").digest();
    ASSERT_NE(whole, "");
    split_mix random = moments();
    int interrupted = 0;
    const std::string state = files / "state";
    for (int attempt = 0; attempt < 20; ++attempt) {
        const bool resumes = std::filesystem::exists(state);
        running_program program(training(randhie, plan + state + (resumes ? " --resume " + state : "")));
        EXPECT_TRUE(program.wait_for_output("\nrun "));
        sleep_up_to(random, 20'000);
        program.send(attempt % 2 == 0 ? SIGINT : SIGTERM);
        const program_result result = program.wait();
        EXPECT_EQ(result.signal, attempt % 2 == 0 ? SIGINT : SIGTERM) << result.out << result.err;
        EXPECT_EQ(result.err, "");
        interrupted +=
            result.out.find("stopped by ") != std::string::npos ? 1 : 0; // else: between that line and the loop
    }
    EXPECT_GE(interrupted, 10);
    std::printf("stopped in training: %d of 20, at step %s\n", interrupted,
                bitstep::program::safetensors_reader(state).header().metadata.at("t").c_str());
    EXPECT_EQ(train(plan + state + " --resume " + state).digest(), whole);
    EXPECT_EQ(content_of(state), content_of(files / "whole"));
}

TEST(stop_resume_program_test, a_kill_never_loses_the_previous_state) {
    std::string text = "y"; // many columns: a state that takes a while to write
    const auto add = [&text](const char* before, int number) {
        text += before;
        text += std::to_string(number);
    };
    for (int column = 0; column < 3000; ++column) {
        add(",c", column);
    }
    for (int row = 0; row < 6; ++row) {
        add("\n", row);
        for (int column = 0; column < 3000; ++column) {
            add(",", (row * 7 + column * 3) % 11);
        }
    }
    const temporary_file data(text + "\n");
    const folder files;
    const std::string state = files / "state";
    split_mix random = moments();
    std::uint64_t t = 0;
    for (int attempt = 0; attempt < 25; ++attempt) {
        const bool resumes = std::filesystem::exists(state);
        running_program program(
            training(data.path(), "--epochs 100000 --save " + state + (resumes ? " --resume " + state : "")));
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
    std::size_t cut_off = 0; // files that a save was writing when it was killed
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(state).parent_path())) {
        cut_off += entry.path().extension() == ".tmp" ? 1 : 0;
    }
    std::printf("25 kills, %zu of them within a save, up to step %llu\n", cut_off, static_cast<unsigned long long>(t));
    const std::string rest = "--epochs " + std::to_string(t + 3);
    const std::string resumed = train(rest + " --resume " + state, data.path()).digest();
    EXPECT_NE(resumed, "");
    EXPECT_EQ(resumed, train(rest, data.path()).digest());
}

TEST(stop_resume_program_test, threads_arch_and_the_cut_into_workers_may_change_on_the_way) {
    const folder files;
    const std::string state = files / "state";
    for (const std::string fixed : {"--lr 0.02", "--dtype f64 --l2 0.1 --test-fraction 0.3 --no-bias",
                                    "--accumulate wide --lr-schedule cosine", "--batch 2048 --no-standardize"}) {
        const bool cosine = fixed.find("cosine") != std::string::npos; // its --epochs stay
        const std::string whole = train(fixed + " --epochs 6").digest();
        ASSERT_NE(whole, "") << fixed;
        if (cosine) {
            running_program stopped(training(randhie, fixed + " --epochs 600 --save " + state));
            EXPECT_TRUE(stopped.wait_for_output("\nrun "));
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            stopped.send(SIGINT);
            EXPECT_EQ(stopped.wait().signal, SIGINT);
            const std::string all = train(fixed + " --epochs 600").digest();
            EXPECT_EQ(train(fixed + " --epochs 600 --threads 1 --resume " + state).digest(), all);
            continue;
        }
        EXPECT_EQ(train(fixed + " --epochs 2 --threads 1 --arch reference --save " + state).exit_code, 0);
        EXPECT_EQ(train(fixed + " --epochs 3 --workers 8 --accum 1 --save " + state + " --resume " + state).exit_code,
                  0);
        EXPECT_EQ(train(fixed + " --epochs 6 --workers 1 --accum 8 --threads 2 --resume " + state).digest(), whole)
            << fixed;
    }
}

TEST(stop_resume_program_test, a_finished_training_resumes_to_the_same_result) {
    const folder files;
    const std::string state = files / "state";
    const std::string whole = train("--epochs 3 --save " + state).digest();
    EXPECT_EQ(train("--epochs 3 --resume " + state + " --save " + files / "copy").digest(), whole);
    EXPECT_NE(content_of(state), "");
    EXPECT_EQ(content_of(files / "copy"), content_of(state));
    expect_refusal(train("--epochs 2 --resume " + state), {"has gone on to epoch 3", "--epochs 2"});
}

TEST(stop_resume_program_test, settings_that_differ_are_named) {
    const folder files;
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
    expect_refusal(train("--epochs 2 --resume " + state, other.path()), {"the number of rows is 20190", "columns"});
    EXPECT_EQ(resume("").exit_code, 0);
}

TEST(stop_resume_program_test, changed_data_are_noticed) {
    const folder files;
    const std::string state = files / "state";
    const temporary_file before("a,y\n1,2\n3,5\n4,4\n");
    const temporary_file after("a,y\n1,2\n3,5\n4,4.0001\n");
    ASSERT_EQ(train("--epochs 1 --save " + state, before.path()).exit_code, 0);
    EXPECT_EQ(train("--epochs 2 --resume " + state, before.path()).exit_code, 0);
    expect_refusal(train("--epochs 2 --resume " + state, after.path()), {"the numbers in the file are not those"});
}

TEST(stop_resume_program_test, a_save_that_cannot_work_is_refused_before_training) {
    const temporary_file data("a,y\n1,2\n3,5\n");
    const std::string before = content_of(data.path());
    expect_refusal(train("--save " + data.path(), data.path()), {"--save would replace a file that is no state"});
    EXPECT_EQ(content_of(data.path()), before);
    expect_refusal(train("--save " + data.path() + "/s", data.path()), {"data.csv/s"});
    expect_refusal(train("--save /", data.path()), {"/"});
    expect_refusal(train("--save-every 0", data.path()), {"--save-every"});
}

TEST(stop_resume_program_test, the_history_goes_on_where_the_state_does) {
    const folder files;
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
