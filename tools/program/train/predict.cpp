// SPDX-License-Identifier: Apache-2.0
// The command line of `bitstep predict`. What it then does: predict_run.cpp.
#include "program/train/predict.hpp"

#include "program/train/predict_options.hpp"
#include "program/whole_number.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace bitstep::program {
namespace {

constexpr const char* about = "Predict the target of a CSV file's rows with a saved state";

constexpr const char* footer =
    "Examples:\n"
    "  bitstep predict s.safetensors data/randhie.csv > predictions.csv\n"
    "  bitstep predict s.safetensors data/randhie.csv --ema --output predictions.csv --json\n\n"
    "Columns are found by name, in any order; each feature of the state must be there. Columns that the state does not know\n"
    "are left out, with a line on standard error that names them. Features are scaled as the state says, rounded to its\n"
    "dtype, and multiplied by its weights with its --accumulate mode: the bits depend on nothing else.\n"
    "The output is CSV: the target's name as header, then one prediction a row, in the shortest decimal digits that give\n"
    "the same number back. Where the file has the target itself, the mean squared error and R2 are reported, too (on\n"
    "standard error where the predictions go to standard output).";

} // namespace

void add_predict(CLI::App& app, command& chosen) {
    const auto options = std::make_shared<predict_options>();
    CLI::App* predict = app.add_subcommand("predict", about);
    predict->footer(footer);
    predict->add_option("STATE", options->state, "saved by `bitstep train --save`")->required()->type_name("");
    predict->add_option("DATA.csv", options->path, "the rows")->required()->type_name("");
    CLI::Option* output =
        predict->add_option("--output", options->output, "file for the predictions; default: standard output")
            ->check(not_empty)
            ->type_name("P.csv");
    predict->add_flag("--ema", options->ema, "use the averaged weights (ema_weights) instead of the last ones");
    add_run_options(*predict, options->run);
    add_report_options(*predict, options->report, "print the predictions alone");
    predict->get_option("--json")->needs(output);
    predict->callback([options, &chosen] { chosen = [options] { return run_predict(*options); }; });
}

} // namespace bitstep::program
