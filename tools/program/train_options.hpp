// SPDX-License-Identifier: Apache-2.0
// What the command line of `train` says. Declared in train.cpp, carried out in train_run.cpp.
#pragma once

#include "program/design_matrix.hpp"
#include "program/errors.hpp"
#include "program/trainer.hpp"

#include <cstddef>
#include <string>

namespace bitstep::program {

struct train_options {
    std::string path;
    design_choice design;
    training_plan plan;
    std::size_t epochs = 100;
    std::string dtype = "f32";
    std::string accumulate = "native";
    std::string arch;
    int threads = 0;
    bool least_squares = false;

    train_options() { plan.hyper.lr = 0.01; } // Adam's usual 0.001 needs several thousand steps to cross a bias of 3
};

exit_code run_train(const train_options& chosen);

} // namespace bitstep::program
