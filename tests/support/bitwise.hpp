// SPDX-License-Identifier: Apache-2.0
// Equality of bits, with the first difference in the message. All NaNs count as one: positions are promised, payloads
// are not. Zeros of different sign differ.
#pragma once

#include "generator.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace bitstep_test {

template <class T>
bits_of<T> canonical_bits(T value) {
    return std::bit_cast<bits_of<T>>(value != value ? std::numeric_limits<T>::quiet_NaN() : value);
}

template <class T>
std::string with_bits(T value) {
    std::ostringstream text;
    text.precision(std::numeric_limits<T>::max_digits10);
    text << value << " (bits " << std::hex << canonical_bits(value) << ")";
    return text.str();
}

template <class T>
testing::AssertionResult same_bits(const T* got, const T* want, std::size_t size) {
    std::size_t different = 0;
    std::size_t first = 0;
    for (std::size_t i = size; i-- > 0;) {
        if (canonical_bits(got[i]) != canonical_bits(want[i])) {
            ++different;
            first = i;
        }
    }
    if (different == 0) {
        return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << different << " of " << size << " elements differ, first at " << first
                                       << ": got " << with_bits(got[first]) << ", want " << with_bits(want[first]);
}

template <class T>
testing::AssertionResult same_bits(const std::vector<T>& got, const std::vector<T>& want) {
    if (got.size() != want.size()) {
        return testing::AssertionFailure() << "sizes differ: got " << got.size() << ", want " << want.size();
    }
    return same_bits(got.data(), want.data(), want.size());
}

template <class T>
testing::AssertionResult same_bits(T got, T want) {
    return same_bits(&got, &want, 1);
}

} // namespace bitstep_test
