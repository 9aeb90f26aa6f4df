// SPDX-License-Identifier: Apache-2.0
// What a training has reached: all that its next steps need beside the data and the plan.
#pragma once

#include "program/digest.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bitstep::program {

template <class T>
struct training_state {
    std::vector<T> weights, ema_weights, m, v; ///< (d) each
    std::uint64_t t = 0;                       ///< number of the last update; 0 before the first

    training_state() = default;
    explicit training_state(std::size_t d) : weights(d), ema_weights(d), m(d), v(d) {}

    /// Over weights, ema_weights, m, v, and t: the digest of `train`.
    program::digest digest() const {
        program::digest result;
        for (const std::vector<T>* part : {&weights, &ema_weights, &m, &v}) {
            result.add(*part);
        }
        result.add_integer(t);
        return result;
    }
};

} // namespace bitstep::program
