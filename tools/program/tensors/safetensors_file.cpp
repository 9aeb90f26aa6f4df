// SPDX-License-Identifier: Apache-2.0
// Reading and writing safetensors files; safetensors.cpp understands their header.
#include "program/errors.hpp"
#include "program/tensors/safetensors.hpp"
#include "program/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <bit>
#include <stdexcept>

namespace bitstep::program {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the format is little-endian, and bytes are copied as they are");

constexpr std::uint64_t length_bytes = 8; // of the length that a file begins with

// Bytes of the JSON, which begins after them.
std::uint64_t read_length(const regular_file& file) {
    if (file.size() < length_bytes) {
        file.refuse(fmt::format("is no safetensors file: {} bytes are too few", file.size()));
    }
    std::uint64_t length = 0;
    file.read_at(0, &length, sizeof(length));
    if (length > most_header_bytes) {
        file.refuse(
            fmt::format("is no safetensors file: a header of {} bytes, more than {}", length, most_header_bytes));
    }
    if (length > file.size() - length_bytes) {
        file.refuse(fmt::format("is cut short: a header of {} bytes, of which {} are there", length,
                                file.size() - length_bytes));
    }
    return length;
}

std::string quoted(const std::string& text, std::string_view what) {
    try {
        return nlohmann::json(text).dump();
    } catch (const nlohmann::json::type_error&) {
        throw input_error(fmt::format("{} \"{}\" is not UTF-8", what, printable(text)));
    }
}

// The JSON of a header, padded.
std::string header_text(const std::vector<tensor_info>& tensors, const tensor_metadata& metadata) {
    std::string text = "{";
    if (!metadata.empty()) {
        text += "\"__metadata__\":{";
        for (const auto& [name, value] : metadata) {
            text += fmt::format("{}{}:{}", text.back() == '{' ? "" : ",", quoted(name, "the metadata name"),
                                quoted(value, fmt::format("the metadata \"{}\" with the text", printable(name))));
        }
        text += '}';
    }
    for (const tensor_info& tensor : tensors) {
        if (tensor.name == "__metadata__") {
            throw input_error("no tensor can be called __metadata__");
        }
        text += text.size() == 1 ? "" : ",";
        text += fmt::format("{}:{{\"dtype\":{},\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                            quoted(tensor.name, "the tensor name"), quoted(tensor.dtype, "the dtype"),
                            fmt::join(tensor.shape, ","), tensor.offset, tensor.offset + tensor.bytes);
    }
    text += '}';
    text.append((length_bytes - text.size() % length_bytes) % length_bytes, ' ');
    return text;
}

} // namespace

safetensors_reader::safetensors_reader(const std::string& path) : file_(path) {
    std::string text(read_length(file_), '\0');
    file_.read_at(length_bytes, text.data(), text.size());
    data_begin_ = length_bytes + text.size();
    try {
        header_ = parse_safetensors_header(text, file_.size() - data_begin_);
    } catch (const input_error& error) {
        file_.refuse(error.what());
    }
}

void safetensors_reader::read(const tensor_info& tensor, std::uint64_t first, void* out, std::size_t size) const {
    file_.read_at(data_begin_ + tensor.offset + first, out, size);
}

safetensors_writer::safetensors_writer(const std::string& path, std::vector<tensor_info> tensors,
                                       const tensor_metadata& metadata)
    : file_(path) {
    std::string text;
    try {
        for (tensor_info& tensor : tensors) {
            measure_tensor(tensor);
            tensor.offset = missing_;
            if (__builtin_add_overflow(missing_, tensor.bytes, &missing_)) {
                throw input_error("its tensors are too large for a file");
            }
        }
        text = header_text(tensors, metadata);
        if (text.size() > most_header_bytes) {
            throw input_error(
                fmt::format("its header would have {} bytes, more than {}", text.size(), most_header_bytes));
        }
        // What the reader would refuse (a name twice, more dimensions than it takes) is not written either.
        static_cast<void>(parse_safetensors_header(text, missing_));
    } catch (const input_error& error) {
        throw input_error(printable_path(path) + ": " + error.what());
    }
    const std::uint64_t length = text.size();
    file_bytes_ = length_bytes + length + missing_;
    file_.write(&length, sizeof(length));
    file_.write(text.data(), text.size());
}

void safetensors_writer::write(const void* bytes, std::size_t size) {
    if (size > missing_) {
        throw std::logic_error("safetensors_writer: more bytes than its tensors have");
    }
    file_.write(bytes, size);
    missing_ -= size;
}

void safetensors_writer::commit() {
    if (missing_ != 0) {
        throw std::logic_error(fmt::format("safetensors_writer: {} bytes of its tensors are missing", missing_));
    }
    file_.commit();
}

} // namespace bitstep::program
