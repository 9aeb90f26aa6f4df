// SPDX-License-Identifier: Apache-2.0
// Proves that m' / (1 - beta1^t) is the IEEE quotient, however a kernel gets it (docs/decisions/0004): with w = -0, v = 0,
// g = 0, lr = eps = 1 an update leaves w' = -0 - m' / c, so the public call shows every bit of the quotient, its sign too.
// BITSTEP_QUOTIENT_STRIDE=1 takes all 2^32 floats per divisor instead of every 65,537th.
#include "support/arch_threads.hpp"
#include "support/bitwise.hpp"
#include "support/oracle.hpp"
#include "support/typed.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace bitstep_test {
namespace {

using bitstep::accumulate_mode;
__extension__ using wide_integer = unsigned __int128;

template <class T>
class quotient_test : public testing::Test {};
TYPED_TEST_SUITE(quotient_test, element_types, element_names);

template <class T>
struct pair_of_beta_and_t {
    double beta;
    long long t;
    T correction() const { return static_cast<T>(1.0 - oracle::power_as_double(beta, t)); }
};

/// Usual pairs, the smallest correction (2^-53), powers of two, and any.
template <class T>
std::vector<pair_of_beta_and_t<T>> divisors() {
    std::vector<pair_of_beta_and_t<T>> all = {{0.9, 1},   {0.9, 2},    {0.9, 50},           {0.999, 1},
                                              {0.95, 10}, {0.5, 1},    {1.0 - 0x1p-53, 1},  {1.0 - 0x1p-30, 3},
                                              {0.75, 1},  {0.0625, 1}, {1.0 - 0x1.8p-9, 1}, {0x1.000002p-1, 1}};
    split_mix64 random(1);
    for (int i = 0; i < 20; ++i) {
        const double beta = 0.05 + 0.9499 * static_cast<double>(random.integer(0, 1 << 30)) * 0x1p-30;
        all.push_back({beta, random.integer(1, 4)});
    }
    return all;
}

/// Runs the moments `m` through one update per arch.
template <class T>
void expect_quotients(const pair_of_beta_and_t<T>& by, const std::vector<T>& m) {
    const std::size_t size = m.size();
    const bitstep::hyper_parameters hyper{1.0, by.beta, 0.5, 1.0, 0.0, by.t};
    const T c = by.correction();
    const std::vector<T> grad(size, 0);
    for (const bitstep::arch which : runnable_archs()) {
        std::vector<T> w(size, T(-0.0));
        std::vector<T> ema(size, 0);
        std::vector<T> v(size, 0);
        std::vector<T> moment = m;
        expect_ok(bitstep::adam_ema_update<T>({grad.data(), size},
                                              {w.data(), ema.data(), moment.data(), v.data(), size}, hyper,
                                              forced(which, 1, accumulate_mode::native)));
        std::vector<T> want(size);
        for (std::size_t j = 0; j < size; ++j) {
            want[j] = T(-0.0) - moment[j] / c;
        }
        ASSERT_TRUE(same_bits(w, want)) << bitstep::arch_name(which) << ", beta " << by.beta << ", t " << by.t;
    }
}

/// A moment that beta times it rounds to `wanted`, or 0 where none does.
template <class T>
T moment_for(T wanted, T beta) {
    const T near = wanted / beta;
    for (const T m : {near, std::nextafter(near, T(0)), std::nextafter(near, std::numeric_limits<T>::infinity())}) {
        if (beta * m == wanted) {
            return m;
        }
    }
    return 0;
}

/// Numerators a whose quotient by c lies next to the middle of two neighbours: 2^n A - B M = k for the significands A of a
/// and B of c and an odd M of one bit more than they have, so M = -k / B modulo 2^n.
template <class T>
void add_hard_cases(T c, T beta, std::vector<T>& m) {
    constexpr int p = std::numeric_limits<T>::digits;
    int exponent = 0;
    auto b = static_cast<std::uint64_t>(std::ldexp(std::frexp(c, &exponent), p));
    b >>= std::countr_zero(b);
    std::uint64_t inverse = b; // Newton: right to 3 bits, then 6, 12, ...
    for (int i = 0; i < 5; ++i) {
        inverse *= 2 - b * inverse;
    }
    for (const int n : {p, p + 1}) {
        for (std::int64_t k = -40; k <= 40; ++k) {
            const std::uint64_t modulus = std::uint64_t{1} << n;
            std::uint64_t middle = (std::uint64_t{0} - static_cast<std::uint64_t>(k)) * inverse & (modulus - 1);
            middle |= std::uint64_t{1} << p;
            const auto product = static_cast<wide_integer>(b) * middle; // plus k: a multiple of 2^n, or of 2^p
            const auto a = static_cast<std::uint64_t>((product + static_cast<wide_integer>(k)) >> n);
            for (const int scale : {-p - 40, -p, 3 - p}) {
                const T moment = moment_for(std::ldexp(static_cast<T>(a), scale), beta);
                if (moment != 0) {
                    m.push_back(moment);
                }
            }
        }
    }
}

TYPED_TEST(quotient_test, next_to_the_middle_of_two_numbers) {
    for (const auto& by : divisors<TypeParam>()) {
        std::vector<TypeParam> m;
        add_hard_cases(by.correction(), static_cast<TypeParam>(by.beta), m);
        if (by.beta > 0.5) { // below, few numbers are beta times another
            EXPECT_GT(m.size(), 100U);
        }
        expect_quotients(by, m);
    }
}

/// Every exponent, with significands at both ends and between; zeros, infinities and NaN among them and vectors of their own.
TYPED_TEST(quotient_test, at_every_exponent) {
    using limits = std::numeric_limits<TypeParam>;
    split_mix64 random(2);
    for (const auto& by : divisors<TypeParam>()) {
        std::vector<TypeParam> m(19, TypeParam(-0.0));
        m.insert(m.end(), 17, limits::infinity());
        for (int e = limits::min_exponent - limits::digits - 1; e < limits::max_exponent; ++e) {
            for (int i = 0; i < 6; ++i) {
                const auto part = static_cast<TypeParam>(static_cast<double>(random.integer(0, 1 << 30)) * 0x1p-30);
                const TypeParam significand = i == 0   ? TypeParam(1)
                                              : i == 1 ? TypeParam(2) - limits::epsilon()
                                              : i == 2 ? TypeParam(1) + limits::epsilon()
                                                       : TypeParam(1) + part;
                m.push_back(std::ldexp(i % 2 == 0 ? significand : -significand, e));
            }
        }
        m.insert(m.end(),
                 {TypeParam(0), limits::quiet_NaN(), -limits::infinity(), limits::max(), limits::denorm_min()});
        expect_quotients(by, m);
    }
}

TEST(quotient_of_floats, for_bits_all_over_the_range) {
    const char* text = std::getenv("BITSTEP_QUOTIENT_STRIDE");
    const std::uint64_t stride = text == nullptr ? 65537 : std::strtoull(text, nullptr, 10);
    ASSERT_GE(stride, 1U);
    constexpr std::size_t chunk = 1 << 20;
    for (const auto& by : divisors<float>()) {
        for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32);) {
            std::vector<float> m;
            for (; m.size() < chunk && bits < (std::uint64_t{1} << 32); bits += stride) {
                m.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
            }
            expect_quotients(by, m);
        }
    }
}

} // namespace
} // namespace bitstep_test
