// SPDX-License-Identifier: Apache-2.0
// `bitstep train` with every kind of bad input: exit code 2, nothing learnt, exactly one line that says where and what.
#include "run_program.hpp"

#include <gtest/gtest.h>

namespace bitstep_test {
namespace {

// Content of the file -> what is said after the file's path.
void expect_fault(const std::string& content, const std::string& message, std::vector<std::string> more = {}) {
    const temporary_file file(content);
    std::vector<std::string> arguments = {"train", file.path(), "--target", "y"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_refusal(run_program(arguments), {"data.csv" + message + "\n"});
}

TEST(train_input_program_test, files_that_cannot_be_read) {
    expect_refusal(run_program({"train", "no/such/file.csv", "--target", "y"}),
                   {"no/such/file.csv: No such file or directory"});
    expect_refusal(run_program({"train", "/", "--target", "y"}), {"/: is a directory"});
    expect_fault("", ": the file is empty");
    expect_fault("a,y\n", ":1: a header but no rows");
}

TEST(train_input_program_test, rows_and_fields_name_line_and_column) {
    expect_fault("a,y\n1,2\n3\n", ":3:2 (y): fields: 1 in this row, 2 in the header");
    expect_fault("a,y\n1,2\n3,4,5\n", ":3:3 (beyond the last column): fields: 3 in this row, 2 in the header");
    expect_fault("a,y\n1,2\nx,4\n", ":3:1 (a): \"x\" is not a number");
    expect_fault("a,y\n1,2\n3,NaN\n", ":3:2 (y): \"NaN\" is not finite");
    expect_fault("a,y\n1,2\n-inf,4\n", ":3:1 (a): \"-inf\" is not finite");
    expect_fault("a,y\n1,2\n,4\n", ":3:1 (a): the field is empty, expected a number");
    expect_fault("a,y\n1,2\n1e999,4\n", ":3:1 (a): \"1e999\" is outside the range of a double");
    expect_fault("a,y\n1,2\n3,4\"\n", ":3:2 (y): a quotation mark out of place");
}

TEST(train_input_program_test, columns) {
    expect_fault("a,b\n1,2\n", ":1: no column is called \"y\"; the columns are a, b");
    expect_fault("y,a,a\n1,2,3\n", ":1:3 (a): column 2 has the same name");
    expect_fault("y\n1\n", ":1:1 (y): the target is the only column, and with --no-bias nothing is left to learn from",
                 {"--no-bias"});
    expect_fault("a,y\n1e39,1\n2,2\n", ":2:1 (a): 1e+39 is outside the range of float; try --dtype f64",
                 {"--no-standardize"});
}

TEST(train_input_program_test, numbers_that_the_library_refuses) {
    const temporary_file file("a,y\n1,2\n3,5\n");
    const std::vector<std::vector<std::string>> refused = {
        {"lr", "--lr", "-1"},  {"lr", "--lr", "nan"},           {"beta1", "--beta1", "1"}, {"beta2", "--beta2", "-0.1"},
        {"eps", "--eps", "0"}, {"decay", "--ema-decay", "1.5"}, {"eps", "--eps", "1e-60"}, // 0 in float
    };
    for (const auto& one : refused) {
        expect_refusal(run_program({"train", file.path(), "--target", "y", one[1], one[2]}), {one[0]});
    }
    expect_refusal(run_program({"train", file.path(), "--target", "y", "--lr", "1e38", "--batch", "1", "--workers", "1",
                                "--accum", "1"}),
                   {"training stopped in epoch 1, step 2"});
}

TEST(train_input_program_test, the_command_line) {
    const temporary_file file("a,y\n1,2\n3,5\n");
    const auto with = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = {"train", file.path(), "--target", "y"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_program(arguments);
    };
    expect_refusal(run_program({"train", file.path()}), {"--target"});
    expect_refusal(run_program({"train", "--target", "y"}), {"DATA.csv"});
    expect_refusal(with({"--epochs", "0"}), {"--epochs"});
    for (const char* option : {"--workers", "--accum", "--batch", "--epochs", "--seed"}) {
        for (const char* value : {"-1", "010", "0x10", "1.5", "18446744073709551616", ""}) {
            expect_refusal(with({option, value}), {option});
        }
    }
    expect_refusal(with({"--workers", "-1"}), {"--workers"});
    expect_refusal(with({"--batch", "1.5"}), {"--batch"});
    expect_refusal(with({"--dtype", "f16"}), {"--dtype"});
    expect_refusal(with({"--accumulate", "narrow"}), {"--accumulate"});
    expect_refusal(with({"--threads", "1025"}), {"--threads"});
    expect_refusal(with({"--bias", "--no-bias"}), {"--no-bias"});
    expect_refusal(with({"--workers", "4294967296", "--accum", "4294967296"}), {"--workers x --accum x --batch"});
}

TEST(train_input_program_test, archs_that_do_not_run_list_those_that_do) {
    const temporary_file file("a,y\n1,2\n3,5\n");
    const std::vector<std::string> arguments = {"train", file.path(), "--target", "y"};
    std::vector<std::string> with_arch = arguments;
    with_arch.insert(with_arch.end(), {"--arch", "avx3"});
    expect_refusal(run_program(with_arch), {"reference"});
    expect_refusal(run_program(arguments, {"BITSTEP_ARCH=avx3"}), {"reference"});
    expect_refusal(run_program(arguments, {"BITSTEP_NUM_THREADS=-1"}), {"BITSTEP_NUM_THREADS"});
}

} // namespace
} // namespace bitstep_test
