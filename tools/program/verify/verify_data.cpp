// SPDX-License-Identifier: Apache-2.0
#include "program/verify/verify_data.hpp"

#include "program/split_mix.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace bitstep::program {
namespace {

// k / 2^p with k a random integer, -2^p <= k < 2^p, p = 23 or 52: conversion and division are exact.
template <class T>
T signed_integer(split_mix& bits) {
    constexpr int digits = std::numeric_limits<T>::digits; // 24 or 53
    constexpr std::int64_t half = std::int64_t{1} << (digits - 1);
    return static_cast<T>(static_cast<std::int64_t>(bits.next() >> (64 - digits)) - half);
}

template <class T>
T plain_value(split_mix& bits) {
    constexpr std::int64_t half = std::int64_t{1} << (std::numeric_limits<T>::digits - 1);
    return signed_integer<T>(bits) / static_cast<T>(half);
}

template <class T>
T value_of_kind(split_mix& bits, value_kind kind) {
    if (kind == value_kind::subnormal) {
        return signed_integer<T>(bits) * std::numeric_limits<T>::denorm_min();
    }
    const T value = plain_value<T>(bits);
    if (kind == value_kind::plain) {
        return value;
    }
    if (kind == value_kind::large) {
        return value * static_cast<T>(sizeof(T) == sizeof(float) ? 0x1p62 : 0x1p510); // exact
    }
    const std::uint64_t dice = bits.next();
    if (kind == value_kind::spread) {
        if (dice % 32 == 0) {
            return (dice & 32u) != 0 ? -T{0} : T{0};
        }
        return value * static_cast<T>(1 << (dice >> 60)) / T{256}; // times 2^-8 ... 2^7, exact
    }
    if (dice % 37 != 0) {
        return value;
    }
    constexpr T infinity = std::numeric_limits<T>::infinity();
    const T special[] = {std::numeric_limits<T>::quiet_NaN(), infinity, -infinity};
    return special[(dice >> 32) % 3];
}

template <class T>
std::vector<T> values(std::size_t count, split_mix& bits, value_kind kind) {
    std::vector<T> result(count);
    for (T& value : result) {
        value = value_of_kind<T>(bits, kind);
    }
    return result;
}

// Dense: W shards of A*B rows. Uneven: first a shard of one row, then an empty one, then a third and the rest.
std::vector<std::size_t> shard_lengths(const verify_shape& shape) {
    const std::size_t rows = shape.rows();
    if (!shape.uneven) {
        return std::vector<std::size_t>(shape.workers, shape.micro_batches * shape.examples);
    }
    const std::size_t third = rows / 3;
    return {1, 0, third, rows - 1 - third};
}

hyper_parameters hyper_of(std::size_t index) {
    constexpr hyper_parameters choices[] = {
        {0.001, 0.9, 0.999, 1e-8, 0.999, 1}, {0.01, 0.9, 0.99, 1e-6, 0.9, 2},
        {0.1, 0.0, 0.0, 1.0, 0.5, 1},        {0.0, 0.9, 0.999, 1e-8, 0.0, 10},
        {0.003, 0.8, 0.95, 1e-8, 1.0, 77},   {0.02, 0.95, 0.9999, 1e-7, 0.99, 1000000},
    };
    return choices[index % std::size(choices)];
}

template <class T>
void cut_into_shards(verify_data<T>& data) {
    std::size_t first = 0;
    for (const std::size_t rows : shard_lengths(data.shape)) {
        data.shards.push_back({data.x.data() + first * data.row_stride, data.y.data() + first, rows, data.row_stride});
        first += rows;
    }
}

} // namespace

template <class T>
verify_data<T> make_verify_data(const verify_shape& shape, std::size_t index) {
    const std::size_t rows = shape.rows();
    const std::size_t features = shape.features;
    constexpr std::size_t gap = 3;
    split_mix bits(index);
    verify_data<T> data;
    data.shape = shape;
    data.row_stride = features + (shape.uneven ? gap : 0);
    data.x = values<T>(rows * data.row_stride, bits, shape.values);
    for (std::size_t row = 0; row < rows; ++row) { // whoever reads past a row's end meets NaN
        std::fill_n(data.x.data() + row * data.row_stride + features, data.row_stride - features,
                    std::numeric_limits<T>::quiet_NaN());
    }
    const bool tiny = shape.values == value_kind::subnormal;
    data.y = values<T>(rows, bits, tiny ? value_kind::subnormal : value_kind::plain);
    data.weights = values<T>(features, bits, value_kind::plain);
    data.ema_weights = values<T>(features, bits, value_kind::plain);
    data.m = values<T>(features, bits, value_kind::spread);
    data.v = values<T>(features, bits, value_kind::spread);
    for (T& value : data.v) {
        value = value < 0 ? -value : value;
    }
    cut_into_shards(data);
    for (std::size_t i = 0; i < std::min<std::size_t>(rows, 5); ++i) {
        data.worker_vectors.push_back(data.x.data() + i * data.row_stride);
        data.counts.push_back(i == 1 ? 0 : static_cast<long long>(6 * (bits.below(50) + 1)));
    }
    data.hyper = hyper_of(index);
    return data;
}

template verify_data<float> make_verify_data(const verify_shape&, std::size_t);
template verify_data<double> make_verify_data(const verify_shape&, std::size_t);

} // namespace bitstep::program
