// SPDX-License-Identifier: Apache-2.0
// What `bitstep train` gives beside the digest: test rows, ridge, schedule, history, picture, JSON, silence.
#include "files.hpp"
#include "run_program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

namespace bitstep_test {
namespace {

nlohmann::json json_of(const std::string& more) {
    const program_result result = train("--json " + more);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out);
}

TEST(train_output_program_test, json_is_one_object_and_progress_goes_to_standard_error) {
    const program_result result = train("--json --epochs 3 --test-fraction 0.5 --least-squares");
    const nlohmann::json report = nlohmann::json::parse(result.out);
    EXPECT_NE(result.err.find("epoch 3/3"), std::string::npos);
    EXPECT_EQ(report["data"]["training_rows"], 10095);
    EXPECT_EQ(report["data"]["test_rows"], 10095);
    EXPECT_EQ(report["t"], 3 * 40);
    EXPECT_EQ(report["epoch"], 3);
    EXPECT_EQ(report["stopped_by"], nullptr);
    EXPECT_EQ(report["fits"].size(), 3u);
    EXPECT_EQ(report["fits"][2]["name"], "exact least squares");
    EXPECT_GT(report["fits"][0]["test"]["mse"], 10);
    EXPECT_GT(report["parse"]["rows_per_second"], 0);
    EXPECT_GT(report["train"]["rows_per_second"], 0);
    EXPECT_EQ(report["train"]["rows"], 3 * 10095);
    EXPECT_EQ(report["digest"], train("--quiet --epochs 3 --test-fraction 0.5").digest());
}

TEST(train_output_program_test, quiet_leaves_the_digest_alone) {
    const program_result quiet = train("--quiet --epochs 2");
    EXPECT_EQ(quiet.out_lines().size(), 1u);
    EXPECT_EQ(quiet.err, "");
    ASSERT_NE(quiet.digest(), "");
    EXPECT_EQ(quiet.digest(), train("--epochs 2").digest());
    const program_result json = train("--quiet --json --epochs 2");
    EXPECT_EQ(json.err, "");
    EXPECT_EQ(nlohmann::json::parse(json.out)["digest"], quiet.digest());
}

TEST(train_output_program_test, test_rows_are_not_trained_on) {
    const program_result result = train("--epochs 60 --test-fraction 0.3 --least-squares");
    EXPECT_NE(result.out.find("test MSE"), std::string::npos);
    EXPECT_NE(result.out.find("20190 rows, 6057 of them kept back to test"), std::string::npos) << result.out;
    ASSERT_NE(result.digest(), "");
    EXPECT_NE(result.digest(), train("--epochs 60").digest());
    EXPECT_NE(result.digest(), train("--epochs 60 --test-fraction 0.3 --seed 2").digest());
}

TEST(train_output_program_test, the_ridge_term_leads_to_the_ridge_solution) {
    for (const char* type : {"f32", "f64"}) {
        const auto fits =
            json_of("--l2 0.5 --epochs 200 --lr-schedule cosine --least-squares --dtype " + std::string(type))["fits"];
        const double exact = fits[2]["training"]["mse"];
        EXPECT_NEAR(fits[0]["training"]["mse"].get<double>(), exact, 1e-5 * exact) << type;
        const double plain = json_of("--epochs 1 --least-squares")["fits"][2]["training"]["mse"];
        EXPECT_GT(exact, plain * 1.005); // the term does something
    }
}

TEST(train_output_program_test, the_cosine_rate_ends_nearer_to_the_exact_solution) {
    const double exact = json_of("--epochs 1 --least-squares")["fits"][2]["training"]["mse"];
    const double constant = json_of("--lr 0.02")["fits"][0]["training"]["mse"];
    const double cosine = json_of("--lr 0.02 --lr-schedule cosine")["fits"][0]["training"]["mse"];
    EXPECT_LT(cosine - exact, 0.1 * (constant - exact));
}

TEST(train_output_program_test, the_history_has_a_row_per_epoch) {
    const temporary_file file("", "h.csv");
    const auto report = json_of("--epochs 3 --test-fraction 0.2 --lr-schedule cosine --history " + file.path());
    std::istringstream text(content_of(file.path()));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) {
        lines.push_back(line);
    }
    ASSERT_EQ(lines.size(), 5u);
    EXPECT_EQ(lines[0], "step,epoch,loss,test_loss,gradient_norm,lr,seconds,ema_loss,ema_test_loss");
    EXPECT_EQ(lines[1].rfind("0,0,28.", 0), 0u) << lines[1];
    std::istringstream last(lines[4]);
    std::vector<double> fields;
    for (std::string field; std::getline(last, field, ',');) {
        fields.push_back(std::stod(field));
    }
    ASSERT_EQ(fields.size(), 9u);
    EXPECT_EQ(fields[0], report["t"]);
    EXPECT_EQ(fields[1], 3);
    EXPECT_EQ(fields[2], report["fits"][0]["training"]["mse"].get<double>());
    EXPECT_EQ(fields[3], report["fits"][0]["test"]["mse"].get<double>());
    EXPECT_GT(fields[4], 0);
    EXPECT_LT(fields[5], 1e-5); // the last rate of a cosine
    EXPECT_EQ(fields[7], report["fits"][1]["training"]["mse"].get<double>());
    EXPECT_EQ(fields[8], report["fits"][1]["test"]["mse"].get<double>());
}

TEST(train_output_program_test, a_history_changes_no_bit) {
    const temporary_file file("", "h.csv");
    const std::string plain = train("--epochs 3").digest();
    ASSERT_NE(plain, "");
    EXPECT_EQ(train("--epochs 3 --history-every 7 --history " + file.path()).digest(), plain);
    EXPECT_GT(count_of(content_of(file.path()), "\n"), 30u); // 3 x 79 steps
}

TEST(train_output_program_test, a_picture_changes_no_bit) {
    if (std::system("gnuplot --version >/dev/null 2>&1") != 0) {
        GTEST_SKIP() << "gnuplot is not installed (Debian: gnuplot-nox)";
    }
    const temporary_folder folder;
    const std::string plain = train("--epochs 3").digest();
    ASSERT_NE(plain, "");
    const program_result drawn = train("--epochs 3 --plot " + folder / "p.svg");
    EXPECT_EQ(drawn.digest(), plain);
    EXPECT_EQ(drawn.err, "");
    EXPECT_NE(content_of(folder / "p.svg").find("</svg>"), std::string::npos);
}

TEST(train_output_program_test, without_gnuplot_training_goes_on_and_says_so) {
    const temporary_file file("", "h.csv");
    const std::string picture = file.path() + ".svg";
    const program_result result = train("--epochs 1 --plot " + picture, {"PATH=/nowhere"});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.digest().size(), 32u);
    EXPECT_NE(result.err.find("was left out: gnuplot is not installed"), std::string::npos) << result.err;
    EXPECT_EQ(content_of(picture), "");
}

TEST(train_output_program_test, outputs_that_cannot_be_are_refused_before_training) {
    expect_refusal(train("--plot p.gif"), {"p.gif", ".svg"});
    expect_refusal(train("--plot /nowhere/p.svg"), {"/nowhere"});
    expect_refusal(train("--history /nowhere/h.csv"), {"/nowhere/h.csv"});
    const temporary_file other("another,file\n1,2\n");
    expect_refusal(train("--history " + other.path()), {"data.csv:1: not a history"});
    EXPECT_EQ(content_of(other.path()), "another,file\n1,2\n");
    expect_refusal(train("--history-every 0"), {"--history-every"});
    expect_refusal(train("--lr-schedule linear"), {"--lr-schedule"});
    for (const char* value : {"1", "-0.1", "nan", "x", ""}) {
        expect_refusal(run_program({"train", randhie, "--target", "mdvis", "--test-fraction", value}),
                       {"--test-fraction"});
    }
    expect_refusal(train("--test-fraction 1e-9"), {"leaves none to test"});
    expect_refusal(train("--l2 1e39"), {"--l2"});
    expect_refusal(train("--l2 -1"), {"--l2"});
}

} // namespace
} // namespace bitstep_test
