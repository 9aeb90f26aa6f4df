// SPDX-License-Identifier: Apache-2.0
// Options that are numbers: the nearest double, whatever the processor's long double; and their text in files.
#include "program/errors.hpp"
#include "program/number_option.hpp"
#include "program/number_text.hpp"
#include "program/whole_number.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace bitstep_test {
namespace {

using namespace bitstep::program;

// The number, or the refusal in words.
struct outcome {
    double value = 0.5;
    std::string refusal;
};

outcome given(const std::string& text) {
    outcome result;
    CLI::App app;
    add_number_option(app, "--rate", result.value, "a rate");
    try {
        app.parse(std::vector<std::string>{text, "--rate"}); // CLI11 takes them from the back
    } catch (const CLI::ParseError& error) {
        result.refusal = error.what();
    }
    return result;
}

TEST(number_option_test, is_the_nearest_double) {
    // By way of long double these would be one unit off on x86.
    EXPECT_EQ(given("0.002877").value, 0x1.791819d2391d5p-9);
    EXPECT_EQ(given("0.005754").value, 0x1.791819d2391d5p-8);
    EXPECT_EQ(given("1e-3").value, 0.001);
    EXPECT_EQ(given("+4").value, 4);
    EXPECT_EQ(given("-0.25").value, -0.25);
    EXPECT_EQ(given("5e-324").value, std::numeric_limits<double>::denorm_min());
}

TEST(number_option_test, what_is_no_number_is_refused_by_name) {
    for (const char* text : {"x", "1e", "0x10", "1,5", "nan", "inf", "1e999", "1 2"}) {
        const outcome result = given(text);
        EXPECT_EQ(result.refusal.rfind("--rate: \"", 0), 0u) << text << ": " << result.refusal;
        EXPECT_EQ(result.value, 0.5) << text;
    }
}

TEST(number_text_test, has_the_fewest_digits_that_give_the_number_back) {
    EXPECT_EQ(number_text(0.1), "0.1");
    EXPECT_EQ(number_text(3.0), "3");
    EXPECT_EQ(number_text(1e-8), "1e-08");
    EXPECT_EQ(number_text(444.0815874856373), "444.0815874856373"); // Grisu2 gives 444.08158748563727
    EXPECT_EQ(number_text(0.1f), "0.1");
    EXPECT_EQ(number_text(-0.0), "-0");
    EXPECT_EQ(number_text(-std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(whole_number_test, digits_only_within_the_range) {
    std::string good[] = {"1", "1024"};
    std::string bad[] = {"0", "1025", "010", "0x10", "-1", "1.0", "", " 1", "18446744073709551617"};
    for (std::string& text : good) {
        EXPECT_EQ(thread_count(text), "") << text;
    }
    for (std::string& text : bad) {
        EXPECT_NE(thread_count(text).find("a whole number from 1 to 1024"), std::string::npos) << text;
    }
}

} // namespace
} // namespace bitstep_test
