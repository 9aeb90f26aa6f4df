// SPDX-License-Identifier: Apache-2.0
// Stands in for train.cpp where libcsv or Eigen is missing: the name stays, the answer is "left out".
#include "program/train.hpp"

#include <CLI/CLI.hpp>

namespace bitstep::program {

void add_train(CLI::App& app, command& chosen) {
    CLI::App* train = app.add_subcommand("train", "Left out of this build: it needs libcsv and Eigen.");
    train->allow_extras();
    train->callback([&chosen] {
        chosen = []() -> exit_code {
            throw input_error("train was left out of this build (Debian: libcsv-dev, libeigen3-dev)");
        };
    });
}

} // namespace bitstep::program
