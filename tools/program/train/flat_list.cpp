// SPDX-License-Identifier: Apache-2.0
#include "program/train/flat_list.hpp"

#include "program/errors.hpp"
#include "program/number_text.hpp"

#include <nlohmann/json.hpp>

namespace bitstep::program {
namespace {

using json = nlohmann::json;

// nlohmann-json's events; every one that a flat array does not have ends the parse.
class flat_list_events : public json::json_sax_t {
public:
    std::vector<std::string> strings;
    std::vector<double> numbers;

    bool null() override { return false; }
    bool boolean(bool) override { return false; }
    bool number_integer(number_integer_t value) override { return add(static_cast<double>(value)); }
    bool number_unsigned(number_unsigned_t value) override { return add(static_cast<double>(value)); }
    bool number_float(number_float_t value, const string_t&) override { return add(value); }
    bool string(string_t& value) override {
        strings.push_back(std::move(value));
        return open_;
    }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return false; }
    bool key(string_t&) override { return false; }
    bool end_object() override { return false; }
    bool start_array(std::size_t) override {
        const bool first = !open_;
        open_ = true;
        return first;
    }
    bool end_array() override { return true; }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

private:
    bool add(double value) {
        numbers.push_back(value);
        return open_;
    }
    bool open_ = false; // inside the array
};

} // namespace

std::string list_as_json(const std::vector<std::string>& values) {
    try {
        return json(values).dump();
    } catch (const json::type_error&) {
        throw input_error(
            "the name of a column is not valid UTF-8: a state cannot hold it; rename the column, or train without --save");
    }
}
std::string list_as_json(const std::vector<double>& values) {
    std::string text = "["; // not json::dump: other digits, not always the fewest
    for (const double value : values) {
        if (text.size() > 1) {
            text += ',';
        }
        text += number_text(value);
    }
    text += ']';
    return text;
}

std::optional<std::vector<std::string>> strings_of(const std::string& text) {
    flat_list_events events;
    if (!json::sax_parse(text, &events) || !events.numbers.empty()) {
        return std::nullopt;
    }
    return std::move(events.strings);
}

std::optional<std::vector<double>> numbers_of(const std::string& text) {
    flat_list_events events;
    if (!json::sax_parse(text, &events) || !events.strings.empty()) { // 1e999 is an error of the parser
        return std::nullopt;
    }
    return std::move(events.numbers);
}

} // namespace bitstep::program
