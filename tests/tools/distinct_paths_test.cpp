// SPDX-License-Identifier: Apache-2.0
// Outputs that lead to one file, by whatever name.
#include "program/distinct_paths.hpp"
#include "program/errors.hpp"
#include "run_program.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace bitstep_test {
namespace {

using bitstep::program::input_error;
using bitstep::program::require_distinct;

TEST(distinct_paths_test, other_files_and_options_not_given_are_distinct) {
    EXPECT_NO_THROW(require_distinct({{"--save", "a"}, {"--plot", "b"}, {"--history", ""}, {"--output", ""}}));
}

TEST(distinct_paths_test, one_file_by_several_names_is_one_file) {
    const temporary_file file("x");
    const std::filesystem::path path = file.path();
    const std::filesystem::path link = path.parent_path() / "link";
    std::filesystem::create_symlink(path, link);
    const std::string same[] = {file.path(), (path.parent_path() / "." / path.filename()).string(), link.string()};
    for (const std::string& other : same) {
        try {
            require_distinct({{"--save", file.path()}, {"--plot", other}});
            ADD_FAILURE() << "accepted: " << other;
        } catch (const input_error& error) {
            EXPECT_STREQ(error.what(), "--save and --plot are the same file");
        }
    }
    EXPECT_THROW(require_distinct({{"--save", "new-file"}, {"--plot", "./new-file"}}), input_error); // need not exist
}

#if defined(BITSTEP_TEST_HAS_TRAIN)
// Before the fix the first save replaced the history, and rows were then appended to the state.
TEST(distinct_paths_program_test, train_and_predict_refuse_outputs_that_destroy_files) {
    const std::string text = "a,y\n1,2\n3,5\n";
    const temporary_file data(text);
    const std::string other = data.path() + ".svg";
    const auto train = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = {"train", data.path(), "--target", "y", "--epochs", "1"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_program(arguments);
    };
    expect_refusal(train({"--save", other, "--history", other}), {"--save and --history are the same file"});
    expect_refusal(train({"--plot", other, "--history", other}), {"--history and --plot are the same file"});
    expect_refusal(train({"--history", data.path()}), {"DATA.csv and --history are the same file"});
    ASSERT_EQ(train({"--save", other}).exit_code, 0);
    expect_refusal(train({"--resume", other, "--plot", other}), {"--resume and --plot are the same file"});
    EXPECT_EQ(train({"--resume", other, "--save", other}).exit_code, 0);
    expect_refusal(run_program({"predict", other, data.path(), "--output", data.path()}),
                   {"DATA.csv and --output are the same file"});
    expect_refusal(run_program({"predict", other, data.path(), "--output", other}),
                   {"STATE and --output are the same file"});
    EXPECT_EQ(std::filesystem::file_size(data.path()), text.size());
}
#endif

} // namespace
} // namespace bitstep_test
