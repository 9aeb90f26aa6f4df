// SPDX-License-Identifier: Apache-2.0
// What the command line of `train` says. Declared in train.cpp, carried out in train_run.cpp.
#pragma once

#include "program/data/design.hpp"
#include "program/errors.hpp"
#include "program/report_choice.hpp"
#include "program/run_choice.hpp"
#include "program/train/training_plan.hpp"

#include <cstddef>
#include <string>

namespace bitstep::program {

struct train_options {
    std::string path;
    design_choice design;
    double test_fraction = 0;
    training_plan plan;
    std::string dtype = "f32";
    run_choice run;
    std::string save;   ///< STATE; empty: none
    std::string resume; ///< STATE; empty: from the start
    std::size_t save_every = 1;
    std::string history;
    std::size_t history_every = 0; ///< steps; 0: each epoch
    std::string plot;
    bool least_squares = false;
    report_choice report;

    train_options() { plan.hyper.lr = 0.01; } // Adam's usual 0.001 needs several thousand steps to cross a bias of 3

    bool wants_history() const { return !history.empty() || !plot.empty(); }
    bool wants_state() const { return !save.empty() || !resume.empty(); }
};

exit_code run_train(const train_options& chosen);

} // namespace bitstep::program
