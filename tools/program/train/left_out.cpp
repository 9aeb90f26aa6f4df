// SPDX-License-Identifier: Apache-2.0
// Stands in for train.cpp and predict.cpp where libcsv or Eigen is missing: the names stay, the answer is "left out".
#include "program/train/predict.hpp"
#include "program/train/train.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace bitstep::program {
namespace {

void add_left_out(CLI::App& app, command& chosen, const std::string& name) {
    CLI::App* subcommand = app.add_subcommand(name, "Left out of this build: it needs libcsv and Eigen.");
    subcommand->allow_extras();
    subcommand->callback([&chosen, name] {
        chosen = [name]() -> exit_code {
            throw input_error(name + " was left out of this build (Debian: libcsv-dev, libeigen3-dev)");
        };
    });
}

} // namespace

void add_train(CLI::App& app, command& chosen) { add_left_out(app, chosen, "train"); }
void add_predict(CLI::App& app, command& chosen) { add_left_out(app, chosen, "predict"); }

} // namespace bitstep::program
