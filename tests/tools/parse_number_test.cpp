// SPDX-License-Identifier: Apache-2.0
// What counts as a number in a CSV file, and what is said of the rest.
#include "program/data/parse_number.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <string>

namespace bitstep_test {
namespace {

using bitstep::program::parse_number;

void expect_value(const char* text, double expected) {
    const auto number = parse_number(text);
    EXPECT_EQ(number.problem, nullptr) << text;
    EXPECT_EQ(number.value, expected) << text;
}

void expect_problem(const char* text, const std::string& problem) {
    const auto number = parse_number(text);
    ASSERT_NE(number.problem, nullptr) << text;
    EXPECT_EQ(number.problem, problem) << text;
}

TEST(parse_number_test, accepts) {
    expect_value("0", 0.0);
    expect_value("-0.5", -0.5);
    expect_value("6.907755", 6.907755);
    expect_value("1e-3", 1e-3);
    expect_value("1E+3", 1e3);
    expect_value(".5", 0.5);
    expect_value("5.", 5.0);
    expect_value("+1.5", 1.5);
    expect_value(" \t7 \t", 7.0);
    expect_value("0.1", 0.1);
    expect_value("9007199254740993", 9007199254740992.0); // a tie, to even
    expect_value("2.2250738585072011e-308", 2.2250738585072011e-308);
}

TEST(parse_number_test, refuses_text) {
    for (const char* text : {"abc", "1x", "1 2", "1,5", "0x10", "--1", "+-1", "-+1", "++1", "+", "-", ".", "e5", "1e",
                             "1e+", "1_000", "'1'",
                             "\xC2\xA0"
                             "1"}) {
        expect_problem(text, "is not a number");
    }
}

TEST(parse_number_test, refuses_emptiness) {
    expect_problem("", "is empty, expected a number");
    expect_problem("  \t", "is empty, expected a number");
}

TEST(parse_number_test, refuses_what_is_not_finite) {
    for (const char* text : {"nan", "NaN", "-nan", "inf", "Infinity", "-INF", "+inf"}) {
        expect_problem(text, "is not finite");
    }
    expect_problem("1e400", "is outside the range of a double");
}

TEST(parse_number_test, does_not_ask_the_locale) {
    const std::string before = std::setlocale(LC_ALL, nullptr);
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8"}) {
        std::setlocale(LC_ALL, name);
    } // whichever is there
    expect_value("1.5", 1.5);
    std::setlocale(LC_ALL, before.c_str());
}

} // namespace
} // namespace bitstep_test
