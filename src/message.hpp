// SPDX-License-Identifier: Apache-2.0
// Builds the one line of a status in place: no allocation, no locale. Streaming a status_code ends it:
//     return message() << "beta1 must be in [0, 1), got " << beta1 << status_code::invalid_argument;
#pragma once

#include <bitstep/status.hpp>

#include <charconv>
#include <cstddef>
#include <type_traits>

namespace bitstep::internal {

class message {
public:
    message& operator<<(const char* text) noexcept {
        for (; *text != '\0' && length_ + 1 < status::capacity; ++text) text_[length_++] = *text;
        text_[length_] = '\0';
        return *this;
    }
    /// Integers in full, floating-point numbers in the shortest form that reads back as the same value.
    template <class Number>
    requires std::is_arithmetic_v<Number> message& operator<<(Number value) noexcept {
        char digits[64];
        const auto end = std::to_chars(digits, digits + sizeof digits - 1, value);
        *end.ptr = '\0';
        return *this << static_cast<const char*>(digits);
    }
    status operator<<(status_code code) noexcept { return {code, text_}; }

private:
    char text_[status::capacity] = {};
    std::size_t length_ = 0;
};

} // namespace bitstep::internal
