// SPDX-License-Identifier: Apache-2.0
// Foreign text in messages: one line, of bearable length, never half a character.
#include "program/text.hpp"

#include <gtest/gtest.h>

namespace bitstep_test {
namespace {

using bitstep::program::printable;

TEST(text_test, leaves_ordinary_text_alone) {
    EXPECT_EQ(printable("mdvis"), "mdvis");
    EXPECT_EQ(printable(""), "");
    EXPECT_EQ(printable("H\xC3\xB6he"), "H\xC3\xB6he");
}

TEST(text_test, replaces_control_characters) { EXPECT_EQ(printable("a\nb\x1b[2J\x7f"), "a?b?[2J?"); }

TEST(text_test, cuts_between_characters) {
    EXPECT_EQ(printable(std::string(60, 'x')), std::string(60, 'x'));
    EXPECT_EQ(printable(std::string(61, 'x')), std::string(60, 'x') + "...");
    const std::string before(59, 'x');
    EXPECT_EQ(printable(before + "\xC3\xB6 and more"), before + "...");
}

} // namespace
} // namespace bitstep_test
