// SPDX-License-Identifier: Apache-2.0
// What the command line of `predict` says. Declared in predict.cpp, carried out in predict_run.cpp.
#pragma once

#include "program/errors.hpp"
#include "program/report_choice.hpp"
#include "program/run_choice.hpp"

#include <string>

namespace bitstep::program {

struct predict_options {
    std::string state;
    std::string path;   ///< DATA.csv
    std::string output; ///< empty: standard output
    bool ema = false;
    run_choice run; ///< the mode of sums is the state's
    report_choice report;
};

exit_code run_predict(const predict_options& chosen);

} // namespace bitstep::program
