// SPDX-License-Identifier: Apache-2.0
// Foreign text in messages: one line, of bearable length, never half a character.
#include "program/text.hpp"

#include <gtest/gtest.h>

namespace bitstep_test {
namespace {

using bitstep::program::listed;
using bitstep::program::listed_paths;
using bitstep::program::printable;
using bitstep::program::printable_path;

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

TEST(text_test, a_path_keeps_its_end) {
    const std::string folder(100, 'x');
    EXPECT_EQ(printable_path(folder + "/a\nb"), folder + "/a?b");
}

TEST(text_test, lists_the_first_and_counts_the_others) {
    EXPECT_EQ(listed({}, 2), "");
    EXPECT_EQ(listed({"a", "b"}, 2), "a, b");
    EXPECT_EQ(listed({"a", "b\n", "c", "d"}, 2), "a, b? and 2 more");
    const std::string name(61, 'x');
    EXPECT_EQ(listed({name}, 2), printable(name));
    EXPECT_EQ(listed_paths({name, "b"}, 1), name + " and 1 more");
}

TEST(text_test, counts_characters_not_bytes) {
    EXPECT_EQ(bitstep::program::character_count("H\xC3\xB6he"), 4u);
    EXPECT_EQ(bitstep::program::character_count(""), 0u);
}

} // namespace
} // namespace bitstep_test
