// SPDX-License-Identifier: Apache-2.0
// Stage 6: one Adam and one EMA update. After the gradient; the last stage.
#pragma once

#include <bitstep/options.hpp>

#include "kernels/kernel_table.hpp"
#include "parallel.hpp"

#include <cstddef>

namespace bitstep::internal {

/// beta1^t and beta2^t by square-and-multiply in double-double, each rounded to double. Both in [0, 1), t >= 1.
struct power_pair {
    double of_beta1;
    double of_beta2;
};
power_pair powers(double beta1, double beta2, long long t) noexcept;

/// The scalars of an update, each computed in double and rounded to T once. `hyper` has been checked.
template <class T>
adam_scalars<T> scalars_of(const hyper_parameters& hyper) noexcept;

/// Bytes that the update reads and writes: grad and four arrays in, four out.
template <class T>
constexpr std::size_t update_bytes(std::size_t features) noexcept {
    return 9 * sizeof(T) * features;
}

/// w', ema', m', v' from g and the state. Returns the team.
template <class T>
int update_state(const adam_arrays<T>& arrays, const hyper_parameters& hyper, std::size_t features, arch which,
                 const team_choice& team) noexcept;

} // namespace bitstep::internal
