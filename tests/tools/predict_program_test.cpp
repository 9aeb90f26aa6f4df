// SPDX-License-Identifier: Apache-2.0
// `bitstep predict`: columns by name, the state's scaling, the same numbers as training saw.
#include "files.hpp"
#include "run_program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace bitstep_test {
namespace {

// A state of y = 2 a - b + 3, learned to the last digits.
class predict_program_test : public testing::Test {
protected:
    void SetUp() override {
        const program_result result =
            run_program({"train", training_.path(), "--target", "y", "--epochs", "4000", "--save-every", "4000", "--lr",
                         "0.05", "--lr-schedule", "cosine", "--dtype", "f64", "--ema-decay", "0.9", "--save", state_});
        ASSERT_EQ(result.exit_code, 0) << result.err;
    }
    program_result predict(const std::string& data, const std::vector<std::string>& more = {}) const {
        std::vector<std::string> arguments = {"predict", state_, data};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_program(arguments);
    }

    temporary_file training_{"a,y,b\n1,3,2\n2,6,1\n3,4,5\n4,11,0\n"};
    std::string state_ = training_.path() + ".safetensors";
};

std::vector<double> numbers_in(const program_result& result) {
    std::vector<double> numbers;
    for (const std::string& line : result.out_lines()) {
        if (line != "y") {
            numbers.push_back(std::stod(line));
        }
    }
    return numbers;
}

TEST_F(predict_program_test, finds_columns_by_name_in_any_order) {
    const temporary_file data("b,a\n0,0\n1,10\n100,-7\n");
    const program_result result = predict(data.path());
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out_lines().at(0), "y");
    const std::vector<double> numbers = numbers_in(result);
    ASSERT_EQ(numbers.size(), 3u);
    EXPECT_NEAR(numbers[0], 3, 1e-6);
    EXPECT_NEAR(numbers[1], 22, 1e-6);
    EXPECT_NEAR(numbers[2], -111, 1e-5);
    EXPECT_NE(result.err.find("3 rows predicted by the weights"), std::string::npos);
    EXPECT_EQ(result.err.find("MSE"), std::string::npos); // there is no target
}

TEST_F(predict_program_test, a_file_with_the_target_is_judged) {
    const temporary_file data("y,a,b\n3,0,0\n22,10,1\n");
    const program_result result = predict(data.path());
    EXPECT_NE(result.err.find("MSE "), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("R2 1.0000"), std::string::npos) << result.err;
}

TEST_F(predict_program_test, missing_columns_are_refused_and_unknown_ones_named) {
    const temporary_file missing("a,c\n1,2\n");
    expect_refusal(predict(missing.path()), {"data.csv:1", "are missing: b"});
    const temporary_file more("a,b,c\n1,2,3\n");
    const program_result result = predict(more.path());
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_NE(result.err.find("columns left out"), std::string::npos);
    EXPECT_NE(result.err.find(": c\n"), std::string::npos) << result.err;
    EXPECT_EQ(predict(more.path(), {"--quiet"}).err, "");
}

TEST_F(predict_program_test, writes_a_file_and_reports_as_json) {
    const temporary_file data("a,b,y\n1,2,3\n");
    const std::string output = data.path() + ".out";
    const program_result result = predict(data.path(), {"--output", output, "--json", "--ema"});
    const nlohmann::json report = nlohmann::json::parse(result.out);
    EXPECT_EQ(report["rows"], 1);
    EXPECT_EQ(report["weights"], "ema_weights");
    EXPECT_LT(report["mse"], 1e-6);
    EXPECT_EQ(content_of(output).rfind("y\n", 0), 0u);
    EXPECT_EQ(predict(data.path(), {"--ema", "--quiet"}).out, content_of(output));
    expect_refusal(predict(data.path(), {"--json"}), {"--json", "--output"});
    expect_refusal(predict(data.path(), {"--output", "/nowhere/p.csv"}), {"/nowhere/p.csv"});
}

TEST_F(predict_program_test, inputs_that_are_no_state_or_no_table) {
    expect_refusal(run_program({"predict", training_.path(), training_.path()}), {"no safetensors file"});
    expect_refusal(run_program({"predict", state_ + "x", training_.path()}), {"No such file"});
    expect_refusal(predict(state_ + "x"), {"No such file"});
    expect_refusal(predict(training_.path(), {"--arch", "avx3"}), {"reference"});
    expect_refusal(predict(training_.path(), {"--threads", "0"}), {"--threads"});
    expect_refusal(run_program({"predict", state_}), {"DATA.csv"});
}

TEST(predict_values_program_test, gives_the_training_quality_whatever_threads_and_arch) {
    for (const std::string accumulate : {"native", "wide"}) {
        const temporary_folder folder;
        const std::string state = folder / "s.safetensors";
        const program_result trained = run_program({"train", randhie, "--target", "mdvis", "--epochs", "5", "--json",
                                                    "--accumulate", accumulate, "--save", state});
        const nlohmann::json report = nlohmann::json::parse(trained.out);
        const std::string output = folder / "predictions";
        const program_result judged = run_program({"predict", state, randhie, "--json", "--output", output});
        const double mse = nlohmann::json::parse(judged.out)["mse"];
        EXPECT_NEAR(mse, report["fits"][0]["training"]["mse"].get<double>(), 1e-6 * mse);
        for (const std::vector<std::string>& run :
             {std::vector<std::string>{"--threads", "1"}, {"--threads", "3"}, {"--arch", "reference"}}) {
            std::vector<std::string> arguments = {"predict", state, randhie, "--quiet"};
            arguments.insert(arguments.end(), run.begin(), run.end());
            EXPECT_TRUE(run_program(arguments).out == content_of(output)) << run[0] << ' ' << run[1];
        }
    }
}

TEST(predict_values_program_test, a_target_that_needs_quotes_gets_them) {
    const temporary_file data("a,\"y, \"\"really\"\"\"\n1,2\n2,3\n");
    const std::string state = data.path() + ".safetensors";
    ASSERT_EQ(
        run_program({"train", data.path(), "--target", "y, \"really\"", "--epochs", "1", "--save", state}).exit_code,
        0);
    EXPECT_EQ(run_program({"predict", state, data.path()}).out_lines().at(0), "\"y, \"\"really\"\"\"");
}

} // namespace
} // namespace bitstep_test
