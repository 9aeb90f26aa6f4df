// SPDX-License-Identifier: Apache-2.0
// `bitstep info` as a process: tells what the library tells, for people and as JSON.
#include "run_program.hpp"

#include <bitstep/bitstep.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace bitstep_test {
namespace {

TEST(info_program_test, names_versions_kernels_threads_and_environment) {
    const program_result result = run_program({"info"}, {"BITSTEP_NUM_THREADS=3", "BITSTEP_ARCH=reference"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    for (const std::string& part :
         {std::string(bitstep::version()), std::string("numerics version"), std::string("processor"),
          std::string("reference  active"), std::string("threads      3"), std::string("BITSTEP_NUM_THREADS=3"),
          std::string("BITSTEP_ARCH=reference")}) {
        EXPECT_NE(result.out.find(part), std::string::npos) << part << " is missing in\n" << result.out;
    }
}

TEST(info_program_test, json_agrees_with_the_library) {
    const program_result result = run_program({"info", "--json"}, {"BITSTEP_NUM_THREADS=5"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const auto facts = nlohmann::json::parse(result.out);
    EXPECT_EQ(facts["version"], bitstep::version());
    EXPECT_EQ(facts["numerics_version"], bitstep::numerics_version());
    EXPECT_EQ(facts["threads"], 5);
    EXPECT_EQ(facts["environment"]["BITSTEP_NUM_THREADS"], "5");
    std::size_t active = 0;
    ASSERT_EQ(facts["archs"].size(), 5u);
    for (const auto& one : facts["archs"]) {
        bitstep::arch which = bitstep::arch::automatic;
        ASSERT_TRUE(bitstep::arch_from_name(one["name"].get<std::string>().c_str(), which).ok());
        EXPECT_EQ(one["compiled"].get<bool>(), bitstep::arch_compiled(which));
        EXPECT_EQ(one["runnable"].get<bool>(), bitstep::arch_runnable(which));
        active += one["active"].get<bool>() ? 1u : 0u;
    }
    EXPECT_EQ(active, 1u);
}

} // namespace
} // namespace bitstep_test
