// SPDX-License-Identifier: Apache-2.0
// Headers of safetensors files: what must be understood, and hostile, damaged or foreign ones, each with the fault in a
// parser that it would catch and with the reason a person gets.
#include "program/errors.hpp"
#include "program/tensors/safetensors.hpp"
#include "refusal.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace bitstep_test {
namespace {

using bitstep::program::input_error;
using bitstep::program::parse_safetensors_header;
using bitstep::program::safetensors_header;
using bitstep::program::tensor_info;

// "w":{...}: a member of a header.
std::string tensor(const std::string& name, const std::string& dtype, const std::string& shape,
                   const std::string& offsets) {
    return fmt::format("\"{}\":{{\"dtype\":\"{}\",\"shape\":{},\"data_offsets\":{}}}", name, dtype, shape, offsets);
}

struct refused {
    const char* catches; // the fault that would let it pass
    std::string text;
    std::uint64_t data_bytes;
    const char* reason;
};

void expect_refused(const std::vector<refused>& rows) {
    for (const refused& row : rows) {
        SCOPED_TRACE(row.catches);
        EXPECT_EQ(refusal_of([&] { parse_safetensors_header(row.text, row.data_bytes); }), row.reason)
            << row.text.substr(0, 200);
    }
}

// The one tensor of a header, with `data_bytes` bytes of data.
tensor_info only(const std::string& member, std::uint64_t data_bytes) {
    const safetensors_header header = parse_safetensors_header('{' + member + '}', data_bytes);
    EXPECT_EQ(header.tensors.size(), 1u);
    return header.tensors.at(0);
}

TEST(safetensors_test, an_empty_header_has_no_tensors_and_no_metadata) {
    for (const char* text : {"{}", "{}      ", "{ }\n", R"({"__metadata__":{}})"}) {
        const safetensors_header header = parse_safetensors_header(text, 0);
        EXPECT_TRUE(header.tensors.empty() && header.metadata.empty()) << text;
        EXPECT_EQ(header.find("w"), nullptr);
    }
}

TEST(safetensors_test, tensors_come_in_the_order_of_their_bytes) {
    const safetensors_header header = parse_safetensors_header('{' + tensor("z", "F64", "[1]", "[24,32]") + ", " +
                                                                   tensor("a", "F32", "[2,3]", "[0,24]") + ",\n" +
                                                                   tensor("e", "I64", "[5,0]", "[24,24]") + '}',
                                                               32);
    std::vector<std::string> names;
    for (const tensor_info& tensor : header.tensors) {
        names.push_back(tensor.name);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"a", "e", "z"})); // an empty one before the one at its offset
    const tensor_info* a = header.find("a");
    ASSERT_EQ(a, &header.tensors[0]);
    EXPECT_EQ(a->shape, (std::vector<std::uint64_t>{2, 3}));
    EXPECT_EQ(a->dtype, "F32");
    EXPECT_EQ(a->elements, 6u);
    EXPECT_EQ(a->bytes, 24u);
    EXPECT_EQ(header.find("z")->offset, 24u);
}

TEST(safetensors_test, members_may_stand_in_any_order) {
    EXPECT_EQ(only(R"("w":{"data_offsets":[0,8],"shape":[2],"dtype":"F32"})", 8).elements, 2u);
}

TEST(safetensors_test, a_tensor_without_dimensions_has_one_element) {
    const tensor_info scalar = only(tensor("s", "F64", "[]", "[0,8]"), 8);
    EXPECT_EQ(scalar.elements, 1u);
    EXPECT_TRUE(scalar.shape.empty());
}

TEST(safetensors_test, a_dimension_of_zero_empties_whatever_the_others_claim) {
    for (const char* shape : {"[0]", "[0,18446744073709551615]", "[18446744073709551615,18446744073709551615,0]"}) {
        const tensor_info empty = only(tensor("e", "F64", shape, "[0,0]"), 0);
        EXPECT_EQ(empty.elements, 0u) << shape;
        EXPECT_EQ(empty.bytes, 0u) << shape;
    }
}

TEST(safetensors_test, every_dtype_has_its_size) {
    const std::map<std::string, unsigned> bits_of = {
        {"BOOL", 8},    {"U8", 8},      {"I8", 8},   {"F8_E5M2", 8}, {"F8_E4M3", 8},     {"F8_E8M0", 8},
        {"I16", 16},    {"U16", 16},    {"F16", 16}, {"BF16", 16},   {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8},
        {"I32", 32},    {"U32", 32},    {"F32", 32}, {"F64", 64},    {"I64", 64},        {"U64", 64},
        {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"C64", 64}, {"F4", 4}};
    for (const auto& [dtype, bits] : bits_of) {
        EXPECT_EQ(only(tensor("w", dtype, "[2,4]", fmt::format("[0,{}]", bits)), bits).bytes, bits) << dtype;
    }
}

TEST(safetensors_test, metadata_and_names_are_unescaped) {
    const safetensors_header header =
        parse_safetensors_header(R"({"__metadata__":{"a\"\n":"\u00f6","":"\ud83d\ude00"},)" +
                                     tensor(R"(q\"\\\u0001)", "U8", "[1]", "[0,1]") + '}',
                                 1);
    EXPECT_EQ(header.metadata, (std::map<std::string, std::string>{{"a\"\n", "\xC3\xB6"}, {"", "\xF0\x9F\x98\x80"}}));
    EXPECT_NE(header.find("q\"\\\x01"), nullptr);
}

TEST(safetensors_test, numbers_up_to_the_largest_are_exact) {
    const std::uint64_t largest = (std::uint64_t{1} << 61) - 1; // whose bits still fit
    const tensor_info tensor_ =
        only(tensor("w", "U8", fmt::format("[{}]", largest), fmt::format("[0,{}]", largest)), largest);
    EXPECT_EQ(tensor_.bytes, largest);
}

TEST(safetensors_test, text_that_is_no_json_is_refused) {
    using namespace std::string_literals;
    const std::string good = tensor("w", "U8", "[1]", "[0,1]");
    expect_refused({
        {"an empty text", "", 0, "its header does not begin with '{'"},
        {"padding in front, of which the format knows none", " {}", 0, "its header does not begin with '{'"},
        {"a byte order mark, which the JSON parser skips", "\xEF\xBB\xBF{}", 0, "its header does not begin with '{'"},
        {"another top", "[]", 0, "its header does not begin with '{'"},
        {"another top that begins with a digit", "7", 0, "its header does not begin with '{'"},
        {"cut off at once", "{", 0, "its header is no JSON at byte 2"},
        {"cut off within a tensor", '{' + good.substr(0, 20), 1, "its header is no JSON at byte 22"},
        {"text after the end", "{}{}", 0, "its header is no JSON at byte 3"},
        {"a tensor after the end", "{}," + good, 1, "its header is no JSON at byte 3"},
        {"NUL, which the JSON parser takes for the end", "{}\0{}"s, 0, "its header is no JSON at byte 3"},
        {"NUL as padding", "{}\0\0\0"s, 0, "its header is no JSON at byte 3"},
        {"NUL inside a name", "{\"a\0b\":1}"s, 0, "its header is no JSON at byte 4"},
        {"a comment", "{/**/}", 0, "its header is no JSON at byte 2"},
        {"a comma at the end", '{' + good + ",}", 1, "its header is no JSON at byte 54"},
        {"single quotes", "{'a':1}", 0, "its header is no JSON at byte 2"},
        {"a leading zero", '{' + tensor("w", "U8", "[01]", "[0,1]") + '}', 1, "its header is no JSON at byte 30"},
        {"hexadecimal", '{' + tensor("w", "U8", "[0x1]", "[0,1]") + '}', 1, "its header is no JSON at byte 30"},
        {"a sign", '{' + tensor("w", "U8", "[+1]", "[0,1]") + '}', 1, "its header is no JSON at byte 29"},
        {"NaN", '{' + tensor("w", "U8", "[NaN]", "[0,1]") + '}', 1, "its header is no JSON at byte 29"},
        {"a raw line end in a name", "{\"a\nb\":1}", 0, "its header is no JSON at byte 4"},
        {"half a pair of surrogates", R"({"\ud800":1})", 0, "its header is no JSON at byte 9"},
        {"a byte that is no UTF-8", "{\"\xFF\":1}", 0, "its header is not UTF-8 at byte 3"},
        {"an overlong '/', the old way around checks", "{\"\xC0\xAF\":1}", 0, "its header is not UTF-8 at byte 3"},
        {"a surrogate as UTF-8", "{\"\xED\xA0\x80\":1}", 0, "its header is not UTF-8 at byte 4"},
        {"half a character", "{\"\xE2\x82\":1}", 0, "its header is not UTF-8 at byte 5"},
    });
}

TEST(safetensors_test, json_of_another_structure_is_refused) {
    const std::string deep(200, '[');
    expect_refused({
        {"a tensor that is a number", R"({"w":1})", 0, "tensor \"w\": it must be an object, not a number"},
        {"null", R"({"w":null})", 0, "tensor \"w\": it must be an object, not null"},
        {"true", R"({"w":true})", 0, "tensor \"w\": it must be an object, not a truth value"},
        {"recursion as deep as the text", R"({"w":)" + deep, 0, "tensor \"w\": it must be an object, not an array"},
        {"the same within shape", R"({"w":{"shape":)" + deep, 0,
         "tensor \"w\": a length in shape must be a whole number >= 0, not an array"},
        {"the same with objects", R"({"w":{"w":{"w":{)", 0, "tensor \"w\": it has an unknown member \"w\""},
        {"the same in metadata", R"({"__metadata__":{"a":{)", 0, "__metadata__ \"a\" must be text, not an object"},
        {"metadata that is a list", R"({"__metadata__":[]})", 0, "__metadata__ must be an object, not an array"},
        {"metadata null", R"({"__metadata__":null})", 0, "__metadata__ must be an object, not null"},
        {"a number as metadata", R"({"__metadata__":{"a":1}})", 0, "__metadata__ \"a\" must be text, not a number"},
        {"null as metadata", R"({"__metadata__":{"a":null}})", 0, "__metadata__ \"a\" must be text, not null"},
        {"no dtype", R"({"w":{"shape":[1],"data_offsets":[0,1]}})", 1, "tensor \"w\": dtype is missing"},
        {"no shape", R"({"w":{"dtype":"U8","data_offsets":[0,1]}})", 1, "tensor \"w\": shape is missing"},
        {"no offsets", R"({"w":{"dtype":"U8","shape":[1]}})", 1, "tensor \"w\": data_offsets is missing"},
        {"what the tensor before it had", '{' + tensor("v", "U8", "[1]", "[0,1]") + R"(,"w":{}})", 1,
         "tensor \"w\": dtype is missing"},
        {"a member too many", R"({"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"strides":[1]}})", 1,
         "tensor \"w\": it has an unknown member \"strides\""},
        {"a member in capitals", R"({"w":{"DTYPE":"U8"}})", 1, "tensor \"w\": it has an unknown member \"DTYPE\""},
        {"a number as dtype", R"({"w":{"dtype":8}})", 1, "tensor \"w\": dtype must be text, not a number"},
        {"text as shape", R"({"w":{"shape":"[1]"}})", 1, "tensor \"w\": shape must be an array, not text"},
        {"a number as shape", R"({"w":{"shape":1}})", 1, "tensor \"w\": shape must be an array, not a number"},
        {"an object as offsets", R"({"w":{"data_offsets":{}}})", 1,
         "tensor \"w\": data_offsets must be an array, not an object"},
        {"control characters of a name reaching a terminal", R"({"\u001b[2J\n":1})", 0,
         "tensor \"?[2J?\": it must be an object, not a number"},
    });
}

TEST(safetensors_test, keys_that_are_there_twice_are_refused) {
    const std::string w = tensor("w", "U8", "[1]", "[0,1]");
    expect_refused({
        {"the last one wins", '{' + w + ',' + tensor("w", "U8", "[1]", "[1,2]") + '}', 2,
         "tensor \"w\": it is there twice"},
        {"compared before they are unescaped", '{' + w + ',' + tensor("\\u0077", "U8", "[1]", "[1,2]") + '}', 2,
         "tensor \"w\": it is there twice"},
        {"hidden by another between them",
         '{' + w + ',' + tensor("v", "U8", "[1]", "[1,2]") + ',' + tensor("w", "U8", "[1]", "[2,3]") + '}', 3,
         "tensor \"w\": it is there twice"},
        {"metadata twice", R"({"__metadata__":{},"__metadata__":{}})", 0, "__metadata__ is there twice"},
        {"a metadata name twice", R"({"__metadata__":{"a":"1","a":"1"}})", 0, "__metadata__ \"a\" is there twice"},
        {"dtype twice", R"({"w":{"dtype":"F32","dtype":"U8"}})", 1, "tensor \"w\": dtype is there twice"},
        {"shape twice, appended", R"({"w":{"dtype":"U8","shape":[1],"shape":[]}})", 1,
         "tensor \"w\": shape is there twice"},
        {"offsets twice", R"({"w":{"data_offsets":[0,1],"data_offsets":[0,1]}})", 1,
         "tensor \"w\": data_offsets is there twice"},
    });
}

TEST(safetensors_test, shapes_and_types_that_lie_are_refused) {
    const auto one = [](const std::string& dtype, const std::string& shape, const std::string& offsets) {
        return '{' + tensor("w", dtype, shape, offsets) + '}';
    };
    const std::string many = std::string("[1") + [] {
        std::string ones;
        for (int i = 0; i < 256; ++i) {
            ones += ",1";
        }
        return ones;
    }() + ']';
    expect_refused({
        {"the product 2^32 x 2^32 x 4 wrapping to 0 elements", one("U8", "[4294967296,4294967296,4]", "[0,0]"), 0,
         "tensor \"w\": the product of its shape is too large"},
        {"a product that wraps to 4", one("U8", "[9223372036854775810,2]", "[0,4]"), 4,
         "tensor \"w\": the product of its shape is too large"},
        {"elements that fit and bytes that wrap to 0", one("F64", "[2305843009213693952]", "[0,0]"), 0,
         "tensor \"w\": the product of its shape is too large"},
        {"bytes that wrap to 4", one("F32", "[4611686018427387905]", "[0,4]"), 4,
         "tensor \"w\": the product of its shape is too large"},
        {"2^64, which no u64 holds", one("U8", "[18446744073709551616]", "[0,0]"), 0,
         "tensor \"w\": a length in shape must be a whole number >= 0, not a number that is not whole or too large"},
        {"a negative length", one("U8", "[-1]", "[0,1]"), 1,
         "tensor \"w\": a length in shape must be a whole number >= 0, not a negative number"},
        {"minus zero", one("U8", "[-0]", "[0,0]"), 0,
         "tensor \"w\": a length in shape must be a whole number >= 0, not a negative number"},
        {"a fraction cut off", one("U8", "[1.5]", "[0,1]"), 1,
         "tensor \"w\": a length in shape must be a whole number >= 0, not a number that is not whole or too large"},
        {"an exponent", one("U8", "[1e0]", "[0,1]"), 1,
         "tensor \"w\": a length in shape must be a whole number >= 0, not a number that is not whole or too large"},
        {"a length as text", one("U8", "[\"1\"]", "[0,1]"), 1,
         "tensor \"w\": a length in shape must be a whole number >= 0, not text"},
        {"fewer bytes than elements", one("F32", "[2]", "[0,4]"), 4,
         "tensor \"w\": its shape and dtype need 8 bytes, data_offsets hold 4"},
        {"more bytes than elements", one("F32", "[2]", "[0,12]"), 12,
         "tensor \"w\": its shape and dtype need 8 bytes, data_offsets hold 12"},
        {"bytes of an empty tensor", one("F32", "[0]", "[0,4]"), 4,
         "tensor \"w\": its shape and dtype need 0 bytes, data_offsets hold 4"},
        {"half a byte", one("F4", "[3]", "[0,1]"), 1, "tensor \"w\": its elements do not fill whole bytes"},
        {"an unknown dtype", one("F31", "[1]", "[0,4]"), 4, "tensor \"w\": dtype \"F31\" is unknown"},
        {"a dtype in small letters", one("f32", "[1]", "[0,4]"), 4, "tensor \"w\": dtype \"f32\" is unknown"},
        {"no dtype's name", one("", "[1]", "[0,4]"), 4, "tensor \"w\": dtype \"\" is unknown"},
        {"a shape of millions of ones", one("U8", many, "[0,1]"), 1, "tensor \"w\": it has more than 256 dimensions"},
    });
}

TEST(safetensors_test, offsets_that_lie_are_refused) {
    const auto two = [](const std::string& first, const std::string& second) {
        return '{' + tensor("a", "U8", "[4]", first) + ',' + tensor("b", "U8", "[4]", second) + '}';
    };
    const auto one = [](const std::string& offsets) { return '{' + tensor("w", "U8", "[4]", offsets) + '}'; };
    expect_refused({
        {"overlap: one file unfolding into many", two("[0,4]", "[0,4]"), 8,
         "tensor \"b\": its bytes begin at 0, where those before it overlap it and end at 4"},
        {"partial overlap", two("[0,4]", "[2,6]"), 6,
         "tensor \"b\": its bytes begin at 2, where those before it overlap it and end at 4"},
        {"a gap that hides another file", two("[0,4]", "[5,9]"), 9,
         "tensor \"b\": its bytes begin at 5, where those before it leave a gap and end at 4"},
        {"a gap at the beginning", one("[4,8]"), 8,
         "tensor \"w\": its bytes begin at 4, where those before it leave a gap and end at 0"},
        {"an empty tensor inside another",
         '{' + tensor("a", "U8", "[4]", "[0,4]") + ',' + tensor("e", "U8", "[0]", "[2,2]") + '}', 4,
         "tensor \"e\": its bytes begin at 2, where those before it overlap it and end at 4"},
        {"an empty tensor past the end", '{' + tensor("e", "U8", "[0]", "[9,9]") + '}', 0,
         "tensor \"e\": its bytes begin at 9, where those before it leave a gap and end at 0"},
        {"past the end of the file", one("[0,4]"), 3,
         "tensor \"w\": its bytes end at 4, but the file holds only 3 bytes of data"},
        {"far past it", '{' + tensor("w", "U8", "[2305843009213693951]", "[0,2305843009213693951]") + '}', 3,
         "tensor \"w\": its bytes end at 2305843009213693951, but the file holds only 3 bytes of data"},
        {"another file after the data", one("[0,4]"), 5, "its tensors end at byte 4 of the data, but the file holds 5"},
        {"data and no tensor", "{}", 1, "its tensors end at byte 0 of the data, but the file holds 1"},
        {"reversed offsets, whose difference wraps", one("[4,0]"), 4,
         "tensor \"w\": its bytes end at 0, before they begin at 4"},
        {"the same at the edge of 64 bits", one("[18446744073709551615,3]"), 4,
         "tensor \"w\": its bytes end at 3, before they begin at 18446744073709551615"},
        {"a negative offset", one("[-4,0]"), 4,
         "tensor \"w\": one of data_offsets must be a whole number >= 0, not a negative number"},
        {"a fraction", one("[0,4.0]"), 4,
         "tensor \"w\": one of data_offsets must be a whole number >= 0, not a number that is not whole or too large"},
        {"one offset", one("[0]"), 4, "tensor \"w\": data_offsets must be two numbers, not fewer"},
        {"no offset", one("[]"), 4, "tensor \"w\": data_offsets must be two numbers, not fewer"},
        {"three offsets", one("[0,4,4]"), 4, "tensor \"w\": data_offsets must be two numbers, not more"},
        {"nested offsets", one("[[0,4]]"), 4,
         "tensor \"w\": one of data_offsets must be a whole number >= 0, not an array"},
    });
}

TEST(safetensors_test, more_metadata_than_anybody_writes_is_refused) {
    std::string text = R"({"__metadata__":{"0":"")";
    for (int i = 1; i <= 100'000; ++i) {
        text += fmt::format(",\"{}\":\"\"", i);
    }
    expect_refused({{"short text becoming gigabytes", text + "}}", 0, "__metadata__ has more than 100000 members"}});
}

// Quadratic work would need hours here; n log n is a second or two, in a slow build too.
TEST(safetensors_test, many_tensors_cost_no_quadratic_time) {
    constexpr int many = 300'000;
    std::string text = "{";
    for (int i = many; i-- > 0;) { // offsets falling: the sort has work
        text += tensor(std::to_string(i), "U8", "[1]", fmt::format("[{},{}]", i, i + 1)) + (i == 0 ? '}' : ',');
    }
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(parse_safetensors_header(text, many).tensors.size(), static_cast<std::size_t>(many));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(safetensors_test, a_long_bomb_of_brackets_ends_at_its_first_level) {
    const std::string text = R"({"w":{"shape":[)" + std::string(50'000'000, '[');
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THROW(parse_safetensors_header(text, 0), input_error);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

} // namespace
} // namespace bitstep_test
