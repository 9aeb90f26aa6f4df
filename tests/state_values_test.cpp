// SPDX-License-Identifier: Apache-2.0
// Proves that no element of a state escapes the check: each array, each place in whole vectors and in the rest, each kind of
// bad value, every kernel set; and that the message names the first bad array and element, with nothing changed.
#include <bitstep/adam_ema_update.hpp>

#include "support/arch_threads.hpp"
#include "support/bitwise.hpp"
#include "support/shapes.hpp"
#include "support/state.hpp"
#include "support/typed.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace {

using namespace bitstep_test;

template <class T>
class state_values_test : public testing::Test {};
TYPED_TEST_SUITE(state_values_test, element_types, element_names);

constexpr const char* array_names[] = {"weights", "ema_weights", "m", "v"};

template <class T>
bitstep::status update(std::vector<T>& flat, std::size_t size, bitstep::arch which) {
    bitstep::options opts = forced(which, 1, bitstep::accumulate_mode::native);
    opts.check_state = bitstep::check_mode::on;
    const std::vector<T> grad(size, T(0.5));
    return bitstep::adam_ema_update<T>({grad.data(), size}, quarters(flat.data(), size), {}, opts);
}

template <class T>
void expect_refused(std::size_t size, std::size_t place, T value, bitstep::arch which) {
    std::vector<T> flat = make_state<T>(size, size, data_kind::usual);
    flat[place] = value;
    const std::vector<T> before = flat;
    const bitstep::status got = update(flat, size, which);
    const std::string text = got.message();
    EXPECT_FALSE(got.ok()) << array_names[place / size] << "[" << place % size << "] = " << value << " of " << size;
    EXPECT_EQ(text.rfind(std::string(array_names[place / size]) + " must be ", 0), 0U) << text;
    EXPECT_NE(text.find("at element " + std::to_string(place % size)), std::string::npos) << text;
    EXPECT_TRUE(same_bits(flat, before));
}

TYPED_TEST(state_values_test, no_bad_element_escapes) {
    using limits = std::numeric_limits<TypeParam>;
    for (const std::size_t size : {std::size_t{5}, 2 * native_lanes<TypeParam>() + 3}) {
        for (const bitstep::arch which : runnable_archs()) {
            for (std::size_t place = 0; place < 4 * size; ++place) {
                for (const TypeParam value : {limits::quiet_NaN(), limits::infinity(), -limits::infinity()}) {
                    expect_refused<TypeParam>(size, place, value, which);
                }
                if (place >= 3 * size) expect_refused<TypeParam>(size, place, -limits::denorm_min(), which);
            }
        }
    }
}

TYPED_TEST(state_values_test, the_first_of_two_bad_arrays_is_named) {
    const std::size_t size = 2 * native_lanes<TypeParam>() + 3;
    for (const bitstep::arch which : runnable_archs()) {
        std::vector<TypeParam> flat = make_state<TypeParam>(size, size, data_kind::usual);
        flat[3 * size] = -1;
        flat[size + 7] = std::numeric_limits<TypeParam>::infinity();
        EXPECT_STREQ(update(flat, size, which).message(), "ema_weights must be finite, got inf at element 7");
    }
}

TYPED_TEST(state_values_test, the_largest_numbers_and_minus_zero_pass) {
    const std::size_t size = 2 * native_lanes<TypeParam>() + 3;
    for (const bitstep::arch which : runnable_archs()) {
        std::vector<TypeParam> flat(4 * size, std::numeric_limits<TypeParam>::max());
        for (std::size_t i = 0; i < size; ++i) flat[3 * size + i] = i % 2 == 0 ? TypeParam(-0.0) : TypeParam(1);
        const bitstep::status got = update(flat, size, which);
        EXPECT_TRUE(got.ok()) << got.message();
    }
}

} // namespace
