// SPDX-License-Identifier: Apache-2.0
// Every operation of the library that makes numbers, run once on one shape's data. Between verify_data (its input) and
// verify_suite (which runs it on every kernel set and compares).
#pragma once

#include "program/verify/verify_data.hpp"

#include <bitstep/bitstep.hpp>

#include <string>
#include <vector>

namespace bitstep::program {

template <class T>
struct operation_result {
    const char* operation;
    status returned;
    std::vector<T> values; ///< empty where the library refused
    run_report ran;        ///< as the library tells it
    bool reports = true;   ///< false: takes no options, so tells nothing in `ran`
};

/// distributed_step, gradient, its mse, predict, residual, allreduce_mean (plain, weighted), adam_ema_update,
/// simulate_ring_allreduce (mean, sum); always in this order.
template <class T>
std::vector<operation_result<T>> run_operations(const verify_data<T>& data, const options& opts);

} // namespace bitstep::program
