// SPDX-License-Identifier: Apache-2.0
// safetensors files on disk: written and read back, made by the reference implementation (data/make_samples.py), and
// damaged ones, each with the reason a person gets.
#include "files.hpp"
#include "program/errors.hpp"
#include "program/tensors/safetensors.hpp"
#include "refusal.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <sys/stat.h>

namespace bitstep_test {
namespace {

namespace fs = std::filesystem;
using bitstep::program::input_error;
using bitstep::program::safetensors_reader;
using bitstep::program::safetensors_writer;
using bitstep::program::tensor_info;
using bitstep::program::tensor_metadata;

// The 8 bytes of a length.
std::string length(std::uint64_t value) { return {reinterpret_cast<const char*>(&value), sizeof(value)}; }

template <class T>
std::vector<T> values_of(const safetensors_reader& reader, const std::string& name) {
    const tensor_info* tensor = reader.header().find(name);
    if (tensor == nullptr) {
        ADD_FAILURE() << "no tensor " << name;
        return {};
    }
    std::vector<T> values(tensor->elements);
    EXPECT_EQ(values.size() * sizeof(T), tensor->bytes) << name;
    reader.read(*tensor, 0, values.data(), tensor->bytes);
    return values;
}

// Each value's bits: NaN and -0 count.
template <class Bits, class T>
std::vector<Bits> bits(const std::vector<T>& values) {
    std::vector<Bits> result;
    for (const T value : values) {
        result.push_back(std::bit_cast<Bits>(value));
    }
    return result;
}

const std::vector<tensor_info> two_tensors = {{"w", "F32", {2}, 0, 0, 0}, {"state/m", "F64", {1, 1}, 0, 0, 0}};

TEST(safetensors_file_test, what_is_written_is_these_bytes) {
    const temporary_file file("", "w.safetensors");
    safetensors_writer writer(file.path(), two_tensors, {{"b", "2"}, {"a\"", "\n\xC3\xB6"}});
    writer.write("abcdefgh", 8);
    writer.write("ijklmnop", 8);
    writer.commit();
    std::string json = "{\"__metadata__\":{\"a\\\"\":\"\\n\xC3\xB6\",\"b\":\"2\"},"
                       "\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},"
                       "\"state/m\":{\"dtype\":\"F64\",\"shape\":[1,1],\"data_offsets\":[8,16]}}";
    json.append((8 - json.size() % 8) % 8, ' ');
    EXPECT_EQ(content_of(file.path()), length(json.size()) + json + "abcdefghijklmnop");
}

TEST(safetensors_file_test, without_tensors_and_metadata_it_is_the_empty_object) {
    const temporary_file file("", "w.safetensors");
    safetensors_writer(file.path(), {}, {}).commit();
    EXPECT_EQ(content_of(file.path()), length(8) + "{}      ");
    EXPECT_EQ(content_of(file.path()), content_of(sample("python_nothing")));
}

TEST(safetensors_file_test, what_is_written_is_read_back) {
    const temporary_file file("", "w.safetensors");
    const float nan = std::bit_cast<float>(0x7fc12345u);
    const std::vector<float> w = {-0.0f, nan, std::numeric_limits<float>::infinity(), 1e-45f, 3.5f, 6};
    const std::vector<double> m = {0.1};
    const std::string name = "quote \" and \\ and \n and \x01 and \xC3\xB6";
    const tensor_metadata metadata = {{"", "empty name"}, {"empty text", ""}, {name, name}};
    // All data but the last tensor's start at multiples of 8, whatever the length of the header.
    for (std::size_t more = 0; more < 9; ++more) {
        tensor_metadata with_more = metadata;
        with_more["more"] = std::string(more, 'x');
        safetensors_writer writer(
            file.path(),
            {{"scalar", "F64", {}, 0, 0, 0}, {"empty", "F32", {0, 3}, 0, 0, 0}, {name, "F32", {2, 3}, 0, 0, 0}},
            with_more);
        writer.write(m.data(), 8);
        writer.write(w.data(), 5);
        writer.write(reinterpret_cast<const char*>(w.data()) + 5, 19);
        writer.commit();

        const safetensors_reader reader(file.path());
        EXPECT_EQ(reader.path(), file.path());
        EXPECT_EQ(reader.header().metadata, with_more);
        ASSERT_EQ(reader.header().tensors.size(), 3u);
        EXPECT_EQ(reader.header().find("empty")->shape, (std::vector<std::uint64_t>{0, 3}));
        EXPECT_EQ(values_of<double>(reader, "scalar"), m);
        EXPECT_EQ(bits<std::uint32_t>(values_of<float>(reader, name)), bits<std::uint32_t>(w));
        float third = 0;
        reader.read(*reader.header().find(name), 16, &third, 4);
        EXPECT_EQ(third, 3.5f);
        EXPECT_EQ((fs::file_size(file.path()) - 32) % 8, 0u);
    }
}

TEST(safetensors_file_test, files_of_the_reference_implementation_are_read) {
    const safetensors_reader reader(sample("python_all"));
    EXPECT_EQ(reader.header().metadata, (tensor_metadata{{"format", "np"}, {"text", "line\n\"quoted\" \xC3\xB6"}}));
    EXPECT_EQ(reader.header().tensors.size(), 8u);
    EXPECT_EQ(bits<std::uint32_t>(values_of<float>(reader, "f32")),
              (std::vector<std::uint32_t>{0x7fc00000, 0x7f800000, 0xff800000, 0x80000000, 0x3fc00000}));
    const std::vector<double> f64 = values_of<double>(reader, "f64");
    EXPECT_EQ(reader.header().find("f64")->shape, (std::vector<std::uint64_t>{2, 5}));
    ASSERT_EQ(f64.size(), 10u);
    EXPECT_TRUE(std::isnan(f64[0]) && std::isinf(f64[1]) && std::signbit(f64[3]));
    EXPECT_EQ(std::vector<double>(f64.begin() + 4, f64.end()), (std::vector<double>{1.5, 1e-310, 1e300, 0.1, 2, 3}));
    EXPECT_EQ(values_of<double>(reader, "scalar"), std::vector<double>{7.25});
    EXPECT_TRUE(reader.header().find("scalar")->shape.empty());
    EXPECT_TRUE(values_of<float>(reader, "empty").empty());
    EXPECT_EQ(values_of<std::int64_t>(reader, "i64"), (std::vector<std::int64_t>{-1, std::int64_t{1} << 62}));
    EXPECT_EQ(values_of<std::uint16_t>(reader, "bf16"), (std::vector<std::uint16_t>{0x3f80, 0xc020}));
    EXPECT_EQ(values_of<std::uint8_t>(reader, "flags"), (std::vector<std::uint8_t>{1, 0, 1}));
    EXPECT_EQ(values_of<std::uint8_t>(reader, "name \"\\\n\xC3\xB6"), std::vector<std::uint8_t>{9});
}

TEST(safetensors_file_test, damaged_and_foreign_files_are_refused) {
    const std::string json = R"({"w":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})";
    struct row {
        const char* catches;
        std::string content;
        std::string reason;
    };
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    const row rows[] = {
        {"an empty file", "", "is no safetensors file: 0 bytes are too few"},
        {"half a length", "1234567", "is no safetensors file: 7 bytes are too few"},
        {"2^64 - 1, to which adding 8 wraps", length(most) + json,
         "is no safetensors file: a header of 18446744073709551615 bytes, more than 100000000"},
        {"a length taken for a negative one", length(std::uint64_t{1} << 63) + json,
         "is no safetensors file: a header of 9223372036854775808 bytes, more than 100000000"},
        {"4 GiB allocated for twelve bytes", length(0xFFFFFFF0) + "{}",
         "is no safetensors file: a header of 4294967280 bytes, more than 100000000"},
        {"one more than the format allows", length(100'000'001) + json,
         "is no safetensors file: a header of 100000001 bytes, more than 100000000"},
        {"100 MB allocated before the file's size is looked at", length(100'000'000) + json,
         "is cut short: a header of 100000000 bytes, of which 53 are there"},
        {"one byte too few", length(json.size() + 1) + json,
         "is cut short: a header of 54 bytes, of which 53 are there"},
        {"a length and nothing", length(0), "its header does not begin with '{'"},
        {"a picture", "\x89PNG\r\n\x1a\n" + json,
         "is no safetensors file: a header of 727905341920923785 bytes, more than 100000000"},
        {"cut by one byte", length(json.size()) + json + "abc",
         "tensor \"w\": its bytes end at 4, but the file holds only 3 bytes of data"},
        {"something after the data", length(json.size()) + json + "abcde",
         "its tensors end at byte 4 of the data, but the file holds 5"},
        {"a header shorter than its JSON", length(json.size() - 1) + json + "abcd", "its header is no JSON at byte 53"},
    };
    for (const row& r : rows) {
        SCOPED_TRACE(r.catches);
        const temporary_file file(r.content, "w.safetensors");
        EXPECT_EQ(refusal_of([&] { const safetensors_reader reader(file.path()); }), file.path() + ": " + r.reason);
    }
}

TEST(safetensors_file_test, every_cut_of_a_good_file_is_refused) {
    const std::string good = content_of(sample("python_all"));
    const temporary_file file(good, "w.safetensors");
    ASSERT_NO_THROW(safetensors_reader(file.path()));
    for (std::uintmax_t size = good.size(); size-- > 0;) {
        fs::resize_file(file.path(), size);
        EXPECT_THROW(safetensors_reader(file.path()), input_error) << size;
    }
}

TEST(safetensors_file_test, what_is_no_regular_file_is_refused_at_once) {
    const temporary_file file("", "w.safetensors");
    const std::string folder = fs::path(file.path()).parent_path().string();
    const std::string fifo = folder + "/fifo";
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0); // nobody writes into it: waiting would be for ever
    EXPECT_EQ(refusal_of([&] { const safetensors_reader reader(fifo); }), fifo + ": is no regular file");
    EXPECT_EQ(refusal_of([&] { const safetensors_reader reader(folder); }), folder + ": is a directory");
    EXPECT_EQ(refusal_of([] { const safetensors_reader reader("/dev/zero"); }), "/dev/zero: is no regular file");
    EXPECT_EQ(refusal_of([] { const safetensors_reader reader("no/such"); }), "no/such: No such file or directory");
    fs::remove(fifo);
}

TEST(safetensors_file_test, a_file_that_shrinks_meanwhile_is_an_error) {
    const temporary_file file(content_of(sample("python_all")), "w.safetensors");
    const safetensors_reader reader(file.path());
    fs::resize_file(file.path(), 600);
    std::vector<char> out(80);
    EXPECT_EQ(refusal_of([&] { reader.read(*reader.header().find("f64"), 0, out.data(), out.size()); }),
              file.path() + ": it has become shorter while it was read");
}

TEST(safetensors_file_test, what_the_reader_would_refuse_is_not_written) {
    const temporary_file file("old", "w.safetensors");
    const std::uint64_t half = std::uint64_t{1} << 60;
    struct row {
        std::vector<tensor_info> tensors;
        tensor_metadata metadata;
        std::string reason;
    };
    const row rows[] = {
        {{}, {{"a", "\xFF"}}, "the metadata \"a\" with the text \"\xFF\" is not UTF-8"},
        {{}, {{"\xC3", "b"}}, "the metadata name \"\xC3\" is not UTF-8"},
        {{{"\xC3", "U8", {0}, 0, 0, 0}}, {}, "the tensor name \"\xC3\" is not UTF-8"},
        {{{"w", "f32", {1}, 0, 0, 0}}, {}, "tensor \"w\": dtype \"f32\" is unknown"},
        {{{"w", "U8", {0}, 0, 0, 0}, {"w", "U8", {0}, 0, 0, 0}}, {}, "tensor \"w\": it is there twice"},
        {{{"__metadata__", "U8", {0}, 0, 0, 0}}, {}, "no tensor can be called __metadata__"},
        {{{"w", "F64", {half, half}, 0, 0, 0}}, {}, "tensor \"w\": the product of its shape is too large"},
    };
    for (const row& r : rows) {
        EXPECT_EQ(refusal_of([&] { const safetensors_writer writer(file.path(), r.tensors, r.metadata); }),
                  file.path() + ": " + r.reason);
        EXPECT_EQ(content_of(file.path()), "old");
    }
    const std::vector<tensor_info> many(9, {"w", "U8", {(std::uint64_t{1} << 61) - 1}, 0, 0, 0});
    EXPECT_EQ(refusal_of([&] { const safetensors_writer writer(file.path(), many, {}); }),
              file.path() + ": its tensors are too large for a file");
    const tensor_metadata huge = {{"a", std::string(100'000'000, 'x')}};
    EXPECT_EQ(refusal_of([&] { const safetensors_writer writer(file.path(), {}, huge); }),
              file.path() + ": its header would have 100000032 bytes, more than 100000000");
    EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(file.path()).parent_path()), fs::directory_iterator()), 1);
}

TEST(safetensors_file_test, a_writer_wants_exactly_the_bytes_of_its_tensors) {
    const temporary_file file("old", "w.safetensors");
    {
        safetensors_writer writer(file.path(), two_tensors, {});
        writer.write("12345678", 8);
        EXPECT_THROW(writer.commit(), std::logic_error);
        EXPECT_THROW(writer.write("123456789", 9), std::logic_error);
    }
    EXPECT_EQ(content_of(file.path()), "old");
}

} // namespace
} // namespace bitstep_test
