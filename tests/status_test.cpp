// SPDX-License-Identifier: Apache-2.0
// Proves: a status holds its text in place, cuts it at its capacity, and the codes are the fixed numbers of the C
// interface.
#include <bitstep/bitstep.hpp>
#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace bitstep_test {
namespace {

using bitstep::status;
using bitstep::status_code;

TEST(status, success_is_empty) {
    const status good;
    EXPECT_TRUE(good.ok());
    EXPECT_EQ(good.code(), status_code::ok);
    EXPECT_STREQ(good.message(), "");
}

TEST(status, failure_keeps_code_and_text) {
    const status bad(status_code::invalid_argument, "beta1 must be in [0, 1), got 1");
    EXPECT_FALSE(bad.ok());
    EXPECT_EQ(bad.code(), status_code::invalid_argument);
    EXPECT_STREQ(bad.message(), "beta1 must be in [0, 1), got 1");
}

TEST(status, text_is_cut_at_the_capacity) {
    const std::size_t room = status::capacity - 1;
    EXPECT_EQ(std::string(status(status_code::overlap, std::string(room, 'a').c_str()).message()),
              std::string(room, 'a'));
    EXPECT_EQ(std::string(status(status_code::overlap, std::string(room + 1, 'b').c_str()).message()),
              std::string(room, 'b'));
    EXPECT_EQ(std::string(status(status_code::overlap, std::string(5000, 'c').c_str()).message()),
              std::string(room, 'c'));
}

TEST(status, no_text_is_empty_text) {
    EXPECT_STREQ(status(status_code::overlap, nullptr).message(), "");
    EXPECT_STREQ(status(status_code::overlap, "").message(), "");
}

TEST(status, copies_own_their_text) {
    char text[] = "first";
    const status original(status_code::overlap, text);
    const status copy = original;
    text[0] = 'X';
    EXPECT_STREQ(original.message(), "first");
    EXPECT_STREQ(copy.message(), "first");
    EXPECT_NE(copy.message(), original.message());
}

TEST(status, never_throws_or_allocates) {
    static_assert(std::is_trivially_copyable_v<status>);
    static_assert(std::is_nothrow_default_constructible_v<status>);
    static_assert(std::is_nothrow_constructible_v<status, status_code, const char*>);
}

TEST(status, codes_are_fixed) {
    EXPECT_EQ(static_cast<int>(status_code::ok), 0);
    EXPECT_EQ(static_cast<int>(status_code::null_pointer), 1);
    EXPECT_EQ(static_cast<int>(status_code::invalid_argument), 2);
    EXPECT_EQ(static_cast<int>(status_code::invalid_shape), 3);
    EXPECT_EQ(static_cast<int>(status_code::overlap), 4);
    EXPECT_EQ(static_cast<int>(status_code::non_finite), 5);
    EXPECT_EQ(static_cast<int>(status_code::gradient_overflow), 6);
    EXPECT_EQ(static_cast<int>(status_code::workspace_too_small), 7);
    EXPECT_EQ(static_cast<int>(status_code::out_of_memory), 8);
    EXPECT_EQ(static_cast<int>(status_code::arch_unavailable), 9);
}

} // namespace
} // namespace bitstep_test
