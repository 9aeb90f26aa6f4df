// SPDX-License-Identifier: Apache-2.0
// `bitstep compare` as a process, on files that Python's safetensors package wrote (data/make_compare_samples.py).
#include "files.hpp"
#include "run_program.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>

namespace bitstep_test {
namespace {

program_result compare(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "compare");
    return run_program(arguments);
}

nlohmann::json json_of(const program_result& result) {
    EXPECT_EQ(result.err, "");
    return nlohmann::json::parse(result.out);
}

void expect_in_order(const std::string& text, const std::vector<std::string>& parts) {
    std::size_t at = 0;
    for (const std::string& part : parts) {
        const std::size_t found = text.find(part, at);
        ASSERT_NE(found, std::string::npos) << "\"" << part << "\" is missing, or earlier, in\n" << text;
        at = found + part.size();
    }
}

// A safetensors file of scalars named w0, w1, ...
std::string scalars(const std::vector<float>& values) {
    std::vector<std::string> entries;
    for (std::size_t i = 0; i < values.size(); ++i) {
        entries.push_back(
            fmt::format(R"("w{}":{{"dtype":"F32","shape":[],"data_offsets":[{},{}]}})", i, 4 * i, 4 * i + 4));
    }
    const std::string json = fmt::format("{{{}}}", fmt::join(entries, ","));
    std::string file;
    for (unsigned i = 0; i < 8; ++i) {
        file.push_back(static_cast<char>(json.size() >> (8 * i)));
    }
    file += json;
    return file.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

TEST(compare_program_test, tells_every_kind_of_difference) {
    const program_result result = compare({sample("compare_a"), sample("compare_b")});
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_EQ(result.err, "");
    expect_in_order(result.out, {"A  ", "8 tensors, 19 elements\n", "B  ", "8 tensors, 20 elements\n", "tensor ",
                                 "größe           F64    [3]            3       1    1    -  [1]  nan / 2",
                                 "half            BF16   [3]            3       1    -    -  [2]  0x4000 / 0x4001",
                                 "layer 1 weight  F32    [2, 3]         6       4    0    3  [0, 0]  1 / 1.0000001  "
                                 "(0x1p+0 / 0x1.000002p+0)\n",
                                 "3 other tensors equal\n", "form: F32 [2] / F64 [2, 1]\n",
                                 "only a: F64 [2], only in A\n", "only b: F64 [3], only in B\n",
                                 "different: 6 of 9 tensors; 6 of 15 elements, at most 3 ulp, 1 NaN",
                                 "digest A 3040677c8e71a55e0598e188c2c64fd2\n", "digest B "});
}

TEST(compare_program_test, json_holds_the_same) {
    const program_result result = compare({"--json", sample("compare_a"), sample("compare_b")});
    EXPECT_EQ(result.exit_code, 1);
    const nlohmann::json report = json_of(result);
    EXPECT_FALSE(report["equal"].get<bool>());
    EXPECT_EQ(report["differing"], 6);
    EXPECT_EQ(report["nan_against_number"], 1);
    EXPECT_EQ(report["largest_distance"], 3);
    EXPECT_EQ(report["a"]["digest"], "3040677c8e71a55e0598e188c2c64fd2");
    EXPECT_FALSE(report["metadata_compared"].get<bool>());
    std::map<std::string, nlohmann::json> tensors;
    for (const auto& one : report["tensors"]) {
        tensors[one["name"]] = one;
    }
    EXPECT_EQ(tensors.size(), 6u);
    EXPECT_EQ(tensors["empty"]["differing"], 0);
    EXPECT_EQ(tensors["steps"]["differing"], 0);
    EXPECT_FALSE(tensors["half"].contains("largest_distance"));
    EXPECT_EQ(tensors["layer 1 weight"]["first"]["index"], nlohmann::json({0, 0}));
    EXPECT_EQ(tensors["layer 1 weight"]["first"]["b"]["value"], "1.0000001");
    EXPECT_EQ(tensors["größe"]["first"]["a"]["bits"], "nan");
    ASSERT_EQ(report["mismatches"].size(), 3u);
    EXPECT_EQ(report["mismatches"][0]["b"]["shape"], nlohmann::json({2, 1}));
    EXPECT_TRUE(report["mismatches"][1]["b"].is_null());
    EXPECT_TRUE(report["mismatches"][2]["a"].is_null());
}

TEST(compare_program_test, payloads_of_nan_are_no_difference) {
    const program_result result = compare({sample("compare_a"), sample("compare_nan")});
    EXPECT_EQ(result.exit_code, 0) << result.out;
    expect_in_order(result.out, {"8 tensors equal\nequal\ndigest A 3040677c8e71a55e0598e188c2c64fd2\n",
                                 "digest B 3040677c8e71a55e0598e188c2c64fd2\n"});
}

TEST(compare_program_test, quiet_prints_nothing_and_the_exit_code_tells) {
    const std::map<std::string, int> expected = {{"compare_a", 0}, {"compare_nan", 0}, {"compare_b", 1}};
    for (const auto& [name, code] : expected) {
        const program_result result = compare({sample("compare_a"), sample(name), "--quiet"});
        EXPECT_EQ(result.exit_code, code) << name;
        EXPECT_EQ(result.out + result.err, "") << name;
    }
    const program_result both = compare({"--quiet", "--json", sample("compare_a"), sample("compare_a")});
    EXPECT_NE(both.out.find("\"digest"), std::string::npos) << both.out; // the object is still whole
}

TEST(compare_program_test, states_also_differ_by_their_metadata) {
    // The digest: XXH3-128 by Python's xxhash over weights, ema_weights, m, v as floats and 300 as 8 bytes.
    const program_result result = compare({sample("compare_state_1"), sample("compare_state_2")});
    EXPECT_EQ(result.exit_code, 1) << result.err;
    expect_in_order(result.out, {"a state after 300 steps", "4 tensors equal\n", "note: (none) / again\n",
                                 "seed: 1 / 2\n", "metadata", "digest A d1af493f8c39ff4597173abd6bca6e84\n",
                                 "digest B d1af493f8c39ff4597173abd6bca6e84\n"});
    const nlohmann::json report = json_of(compare({"--json", sample("compare_state_1"), sample("compare_state_2")}));
    EXPECT_FALSE(report["equal"].get<bool>());
    EXPECT_EQ(report["a"]["state_steps"], 300);
    EXPECT_EQ(report["metadata"].size(), 2u);
    EXPECT_EQ(compare({sample("compare_state_1"), sample("compare_state_1")}).exit_code, 0);
}

TEST(compare_program_test, a_state_against_another_file_keeps_both_digests) {
    for (const bool state_first : {true, false}) {
        const std::string a = sample(state_first ? "compare_state_1" : "compare_a");
        const std::string b = sample(state_first ? "compare_a" : "compare_state_1");
        const program_result result = compare({a, b});
        EXPECT_EQ(result.exit_code, 1);
        EXPECT_EQ(count_of(result.out, "d1af493f8c39ff4597173abd6bca6e84"), 1u) << result.out;
        EXPECT_EQ(count_of(result.out, "3040677c8e71a55e0598e188c2c64fd2"), 1u) << result.out;
    }
}

TEST(compare_program_test, raw_arrays) {
    const temporary_file a(std::string("\0\0\x80\x3f\0\0\0\x40", 8));
    const temporary_file b(std::string("\0\0\x80\x3f\x02\0\0\x40", 8));
    const program_result as_floats = compare({"--raw", "f32", a.path(), b.path()});
    EXPECT_EQ(as_floats.exit_code, 1) << as_floats.err;
    expect_in_order(as_floats.out, {"2 elements", "F32", "[2]", "2", "1", "0", "2  [1]  2 / 2.0000005", "digest A "});
    const nlohmann::json as_double = json_of(compare({"--raw", "f64", a.path(), b.path(), "--json"}));
    EXPECT_EQ(as_double["tensors"][0]["elements"], 1);
    EXPECT_EQ(as_double["largest_distance"], std::uint64_t{2} << 32);
    EXPECT_EQ(compare({"--raw", "f32", a.path(), a.path()}).exit_code, 0);
}

TEST(compare_program_test, elements_below_a_byte_are_compared_byte_by_byte) {
    const std::string header = R"({"w":{"dtype":"F4","shape":[2,2],"data_offsets":[0,2]}})";
    const std::string length = std::string(1, static_cast<char>(header.size())).append(7, '\0');
    const temporary_file a(length + header + "\x12\x34");
    const temporary_file b(length + header + "\x12\x35");
    const program_result result = compare({a.path(), b.path()});
    EXPECT_EQ(result.exit_code, 1) << result.err;
    expect_in_order(result.out, {"w       F4     [2, 2]         4  1 byte    -    -  byte 1  0x34 / 0x35\n"});
    const nlohmann::json one = json_of(compare({"--json", a.path(), b.path()}))["tensors"][0];
    EXPECT_EQ(one["differing_bytes"], 1);
    EXPECT_EQ(one["first"]["byte"], 1);
}

TEST(compare_program_test, many_tensors_are_summed_up) {
    std::vector<float> values(1000, 1.0f);
    const temporary_file a(scalars(values));
    for (std::size_t i = 0; i < 25; ++i) {
        values[40 * i] = 2;
    }
    const temporary_file b(scalars(values));
    const program_result result = compare({a.path(), b.path()});
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_EQ(count_of(result.out, " / 2  ("), 20u) << result.out;
    expect_in_order(result.out, {"... and 5 more\n975 other tensors equal\n", "different: 25 of 1000 tensors"});
}

TEST(compare_program_test, what_cannot_be_read_is_refused) {
    const temporary_file text("a,b\n1,2\n");
    const std::string good = sample("compare_a");
    expect_refusal(compare({good, text.path()}), {text.path()});
    expect_refusal(compare({"/nonexistent/file", good}), {"/nonexistent/file"});
    expect_refusal(compare({good, "/tmp"}), {"/tmp"});
    expect_refusal(compare({good}), {"B", "bitstep compare --help"});
    expect_refusal(compare({good, good, good}), {"bitstep compare --help"});
    const temporary_file odd(std::string(10, 'x'));
    expect_refusal(compare({"--raw", "f32", odd.path(), odd.path()}), {odd.path(), "10 bytes", "F32"});
    expect_refusal(compare({"--raw", "f64", "/nonexistent/file", odd.path()}), {"/nonexistent/file", "No such file"});
    expect_refusal(compare({"--raw", "f32", "/tmp", odd.path()}), {"/tmp", "is a directory"});
    expect_refusal(compare({"--raw", "f16", good, good}), {"--raw", "f16"});
}

TEST(compare_program_test, help_says_what_is_compared) {
    const program_result result = compare({"--help"});
    EXPECT_EQ(result.exit_code, 0);
    expect_in_order(result.out, {"--raw", "--json", "--quiet", "Examples:", "NaN", "Digest", "Exit codes:"});
}

} // namespace
} // namespace bitstep_test
