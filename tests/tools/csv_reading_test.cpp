// SPDX-License-Identifier: Apache-2.0
// How a CSV file is read must not show in what is read: wherever blocks are cut, however many threads parse, and whether
// libcsv or the faster split at commas finds the fields, table and message are the same.
#include "program/data/csv_table.hpp"
#include "program/errors.hpp"
#include "program/split_mix.hpp"
#include "refusal.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace bitstep_test {
namespace {

using bitstep::program::csv_method;
using bitstep::program::csv_reading;
using bitstep::program::csv_table;
using bitstep::program::input_error;
using bitstep::program::parse_csv_table;
using bitstep::program::split_mix;

// All that a caller can see, as text: the table or the message.
std::string outcome(const std::string& text, const csv_reading& how) {
    try {
        const csv_table table = parse_csv_table("t.csv", text, how);
        return fmt::format("{} header {} values {} lines {}", table.names, table.header_line, table.values,
                           table.lines);
    } catch (const input_error& error) {
        return error.what();
    }
}

std::string one_block_by_libcsv(const std::string& text) {
    csv_reading how;
    how.threads = 1;
    how.block_bytes = text.size() + 1;
    how.method = csv_method::libcsv_alone;
    return outcome(text, how);
}

csv_reading in_blocks(std::size_t bytes, std::size_t threads) {
    csv_reading how;
    how.block_bytes = bytes;
    how.threads = threads;
    return how;
}

const std::vector<std::size_t> threads_tried = {1, 2, 7};

// Many rows; numbers that differ in length, so that blocks end anywhere in a row.
std::string many_rows(std::size_t rows) {
    std::string text = "a,b,c\n";
    for (std::size_t i = 0; i < rows; ++i) {
        text += fmt::format("{},{},-{}e-3\n", i, 0.25 * static_cast<double>(i * i), i % 7);
    }
    return text;
}

const std::vector<std::string> texts = {
    "a,b\n1,2\n3,4\n",
    "a,b\n1,2\n3,4", // no final line end
    "a,b\r\n1,2\r\n3,4\r\n",
    "a,b\r1,2\r3,4\r",
    "a,b\r\n1,2\r\r\n\n\r3,4\r",
    "\xEF\xBB\xBF"
    "a,b\n1,2\n",
    "\n  \r\n\t\n a , b \n\n 1,\t2 \n \n3 , 4\n  ",
    "\"a\n\",\"b,\"\"c\"\"\"\n1,\"2\"\n\"3\",4\n5,6\n",
    "a,b\n1,\" 2\n\n\"\n3,4\n\"5\r\n\",\"6\"\n7,8\n", // quoted fields over line ends
    "a,b\n+1,-2e+3\n.5,5.\n1e5,-0\n",
    std::string("a\0b,c\n1,2\n", 10),
    std::string("a,b\n1,2\0\n3,4\n", 13),
    "a,b\n1,2\n3,x\n4,\n",
    "a,b\n1,2\n3\n4,5,6\n",
    "a,b\n1,2\n3,4,\n",
    "a,b\n1,,2\n",
    "a,b\n1,2,x\n", // too many fields, and what is too many is no number
    "a,b\n1,2\n3, \n",
    "a,b\n1,\" x \"\n",
    "a,b\n\n1,\"2\n3,4\n5,6\n",         // never closed
    "a,b\n1,2\n3,4\"5\n6,7\n\"8\",9\n", // out of place
    "a,b\n1,2\nx,4\"5\n6,7\n",          // the field before is the first fault
    "a,b\n1,\"2\"2\n3,4\n",
    "a,b\nnan,1\n",
    "a,b\n1,inf\n",
    "a,b\n1,1e999\n",
    "a,b\n1,0x1\n",
    "a,b,a\n1,2,3\n",
    "a,\"b\n1,2\n",
    "a,b\"\n1,2\n",
    "a,b",
    "a,b\n\n",
    "\n\r\n ",
    "",
    "\xEF\xBB\xBF",
    "\"",
    ",\n1,2\n",
};

TEST(csv_reading_test, every_byte_can_be_the_end_of_a_block) {
    for (const std::string& text : texts) {
        const std::string expected = one_block_by_libcsv(text);
        for (std::size_t bytes = 1; bytes <= text.size() + 1; ++bytes) {
            EXPECT_EQ(outcome(text, in_blocks(bytes, 1)), expected) << bytes << " bytes of:\n" << text;
        }
    }
}

TEST(csv_reading_test, threads_change_nothing) {
    const std::string text = many_rows(1000);
    const std::string expected = one_block_by_libcsv(text);
    for (const std::size_t threads : threads_tried) {
        for (const std::size_t bytes : {10u, 1000u, 1u << 20}) {
            EXPECT_TRUE(outcome(text, in_blocks(bytes, threads)) == expected) << threads << " threads, " << bytes;
        }
    }
}

TEST(csv_reading_test, of_faults_in_several_blocks_the_first_is_named) {
    const std::string rows = many_rows(1000);
    const std::string text = rows + "1,2\n" + "x,1,2\n1,2\"2\n"; // lines 1002, 1003, 1004
    for (const std::size_t threads : threads_tried) {
        for (const std::size_t bytes : {1u, 100u, 5000u, 1u << 20}) {
            EXPECT_EQ(outcome(text, in_blocks(bytes, threads)),
                      "t.csv:1002:3 (c): fields: 2 in this row, 3 in the header");
        }
    }
}

TEST(csv_reading_test, random_texts_read_the_same_by_both_ways) {
    const std::string alphabet = ",,,,\"\"\r\n\n\n  1111..5e-+x";
    split_mix random(2024);
    std::size_t tables = 0;
    constexpr std::size_t count = 20000;
    for (std::size_t i = 0; i < count; ++i) {
        std::string text = i % 2 == 0 ? "a,b\n" : ""; // with a header, more of them are tables
        const std::size_t fields = random.below(12);
        for (std::size_t field = 0; field < fields && i % 4 == 0; ++field) {
            text += field % 2 == 0 ? "1.5," : "\"-2\"\r\n";
        }
        const std::size_t length = random.below(14);
        for (std::size_t j = 0; j < length; ++j) {
            text += alphabet[random.below(alphabet.size())];
        }
        const std::string expected = one_block_by_libcsv(text);
        tables += expected.find(" values ") != std::string::npos ? 1 : 0;
        ASSERT_EQ(outcome(text, in_blocks(1 + random.below(text.size() + 1), 1)), expected) << text;
    }
    EXPECT_GT(tables, count / 50); // not only faults were compared
    EXPECT_LT(tables, count / 2);
}

TEST(csv_reading_test, what_has_no_end_is_refused) {
    constexpr std::size_t mebibyte = std::size_t{1} << 20;
    csv_reading how = in_blocks(1000, 2);
    how.longest_row = mebibyte;
    const std::string endless(mebibyte + 1, '1');
    const std::string many_lines = many_rows(100000);
    EXPECT_EQ(outcome(endless, how), "t.csv:1: a line is longer than 1 MiB");
    EXPECT_EQ(outcome("\na,b\n1,2\n3," + endless, how), "t.csv:4: a line is longer than 1 MiB");
    EXPECT_EQ(outcome("a,b\nx,2\n3," + endless, how), "t.csv:2:1 (a): \"x\" is not a number");
    EXPECT_EQ(outcome("a,b\n1,\"2\n" + many_lines, how), "t.csv:2: a quotation mark is not closed for 1 MiB");
    EXPECT_EQ(outcome("\"a,b\n" + many_lines, how), "t.csv:1: a quotation mark is not closed for 1 MiB");
    // An odd mark makes all that follows look like one row.
    EXPECT_EQ(outcome("a,b\n1,2\"\n" + many_lines, how), "t.csv:2:2 (b): a quotation mark out of place");
    EXPECT_EQ(outcome("a,b\nx,2\"\n" + many_lines, how), "t.csv:2:1 (a): \"x\" is not a number");
    EXPECT_EQ(outcome("a,b\"\n" + many_lines, how), "t.csv:1:2 (no name): a quotation mark out of place");
}

TEST(csv_reading_test, a_device_without_end_is_refused) {
    EXPECT_EQ(refusal_of([] { bitstep::program::read_csv_table("/dev/zero"); }),
              "/dev/zero:1: a line is longer than 64 MiB");
}

} // namespace
} // namespace bitstep_test
