// SPDX-License-Identifier: Apache-2.0
// Proves that the kernels' square root and division are the IEEE operations, whatever the arch offers: AArch64 through
// xsimd had 30 % of roots and 41 % of quotients of floats wrong in the last place (src/kernels/registers.hpp).
// Without a gradient, with 1 - beta^t = 1, w = -0 and lr = 1, an update leaves w' = -0 - m' / (sqrt(v') + eps), and the
// smallest eps there is changes no root but that of 0. So the public call shows every bit of the quotient.
// BITSTEP_EVERY_FLOAT=1 takes the roots of all 2^32 floats instead of every 1,021st, and 2^27 quotients instead of 2^20.
// (Quotients by a loop constant are got in another way: quotient_test.cpp.)
#include "support/arch_threads.hpp"
#include "support/bitwise.hpp"
#include "support/problem.hpp"
#include "support/typed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace bitstep_test {
namespace {

using bitstep::accumulate_mode;

template <class T>
class root_and_quotient_test : public testing::Test {};
TYPED_TEST_SUITE(root_and_quotient_test, element_types, element_names);

/// Rounds to 1 in float, so that every moment stays as it is; no double below 1 does: halves, which are exact until they
/// are subnormal.
template <class T>
constexpr double beta = std::is_same_v<T, float> ? 1.0 - 0x1p-30 : 0.5;
constexpr long long last_t = 1LL << 62; // beta^t is 0

template <class T>
constexpr T eps = std::numeric_limits<T>::denorm_min();
constexpr std::size_t chunk = 4096; // all arrays stay in the first-level caches

bool every_float() { return std::getenv("BITSTEP_EVERY_FLOAT") != nullptr; }
std::size_t quotients() { return std::size_t{1} << (every_float() ? 27U : 20U); }

template <class T>
T moment_after(T before) {
    return static_cast<T>(beta<T>) * before + T(0);
}

/// One update per arch from moments m and v at a time, with arrays that last.
template <class T>
class updates {
public:
    std::vector<T> m = std::vector<T>(chunk);
    std::vector<T> v = std::vector<T>(chunk);

    /// The numerator is the divisor, so the quotient is 1, and a root one place off changes it: s / (s + ulp) is below 1
    /// by more than 2^-p, where numbers are 2^-p apart; s / (s - ulp) is above by more than 2^-p, half of 2^(1-p).
    bool roots_are_exact() {
        take_divisors();
        for (std::size_t j = 0; j < chunk; ++j) {
            const T undone = divisors_[j] / static_cast<T>(beta<T>);
            m[j] = std::isfinite(undone) ? undone : T(1);
        }
        return exact();
    }

    bool quotients_are_exact() {
        take_divisors();
        return exact();
    }

private:
    /// sqrt(v') + eps, which m' is divided by.
    void take_divisors() {
        for (std::size_t j = 0; j < chunk; ++j) {
            divisors_[j] = std::sqrt(moment_after(v[j])) + eps<T>;
        }
    }

    /// True while every element has the bits of the scalar operations.
    bool exact() {
        for (std::size_t j = 0; j < chunk; ++j) {
            want_[j] = T(-0.0) - moment_after(m[j]) / divisors_[j];
        }
        for (const bitstep::arch which : runnable_archs()) {
            if (every_float() && which == bitstep::arch::reference && runnable_archs().size() > 1) {
                continue; // the operations that this test compares with: the quick run will do
            }
            std::fill(w_.begin(), w_.end(), T(-0.0));
            m_after_ = m;
            v_after_ = v;
            bitstep::run_report report;
            bitstep::options opts = forced(which, 1, accumulate_mode::native);
            opts.report = &report;
            expect_ok(bitstep::adam_ema_update<T>({grad_.data(), chunk},
                                                  {w_.data(), ema_.data(), m_after_.data(), v_after_.data(), chunk},
                                                  hyper_, opts));
            EXPECT_EQ(report.ran, which);
            if (std::memcmp(w_.data(), want_.data(), chunk * sizeof(T)) != 0) { // else no NaN needs a second look
                const auto same = same_bits(w_, want_);
                EXPECT_TRUE(same) << bitstep::arch_name(which) << ", first v " << with_bits(v[0]);
            }
            if (testing::Test::HasFailure()) {
                return false; // the first failing arch is the one to read
            }
        }
        return true;
    }

    const bitstep::hyper_parameters hyper_{1.0, beta<T>, beta<T>, static_cast<double>(eps<T>), 0.0, last_t};
    const std::vector<T> grad_ = std::vector<T>(chunk);
    std::vector<T> divisors_ = std::vector<T>(chunk);
    std::vector<T> want_ = std::vector<T>(chunk);
    std::vector<T> w_ = std::vector<T>(chunk);
    std::vector<T> ema_ = std::vector<T>(chunk);
    std::vector<T> m_after_, v_after_;
};

/// Of the floats with the bits first, first + stride, ... below last. The stride is a prime, so at every exponent other
/// significands come up; the last chunk keeps some values of the chunk before.
void expect_exact_roots(std::uint64_t first, std::uint64_t last) {
    const std::uint64_t stride = every_float() ? 1 : 1021;
    updates<float> of;
    for (std::uint64_t bits = first; bits < last;) {
        for (std::size_t j = 0; j < chunk && bits < last; ++j, bits += stride) {
            of.v[j] = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        }
        ASSERT_TRUE(of.roots_are_exact());
    }
}

TEST(roots_of_floats, without_a_sign) { expect_exact_roots(0, std::uint64_t{1} << 31U); }
TEST(roots_of_floats, with_a_sign) { expect_exact_roots(std::uint64_t{1} << 31U, std::uint64_t{1} << 32U); }

/// Values of any bits: every exponent, zeros, infinities and NaN among them; `positive` without a sign.
template <class T>
void draw_bits(split_mix64& random, bool positive, std::vector<T>& values) {
    for (T& value : values) {
        const auto bits = static_cast<bits_of<T>>(random.next());
        value = std::bit_cast<T>(positive ? static_cast<bits_of<T>>(bits >> 1U) : bits);
    }
}

TYPED_TEST(root_and_quotient_test, of_random_bits) {
    split_mix64 random(1);
    updates<TypeParam> of;
    for (std::size_t done = 0; done < quotients(); done += chunk) {
        draw_bits(random, false, of.m);
        draw_bits(random, true, of.v);
        ASSERT_TRUE(of.quotients_are_exact());
    }
}

TYPED_TEST(root_and_quotient_test, of_random_bits_as_roots) {
    split_mix64 random(2);
    updates<TypeParam> of;
    for (std::size_t done = 0; done < quotients(); done += chunk) {
        draw_bits(random, true, of.v);
        ASSERT_TRUE(of.roots_are_exact());
    }
}

/// Numerators near the divisor, where the quotient is neither 0 nor infinite.
TYPED_TEST(root_and_quotient_test, of_like_magnitudes) {
    split_mix64 random(3);
    updates<TypeParam> of;
    for (std::size_t done = 0; done < quotients(); done += chunk) {
        std::generate(of.m.begin(), of.m.end(), [&] { return random.spread<TypeParam>(6); });
        std::generate(of.v.begin(), of.v.end(), [&] { return std::abs(random.spread<TypeParam>(12)); });
        ASSERT_TRUE(of.quotients_are_exact());
    }
}

} // namespace
} // namespace bitstep_test
