// SPDX-License-Identifier: Apache-2.0
// What a piece of the program says where it refuses its input, as text to compare.
#pragma once

#include "program/errors.hpp"

#include <string>
#include <utility>

namespace bitstep_test {

/// The text of the input_error that the action throws; "" where it throws none.
template <class Action>
std::string refusal_of(Action&& action) {
    try {
        std::forward<Action>(action)();
    } catch (const bitstep::program::input_error& error) {
        return error.what();
    }
    return "";
}

} // namespace bitstep_test
