// SPDX-License-Identifier: Apache-2.0
// Weights, their average and the Adam moments as test data: one flat array [w, e, m, v], the order of
// distributed_step's output, and views of it.
#pragma once

#include "buffers.hpp"
#include "generator.hpp"

#include <bitstep/bitstep.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bitstep_test {

/// 4 d numbers, v >= 0.
template <class T>
std::vector<T> make_state(std::uint64_t seed, std::size_t features, data_kind kind = data_kind::spread) {
    split_mix64 random(seed);
    std::vector<T> flat = draw_many<T>(random, 4 * features, kind);
    for (std::size_t i = 3 * features; i < flat.size(); ++i) {
        flat[i] = flat[i] < T(0) ? -flat[i] : flat[i];
    }
    return flat;
}

/// Views of the four quarters of an array of 4 d.
template <class T>
bitstep::state_view<T> quarters(T* flat, std::size_t features) {
    return {flat, flat + features, flat + 2 * features, flat + 3 * features, features};
}

/// Four arrays at different offsets.
template <class T>
class placed_state {
public:
    placed_state(const std::vector<T>& flat, std::size_t number)
        : features_(flat.size() / 4), weights_(quarter(flat, 0), number),
          ema_weights_(quarter(flat, 1), 3 * number + 1), m_(quarter(flat, 2), 5 * number + 2),
          v_(quarter(flat, 3), 7 * number + 3) {}

    bitstep::state_view<T> view() { return {weights_.data(), ema_weights_.data(), m_.data(), v_.data(), features_}; }
    bitstep::state_view<const T> const_view() const {
        return {weights_.data(), ema_weights_.data(), m_.data(), v_.data(), features_};
    }

    std::vector<T> flat() const {
        std::vector<T> all;
        for (const auto* part : {&weights_, &ema_weights_, &m_, &v_}) {
            all.insert(all.end(), part->data(), part->data() + features_);
        }
        return all;
    }

    bool marks_intact() const {
        return weights_.marks_intact() && ema_weights_.marks_intact() && m_.marks_intact() && v_.marks_intact();
    }

private:
    std::vector<T> quarter(const std::vector<T>& flat, std::size_t which) const {
        return std::vector<T>(flat.data() + which * features_, flat.data() + (which + 1) * features_);
    }

    std::size_t features_;
    misaligned_buffer<T> weights_;
    misaligned_buffer<T> ema_weights_;
    misaligned_buffer<T> m_;
    misaligned_buffer<T> v_;
};

} // namespace bitstep_test
