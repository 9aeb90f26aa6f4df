// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets check (tests/fuzz), over their corpus and everything near it, with every compiler and every run.
#include "fuzz.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace bitstep_test {
namespace {

bool accepted(const std::string& input) {
    return bitstep_fuzz::safetensors(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

TEST(fuzz_corpus_test, good_headers_are_accepted_and_bad_ones_refused) {
    int inputs = 0;
    for (const auto& entry : std::filesystem::directory_iterator(BITSTEP_TEST_CORPUS "/safetensors")) {
        const std::string name = entry.path().filename().string();
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string input{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        const bool good = name.substr(0, 5) == "good_";
        EXPECT_EQ(accepted(input), good) << name;
        // A good header cut anywhere is refused: nothing but padding stands after its last brace.
        for (std::size_t size = 0; good && size <= input.rfind('}'); ++size) {
            EXPECT_FALSE(accepted(input.substr(0, size))) << name << " cut to " << size;
        }
        // One byte changed: whatever is accepted must keep the promises.
        for (std::size_t i = 0; i < input.size(); ++i) {
            for (const char byte : {'\0', '9', '"', '}', ',', '\xff'}) {
                std::string changed = input;
                changed[i] = byte;
                accepted(changed);
            }
        }
        ++inputs;
    }
    EXPECT_GE(inputs, 18);
}

} // namespace
} // namespace bitstep_test
