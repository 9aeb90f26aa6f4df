// SPDX-License-Identifier: Apache-2.0
// `bitstep allreduce` as a process. Inputs and expected files: data/make_compare_samples.py, by Python alone.
#include "files.hpp"
#include "run_program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace bitstep_test {
namespace {

const std::vector<std::string> workers = {sample("mean_0"), sample("mean_1"), sample("mean_2"), sample("mean_3"),
                                          sample("mean_4")};

// The name of a file that is not there yet, in a folder of its own.
class output_file {
public:
    std::string path() const { return folder_ / "out.safetensors"; }
    bool exists() const { return folder_.entries() > 0; }

private:
    temporary_folder folder_;
};

program_result allreduce(const std::string& out, const std::vector<std::string>& inputs,
                         const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments = {"allreduce", out};
    arguments.insert(arguments.end(), inputs.begin(), inputs.end());
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run_program(arguments);
}

// One tensor "w" of two elements.
std::string one_tensor(const std::string& name, const std::string& dtype, const std::string& shape) {
    const std::size_t bytes = dtype == "F64" ? 16 : dtype == "F32" ? 8 : 4;
    const std::string json = R"({")" + name + R"(":{"dtype":")" + dtype + R"(","shape":)" + shape +
                             R"(,"data_offsets":[0,)" + std::to_string(bytes) + "]}}";
    std::string file;
    for (unsigned i = 0; i < 8; ++i) {
        file.push_back(static_cast<char>(json.size() >> (8 * i)));
    }
    return file + json + std::string(bytes, '\0');
}

TEST(allreduce_program_test, every_mode_writes_the_file_that_python_wrote) {
    struct row {
        std::string expected;
        std::string digest;
        std::vector<std::string> options;
    };
    const std::vector<row> rows = {
        {"mean_mean_expected", "c9e397c2f191ad5928554283dd5cce02", {}},
        {"mean_mean_expected", "c9e397c2f191ad5928554283dd5cce02", {"--accumulate", "native", "--threads", "2"}},
        {"mean_mean_expected", "c9e397c2f191ad5928554283dd5cce02", {"--arch", "reference", "--counts", "7,7,7,7,7"}},
        {"mean_counts_expected", "7fb82ce1c1f0b03cc9cc11839294f440", {"--counts", "6,0,2,4,12"}},
        {"mean_wide_expected", "9115b98404dbc8b6196a5aaf78e37cca", {"--accumulate", "wide"}},
        {"mean_ring_expected", "ab46d2e9f29e327b03350748f7802025", {"--ring"}},
    };
    for (const row& one : rows) {
        const output_file out;
        const program_result result = allreduce(out.path(), workers, one.options);
        EXPECT_EQ(result.exit_code, 0) << result.err;
        EXPECT_EQ(result.digest(), one.digest) << result.out;
        EXPECT_EQ(content_of(out.path()), content_of(sample(one.expected))) << one.expected;
    }
}

TEST(allreduce_program_test, the_report_names_what_was_averaged) {
    const output_file out;
    const program_result result = allreduce(out.path(), workers, {"--counts", "6,0,2,4,12", "--arch", "reference"});
    for (const char* part : {"5 workers: ", "; counts 6,0,2,4,12\n", "4 tensors (2 F32, 2 F64), 20 elements, 388 bytes",
                             "mean, accumulate native, arch reference, 1 thread"}) {
        EXPECT_NE(result.out.find(part), std::string::npos) << part << " is missing in\n" << result.out;
    }
    const program_result quiet = allreduce(out.path(), workers, {"--quiet"});
    EXPECT_EQ(quiet.out, "digest c9e397c2f191ad5928554283dd5cce02\n");
    EXPECT_EQ(quiet.err, "");
}

TEST(allreduce_program_test, the_ring_is_compared_with_the_mean) {
    const output_file out;
    const program_result text = allreduce(out.path(), workers, {"--ring"});
    EXPECT_EQ(count_of(text.out, "ring    differs from the mean in 11 of 20 elements, by at most 2 ulp\n"), 1u)
        << text.out;
    EXPECT_EQ(count_of(text.out, "1 other tensor equal\n"), 1u) << text.out;
    const program_result result = allreduce(out.path(), workers, {"--ring", "--json"});
    const auto report = nlohmann::json::parse(result.out);
    EXPECT_EQ(report["operation"], "ring");
    EXPECT_EQ(report["workers"], 5);
    EXPECT_EQ(report["bytes"], 388);
    EXPECT_EQ(report["digest"], "ab46d2e9f29e327b03350748f7802025");
    EXPECT_EQ(report["ring_against_mean"]["differing"], 11);
    EXPECT_EQ(report["ring_against_mean"]["tensors"][0]["name"], "bias");
    EXPECT_EQ(report["ring_against_mean"]["tensors"][0]["differing"], 3);
    EXPECT_TRUE(report["ring_against_mean"]["tensors"][0]["first"].contains("ring"));
}

TEST(allreduce_program_test, one_input_is_its_own_mean_and_may_be_the_output) {
    const temporary_file file(content_of(workers[0]), "state.safetensors");
    const program_result result = allreduce(file.path(), {file.path()}, {"--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(nlohmann::json::parse(result.out)["f32_tensors"], 2);
    EXPECT_EQ(run_program({"compare", "--quiet", file.path(), workers[0]}).exit_code, 0);
    EXPECT_EQ(content_of(file.path()).find("worker"), std::string::npos); // of the metadata only "format" stays
    EXPECT_NE(content_of(file.path()).find(R"("format":"np")"), std::string::npos);
}

TEST(allreduce_program_test, a_format_that_inputs_disagree_about_is_dropped) {
    const temporary_file bare(one_tensor("w", "F32", "[2]"));
    std::string with_format = one_tensor("w", "F32", "[2]");
    const std::string metadata = R"("__metadata__":{"format":"pt"},)";
    with_format.insert(9, metadata);
    with_format[0] = static_cast<char>(static_cast<std::size_t>(with_format[0]) + metadata.size());
    const temporary_file formatted(with_format);
    const output_file out;
    EXPECT_EQ(allreduce(out.path(), {formatted.path(), bare.path()}).exit_code, 0);
    EXPECT_EQ(content_of(out.path()).find("format"), std::string::npos);
    EXPECT_EQ(allreduce(out.path(), {formatted.path(), formatted.path()}).exit_code, 0);
    EXPECT_NE(content_of(out.path()).find(R"("format":"pt")"), std::string::npos);
}

TEST(allreduce_program_test, inputs_that_do_not_fit_are_listed_in_one_line) {
    const temporary_file a(one_tensor("w", "F32", "[2]"), "a.safetensors");
    const temporary_file b(one_tensor("w", "F64", "[2,1]"), "b.safetensors");
    const temporary_file c(one_tensor("x", "F32", "[2]"), "c.safetensors");
    const temporary_file half(one_tensor("w", "F16", "[2]"), "half.safetensors");
    const output_file out;
    expect_refusal(allreduce(out.path(), {a.path(), b.path(), c.path()}),
                   {"b.safetensors: w is F64 [2, 1], ", "a.safetensors has F32 [2]; ",
                    "c.safetensors: lacks w; has x, the first input does not"});
    expect_refusal(allreduce(out.path(), {half.path(), half.path()}), {"half.safetensors: w is F16", "F32 and F64"});
    expect_refusal(allreduce(out.path(), {a.path(), sample("compare_a"), sample("compare_b")}), {"; and 8 more"});
    EXPECT_FALSE(out.exists());
}

TEST(allreduce_program_test, options_that_make_no_sense_are_refused) {
    const output_file out;
    const std::vector<std::string> two = {workers[0], workers[1]};
    const std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> rows = {
        {{"--counts", "1"}, {"--counts", "1 numbers for 2 inputs"}},
        {{"--counts", "1,2,3"}, {"--counts", "3 numbers for 2 inputs"}},
        {{"--counts", "0,0"}, {"total > 0"}},
        {{"--counts", "1,-1"}, {"--counts", "-1"}},
        {{"--counts", "1,1.5"}, {"--counts", "1.5"}},
        {{"--counts", "1,9223372036854775808"}, {"counts"}},
        {{"--counts", "9223372036854775807,1"}, {"counts", "2^63"}},
        {{"--ring", "--counts", "1,1"}, {"--ring", "--counts"}},
        {{"--ring", "--accumulate", "wide"}, {"--ring", "--accumulate wide"}},
        {{"--accumulate", "exact"}, {"--accumulate", "exact"}},
        {{"--threads", "0"}, {"--threads"}},
        {{"--arch", "avx3"}, {"avx3", "reference"}},
    };
    for (const auto& [options, parts] : rows) {
        expect_refusal(allreduce(out.path(), two, options), parts);
        EXPECT_FALSE(out.exists()) << options[0] << " " << options.back();
    }
    expect_refusal(allreduce(out.path(), {}), {"IN", "bitstep allreduce --help"});
    expect_refusal(allreduce(out.path(), {"/nonexistent/file"}), {"/nonexistent/file"});
}

TEST(allreduce_program_test, counts_may_stand_before_the_files) {
    const output_file out;
    const program_result result =
        run_program({"allreduce", "--counts", "3,1", out.path(), workers[0], workers[1], "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(nlohmann::json::parse(result.out)["counts"], nlohmann::json({3, 1}));
}

TEST(allreduce_program_test, what_is_no_safetensors_file_is_not_overwritten) {
    const temporary_file data("x,y\n1,2\n");
    expect_refusal(allreduce(data.path(), {workers[0]}), {data.path(), "no safetensors file", "not overwritten"});
    EXPECT_EQ(content_of(data.path()), "x,y\n1,2\n");
    expect_refusal(allreduce("/tmp", {workers[0]}), {"/tmp"});
    expect_refusal(allreduce("/nonexistent/out", {workers[0]}), {"/nonexistent/out"});
}

TEST(allreduce_program_test, help_says_in_which_order_is_added) {
    const program_result result = run_program({"allreduce", "--help"});
    EXPECT_EQ(result.exit_code, 0);
    for (const char* part : {"Examples:", "--counts", "--ring", "Order of operations", "Memory:", "Exit codes:"}) {
        EXPECT_NE(result.out.find(part), std::string::npos) << part;
    }
}

} // namespace
} // namespace bitstep_test
