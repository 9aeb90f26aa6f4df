// SPDX-License-Identifier: Apache-2.0
// Proves the criterion: native float gradients are no worse than those of two OpenBLAS sgemv calls. On each of 20
// seeds the largest error is at most 1.5 times OpenBLAS's plus one ulp of the largest element, and in the median over
// the seeds (N >= 4000) it is no larger. OpenBLAS is loaded privately; the test is skipped where it is not installed.
#include "support/arch_threads.hpp"
#include "support/oracle.hpp"
#include "support/problem.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace bitstep_test {
namespace {

using bitstep::accumulate_mode;

using sgemv_function = void (*)(int order, int trans, int m, int n, float alpha, const float* a, int lda,
                                const float* x, int incx, float beta, float* y, int incy);

/// cblas_sgemv of a private OpenBLAS; null where there is none.
sgemv_function load_sgemv() {
    void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    return library == nullptr ? nullptr : reinterpret_cast<sgemv_function>(dlsym(library, "cblas_sgemv"));
}

std::vector<float> blas_gradient(sgemv_function sgemv, const dense_problem<float>& data) {
    constexpr int row_major = 101;
    constexpr int no_trans = 111;
    constexpr int trans = 112;
    const int rows = static_cast<int>(data.rows);
    const int features = static_cast<int>(data.features);
    std::vector<float> r = data.y;
    sgemv(row_major, no_trans, rows, features, 1.0F, data.x.data(), features, data.w.data(), 1, -1.0F, r.data(), 1);
    std::vector<float> g(data.features, 0.0F);
    sgemv(row_major, trans, rows, features, 2.0F / static_cast<float>(rows), data.x.data(), features, r.data(), 1, 0.0F,
          g.data(), 1);
    return g;
}

/// The truth for float data, in long double: products of floats are exact in it, and its sums are at least 2^29 times
/// finer than float's. (320 bits would take minutes here; one seed is checked against them below.)
std::vector<long double> near_truth(const dense_problem<float>& data) {
    std::vector<long double> g(data.features, 0.0L);
    for (std::size_t i = 0; i < data.rows; ++i) {
        const float* row = &data.x[i * data.features];
        long double r = 0;
        for (std::size_t j = 0; j < data.features; ++j) {
            r += static_cast<long double>(row[j]) * static_cast<long double>(data.w[j]);
        }
        r -= static_cast<long double>(data.y[i]);
        for (std::size_t j = 0; j < data.features; ++j) {
            g[j] += static_cast<long double>(row[j]) * r;
        }
    }
    for (long double& value : g) {
        value = 2 * value / static_cast<long double>(data.rows);
    }
    return g;
}

struct errors {
    double largest = 0;
    double root_mean_square = 0;
};

errors errors_of(const std::vector<float>& got, const std::vector<long double>& truth) {
    errors of;
    for (std::size_t j = 0; j < truth.size(); ++j) {
        const auto error = static_cast<double>(std::fabs(static_cast<long double>(got[j]) - truth[j]));
        of.largest = std::max(of.largest, error);
        of.root_mean_square += error * error / static_cast<double>(truth.size());
    }
    of.root_mean_square = std::sqrt(of.root_mean_square);
    return of;
}

double ulp_of_largest(const std::vector<long double>& truth) {
    float largest = 0;
    for (const long double value : truth) {
        largest = std::max(largest, static_cast<float>(std::fabs(value)));
    }
    return static_cast<double>(std::nextafter(largest, std::numeric_limits<float>::infinity()) - largest);
}

/// Uniform in [-1, 1), or in [0, 1): all of one sign, the harder case for long sums.
dense_problem<float> make_data(std::uint64_t seed, std::size_t rows, std::size_t features, bool positive) {
    auto data = make_problem<float>(seed, rows, features, data_kind::uniform);
    if (positive) {
        for (auto* values : {&data.x, &data.y, &data.w}) {
            for (float& value : *values) {
                value = std::fabs(value);
            }
        }
    }
    return data;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

TEST(blas_accuracy, native_float_is_no_worse_than_two_openblas_calls) {
    const sgemv_function sgemv = load_sgemv();
    if (sgemv == nullptr) {
        GTEST_SKIP() << "libopenblas.so.0 is not installed (Debian: libopenblas0)";
    }
    const std::pair<std::size_t, std::size_t> shapes[] = {
        {4096, 16}, {20000, 16}, {8192, 64}, {4096, 200}, {5000, 512}};
    for (const bool positive : {false, true}) {
        std::vector<double> ratios;
        std::vector<double> mean_ratios;
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const auto& [rows, features] = shapes[seed % 5];
            SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(rows) + " x " +
                         std::to_string(features) + (positive ? ", positive" : ""));
            const auto data = make_data(seed, rows, features, positive);
            const auto truth = near_truth(data);
            auto got = run_gradient(placed_problem<float>(data, {}),
                                    forced(bitstep::arch::automatic, 1, accumulate_mode::native));
            got.pop_back();
            const errors ours = errors_of(got, truth);
            const errors theirs = errors_of(blas_gradient(sgemv, data), truth);
            EXPECT_LE(ours.largest, 1.5 * theirs.largest + ulp_of_largest(truth));
            ratios.push_back(ours.largest / theirs.largest);
            mean_ratios.push_back(ours.root_mean_square / theirs.root_mean_square);
        }
        EXPECT_LE(median(ratios), 1.0) << (positive ? "positive" : "signed") << " data, largest error";
        EXPECT_LE(median(mean_ratios), 1.0) << (positive ? "positive" : "signed") << " data, root mean square";
        RecordProperty(positive ? "median_ratio_positive" : "median_ratio_signed", std::to_string(median(ratios)));
    }
}

TEST(blas_accuracy, long_double_is_truth_enough) {
    const auto data = make_data(1, 4096, 16, true);
    const auto near = near_truth(data);
    const auto exact = oracle::gradient(data);
    for (std::size_t j = 0; j < data.features; ++j) {
        const oracle::real error = oracle::mp::abs(oracle::real(near[j]) - exact.g[j]);
        EXPECT_LE(error, oracle::ulp<float>(exact.g[j]) / 1024) << "element " << j;
    }
}

} // namespace
} // namespace bitstep_test
