// SPDX-License-Identifier: Apache-2.0
// CSV text to a table: the forms that must work, and every fault with its place.
#include "program/data/csv_table.hpp"
#include "program/data/csv_table_builder.hpp"
#include "program/errors.hpp"
#include "refusal.hpp"
#include "support/allocation.hpp"

#include <gtest/gtest.h>

namespace bitstep_test {
namespace {

using bitstep::program::csv_block;
using bitstep::program::csv_rows;
using bitstep::program::csv_table;
using bitstep::program::csv_table_builder;
using bitstep::program::input_error;
using bitstep::program::parse_csv_table;

const std::vector<std::string> ab = {"a", "b"};
const std::vector<double> one_to_four = {1, 2, 3, 4};

void expect_table(const std::string& text, const std::vector<std::size_t>& lines = {2, 3}) {
    const csv_table table = parse_csv_table("t.csv", text);
    EXPECT_EQ(table.names, ab) << text;
    EXPECT_EQ(table.values, one_to_four) << text;
    EXPECT_EQ(table.lines, lines) << text;
}

void expect_fault(const std::string& text, const std::string& message) {
    EXPECT_EQ(refusal_of([&] { parse_csv_table("t.csv", text); }), message) << text;
}

TEST(csv_table_test, plain) { expect_table("a,b\n1,2\n3,4\n"); }
TEST(csv_table_test, missing_final_newline) { expect_table("a,b\n1,2\n3,4"); }
TEST(csv_table_test, windows_line_ends) { expect_table("a,b\r\n1,2\r\n3,4\r\n"); }
TEST(csv_table_test, old_mac_line_ends) { expect_table("a,b\r1,2\r3,4\r"); }
TEST(csv_table_test, byte_order_mark) {
    expect_table("\xEF\xBB\xBF"
                 "a,b\n1,2\n3,4\n");
}
TEST(csv_table_test, quoted_fields) { expect_table("\"a\",\"b\"\n\"1\",2\n3,\" 4 \"\n"); }
TEST(csv_table_test, blanks_around_fields) { expect_table(" a , b \n 1,\t2 \n3 , 4\n"); }
TEST(csv_table_test, blank_lines_are_skipped_and_counted) { expect_table("\na,b\n\n1,2\n  \n3,4\n\n", {4, 6}); }

TEST(csv_table_test, quotes_and_commas_and_line_ends_in_names) {
    const csv_table table = parse_csv_table("t.csv", "\"a,\"\"x\"\"\",\"b\nc\"\n1,2\n");
    EXPECT_EQ(table.names, (std::vector<std::string>{"a,\"x\"", "b\nc"}));
    EXPECT_EQ(table.header_line, 2u);
    EXPECT_EQ(table.place(0, 1), "t.csv:3:2 (b?c)"); // a message stays on one line
}

TEST(csv_table_test, finds_columns_by_name) {
    const csv_table table = parse_csv_table("t.csv", "a,b\n1,2\n");
    EXPECT_EQ(bitstep::program::find_column(table, "b"), 1u);
    EXPECT_THROW(bitstep::program::find_column(table, "B"), input_error);
}

TEST(csv_table_test, finds_all_columns_at_once) {
    const csv_table table = parse_csv_table("t.csv", "a,b\n1,2\n");
    const auto columns = bitstep::program::columns_by_name(table);
    EXPECT_EQ(columns.size(), 2u);
    EXPECT_EQ(columns.at("a"), 0u);
    EXPECT_EQ(columns.at("b"), 1u);
}

// The file's size is all it knows of the rows to come.
TEST(csv_table_test, memory_that_cannot_be_had_ahead_is_gone_without) {
    const csv_rows two_rows{one_to_four, {0, 1}, 2, {}};
    for (const std::size_t file_bytes : {std::size_t{16}, ~std::size_t{0}}) {
        csv_table_builder builder("t.csv", file_bytes);
        csv_block header{"a,b\n", 0};
        ASSERT_TRUE(builder.take_header(header));
        fail_allocation(file_bytes == 16 ? 1 : 0); // the other one is more than a vector can hold
        EXPECT_NO_THROW(builder.append(two_rows, 8));
        fail_allocation(0);
        EXPECT_EQ(builder.finish().values, one_to_four);
    }
}

TEST(csv_table_test, faults_of_the_file) {
    for (const char* text : {"", "\n\n", "\xEF\xBB\xBF", "   \r\n"}) {
        expect_fault(text, "t.csv: the file is empty");
    }
    expect_fault("a,b\n", "t.csv:1: a header but no rows");
    expect_fault("a,b", "t.csv:1: a header but no rows");
    expect_fault("a,b,a\n1,2,3\n", "t.csv:1:3 (a): column 1 has the same name");
}

TEST(csv_table_test, faults_of_a_row) {
    expect_fault("a,b\n1,2\n3\n", "t.csv:3:2 (b): fields: 1 in this row, 2 in the header");
    expect_fault("a,b\n1,2,3\n", "t.csv:2:3 (beyond the last column): fields: 3 in this row, 2 in the header");
    expect_fault("a,b\n1,2\n3", "t.csv:3:2 (b): fields: 1 in this row, 2 in the header");
}

TEST(csv_table_test, faults_of_a_field) {
    expect_fault("a,b\n1,2\n3,x\n", "t.csv:3:2 (b): \"x\" is not a number");
    expect_fault("a,b\n1,\n", "t.csv:2:2 (b): the field is empty, expected a number");
    expect_fault("a,b\nnan,1\n", "t.csv:2:1 (a): \"nan\" is not finite");
    expect_fault("a,b\n1,\"2\n3\"\n", "t.csv:3:2 (b): \"2?3\" is not a number");
    expect_fault("a,b\nx,y\nz\n", "t.csv:2:1 (a): \"x\" is not a number"); // the first of several
}

TEST(csv_table_test, faults_of_quotes) {
    expect_fault("a,b\n\n1,\"2\n3,4\n", "t.csv:3:2 (b): a quotation mark is never closed");
    expect_fault("a,b\n1,2\"2\n", "t.csv:2:2 (b): a quotation mark out of place");
    expect_fault("a,b\n1,\"2\"2\n", "t.csv:2:2 (b): a quotation mark out of place");
}

TEST(csv_table_test, null_bytes_are_text) {
    expect_fault(std::string("a,b\n1,2\0\n", 9), "t.csv:2:2 (b): \"2?\" is not a number");
}

} // namespace
} // namespace bitstep_test
