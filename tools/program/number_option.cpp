// SPDX-License-Identifier: Apache-2.0
#include "program/number_option.hpp"

#include "program/data/parse_number.hpp"
#include "program/number_text.hpp"
#include "program/text.hpp"

#include <fmt/format.h>

namespace bitstep::program {

void add_number_option(CLI::App& subcommand, const std::string& name, double& value, const std::string& help) {
    const auto set = [name, &value](const std::string& text) {
        const parsed_number number = parse_number(text);
        if (number.problem != nullptr) {
            throw CLI::ValidationError(name, fmt::format("\"{}\" {}", printable(text), number.problem));
        }
        value = number.value;
    };
    subcommand.add_option_function<std::string>(name, set, help)->type_name("X")->default_str(number_text(value));
}

} // namespace bitstep::program
