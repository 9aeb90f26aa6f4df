// SPDX-License-Identifier: Apache-2.0
// What `train` says before and after training: for people, or as one JSON object (--json).
#pragma once

#include "program/train/metrics.hpp"
#include "program/train/train_options.hpp"
#include "program/train/training_loop.hpp"

#include <bitstep/bitstep.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace bitstep::program {

struct train_setup {
    std::size_t training_rows = 0;
    std::size_t test_rows = 0;
    std::size_t columns = 0; ///< features without the bias
    std::size_t steps_per_epoch = 0;
    std::size_t rows_per_step = 0;
    double parse_seconds = 0;
    arch active = arch::automatic;
    int threads = 0;
    std::uint64_t first_step = 0; ///< steps done by the runs before this one
};

struct fit_report {
    std::string name; ///< "weights", "ema weights", "exact least squares"
    fit_quality training;
    std::optional<fit_quality> test;
    std::string note;
};

struct train_outcome {
    loop_result loop;
    std::uint64_t t = 0;
    std::vector<fit_report> fits;
    double start_share = 0;       ///< of the zeros that the average began with
    std::string picture_left_out; ///< the reason, or empty
    std::string digest;
};

/// `out`: where people look; null to be silent.
void print_setup(std::FILE* out, const train_options& chosen, const train_setup& setup);
void print_outcome(std::FILE* out, const train_options& chosen, const train_setup& setup, const train_outcome& outcome);

nlohmann::ordered_json json_of(const train_options& chosen, const train_setup& setup, const train_outcome& outcome);

} // namespace bitstep::program
