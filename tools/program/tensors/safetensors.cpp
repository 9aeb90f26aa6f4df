// SPDX-License-Identifier: Apache-2.0
// The header of a safetensors file. nlohmann's SAX parser calls header_builder for each piece of the JSON; no tree of the
// text is ever built, so that a hostile header costs no more memory than a few times its length. What the tensors claim is
// checked by tensor_info: of each where it ends, of all together at the end, in n log n.
#include "program/tensors/safetensors.hpp"

#include "program/errors.hpp"
#include "program/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace bitstep::program {
namespace {

using nlohmann::json;

constexpr std::string_view metadata_key = "__metadata__";

// Receives the JSON piece by piece. Throws at the first that has no place in a header.
class header_builder {
public:
    safetensors_header finish(std::uint64_t data_bytes) {
        refuse_equal_names(header_.tensors);
        sort_and_check(header_.tensors, data_bytes);
        return std::move(header_);
    }

    // What nlohmann calls. It goes on where they return true.
    bool null() { return take(kind::other, "null"); }
    bool boolean(bool) { return take(kind::other, "a truth value"); }
    bool number_integer(json::number_integer_t) { return take(kind::other, "a negative number"); }
    bool number_float(json::number_float_t, const std::string&) {
        return take(kind::other, "a number that is not whole or too large");
    }
    bool binary(json::binary_t&) { return take(kind::other, "binary data"); }
    bool number_unsigned(json::number_unsigned_t value);
    bool string(std::string& text);
    bool start_object(std::size_t);
    bool key(std::string& name);
    bool end_object();
    bool start_array(std::size_t);
    bool end_array();
    template <class Error>
    bool parse_error(std::size_t position, const std::string&, const Error& error) {
        const bool bytes = std::string_view(error.what()).find("ill-formed UTF-8") != std::string_view::npos;
        throw input_error(fmt::format("its header is {} at byte {}", bytes ? "not UTF-8" : "no JSON", position));
    }

private:
    enum class kind { object, array, text, number, other };
    enum class level { outside, header, metadata, tensor };
    // The value that comes next, with what it has to be.
    enum class slot { header, metadata, metadata_text, tensor, dtype, shape, shape_number, offsets, offsets_number };

    bool take(kind got, const char* got_words);
    std::string place() const;
    void begin_member(const std::string& name);
    void end_tensor();

    safetensors_header header_;
    level level_ = level::outside;
    slot slot_ = slot::header;
    bool has_metadata_ = false;
    std::string metadata_name_;
    tensor_info tensor_; // the one being read
    bool has_dtype_ = false;
    bool has_shape_ = false;
    bool has_offsets_ = false;
    std::vector<std::uint64_t> offsets_; // its two
};

std::string header_builder::place() const {
    switch (slot_) {
    case slot::header:
        return "its header";
    case slot::metadata:
        return "__metadata__";
    case slot::metadata_text:
        return fmt::format("__metadata__ \"{}\"", printable(metadata_name_));
    case slot::tensor:
        return of_tensor(tensor_.name) + "it";
    case slot::dtype:
        return of_tensor(tensor_.name) + "dtype";
    case slot::shape:
        return of_tensor(tensor_.name) + "shape";
    case slot::shape_number:
        return of_tensor(tensor_.name) + "a length in shape";
    case slot::offsets:
        return of_tensor(tensor_.name) + "data_offsets";
    case slot::offsets_number:
        break;
    }
    return of_tensor(tensor_.name) + "one of data_offsets";
}

// True, or throws where this slot takes another kind of value.
bool header_builder::take(kind got, const char* got_words) {
    kind wanted = kind::object;
    const char* words = "an object";
    if (slot_ == slot::metadata_text || slot_ == slot::dtype) {
        wanted = kind::text;
        words = "text";
    } else if (slot_ == slot::shape || slot_ == slot::offsets) {
        wanted = kind::array;
        words = "an array";
    } else if (slot_ == slot::shape_number || slot_ == slot::offsets_number) {
        wanted = kind::number;
        words = "a whole number >= 0";
    }
    if (got != wanted) {
        throw input_error(fmt::format("{} must be {}, not {}", place(), words, got_words));
    }
    return true;
}

bool header_builder::number_unsigned(json::number_unsigned_t value) {
    take(kind::number, "a number");
    auto& numbers = slot_ == slot::shape_number ? tensor_.shape : offsets_;
    if (slot_ == slot::shape_number && numbers.size() == most_dimensions) {
        throw input_error(of_tensor(tensor_.name) + fmt::format("it has more than {} dimensions", most_dimensions));
    }
    if (slot_ == slot::offsets_number && numbers.size() == 2) {
        throw input_error(of_tensor(tensor_.name) + "data_offsets must be two numbers, not more");
    }
    numbers.push_back(value);
    return true;
}

bool header_builder::string(std::string& text) {
    take(kind::text, "text");
    if (slot_ == slot::dtype) {
        tensor_.dtype = std::move(text);
    } else if (!header_.metadata.emplace(metadata_name_, std::move(text)).second) {
        throw input_error(place() + " is there twice");
    } else if (header_.metadata.size() > most_metadata) {
        throw input_error(fmt::format("__metadata__ has more than {} members", most_metadata));
    }
    return true;
}

bool header_builder::start_object(std::size_t) {
    take(kind::object, "an object");
    level_ = slot_ == slot::header ? level::header : slot_ == slot::metadata ? level::metadata : level::tensor;
    return true;
}

bool header_builder::key(std::string& name) {
    if (level_ == level::tensor) {
        begin_member(name);
    } else if (level_ == level::metadata) {
        metadata_name_ = std::move(name);
        slot_ = slot::metadata_text;
    } else if (name == metadata_key) {
        slot_ = slot::metadata;
        if (std::exchange(has_metadata_, true)) {
            throw input_error("__metadata__ is there twice");
        }
    } else {
        tensor_ = {};
        tensor_.name = std::move(name);
        offsets_.clear();
        has_dtype_ = has_shape_ = has_offsets_ = false;
        slot_ = slot::tensor;
    }
    return true;
}

void header_builder::begin_member(const std::string& name) {
    bool* seen = nullptr;
    if (name == "dtype") {
        slot_ = slot::dtype;
        seen = &has_dtype_;
    } else if (name == "shape") {
        slot_ = slot::shape;
        seen = &has_shape_;
    } else if (name == "data_offsets") {
        slot_ = slot::offsets;
        seen = &has_offsets_;
    } else {
        throw input_error(of_tensor(tensor_.name) + fmt::format("it has an unknown member \"{}\"", printable(name)));
    }
    if (std::exchange(*seen, true)) {
        throw input_error(of_tensor(tensor_.name) + name + " is there twice");
    }
}

bool header_builder::start_array(std::size_t) {
    take(kind::array, "an array");
    slot_ = slot_ == slot::shape ? slot::shape_number : slot::offsets_number;
    return true;
}

bool header_builder::end_array() {
    if (slot_ == slot::offsets_number && offsets_.size() != 2) {
        throw input_error(of_tensor(tensor_.name) + "data_offsets must be two numbers, not fewer");
    }
    return true;
}

bool header_builder::end_object() {
    if (level_ == level::tensor) {
        end_tensor();
    }
    level_ = level_ == level::header ? level::outside : level::header;
    return true;
}

void header_builder::end_tensor() {
    const char* absent = !has_dtype_ ? "dtype" : !has_shape_ ? "shape" : !has_offsets_ ? "data_offsets" : nullptr;
    if (absent != nullptr) {
        throw input_error(of_tensor(tensor_.name) + absent + " is missing");
    }
    measure_tensor(tensor_);
    if (offsets_[1] < offsets_[0]) {
        throw input_error(of_tensor(tensor_.name) +
                          fmt::format("its bytes end at {}, before they begin at {}", offsets_[1], offsets_[0]));
    }
    if (offsets_[1] - offsets_[0] != tensor_.bytes) {
        throw input_error(of_tensor(tensor_.name) +
                          fmt::format("its shape and dtype need {} bytes, data_offsets hold {}", tensor_.bytes,
                                      offsets_[1] - offsets_[0]));
    }
    tensor_.offset = offsets_[0];
    header_.tensors.push_back(std::move(tensor_));
}

} // namespace

const tensor_info* safetensors_header::find(std::string_view name) const {
    const auto found =
        std::find_if(tensors.begin(), tensors.end(), [&](const tensor_info& tensor) { return tensor.name == name; });
    return found == tensors.end() ? nullptr : &*found;
}

safetensors_header parse_safetensors_header(std::string_view text, std::uint64_t data_bytes) {
    if (text.empty() || text.front() != '{') { // also a byte order mark, which the parser would skip
        throw input_error("its header does not begin with '{'");
    }
    const std::size_t zero = text.find('\0'); // the parser would take it for the end
    if (zero != std::string_view::npos) {
        throw input_error(fmt::format("its header is no JSON at byte {}", zero + 1));
    }
    header_builder builder;
    json::sax_parse(text.begin(), text.end(), &builder);
    return builder.finish(data_bytes);
}

} // namespace bitstep::program
