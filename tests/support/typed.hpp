// SPDX-License-Identifier: Apache-2.0
// The two element types that every typed test runs on, with readable names in the reports.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace bitstep_test {

using element_types = testing::Types<float, double>;

struct element_names {
    template <class T>
    static std::string GetName(int) {
        return std::is_same_v<T, float> ? "float" : "double";
    }
};

} // namespace bitstep_test
