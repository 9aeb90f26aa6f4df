// SPDX-License-Identifier: Apache-2.0
// The command line of `bitstep train`. What it then does: train_run.cpp.
#include "program/train.hpp"

#include "program/run_choice.hpp"
#include "program/train_options.hpp"
#include "program/whole_number.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>

namespace bitstep::program {
namespace {

constexpr const char* about = "Fit a linear model to a CSV file by data-parallel training steps";

constexpr const char* footer =
    "Examples:\n"
    "  bitstep train data/randhie.csv --target mdvis --least-squares\n"
    "  bitstep train data/randhie.csv --target mdvis --dtype f64 --accumulate wide --threads 2\n\n"
    "The file: comma-separated, a header row, numbers in every column; all columns but the target are features.\n"
    "Training minimizes the mean squared error by Adam, with a moving average (EMA) of the weights, starting from zero.\n"
    "Each epoch visits all rows in an order that depends on --seed and the epoch alone. A step takes workers x accum x\n"
    "batch rows; what is left at the end of an epoch is a step of its own.\n\n"
    "The last line, `digest`, is XXH3-128 over weights, ema_weights, m, v (features in the order of the file, then the\n"
    "bias; little-endian, NaN canonical) and the number of steps as 8 bytes. It does not depend on --threads, --arch or\n"
    "the processor, nor on --workers, --accum and --batch as long as their product stays the same.";

// --name and --no-name, which exclude each other; on by default.
void add_switch(CLI::App& train, const std::string& name, bool& value, const std::string& what) {
    CLI::Option* on = train.add_flag_callback(
        "--" + name, [&value] { value = true; }, what + " (default)");
    CLI::Option* off = train.add_flag_callback(
        "--no-" + name, [&value] { value = false; }, "do not " + what);
    off->excludes(on);
}

void add_data_options(CLI::App& train, train_options& chosen) {
    train.add_option("DATA.csv", chosen.path, "the file")->required()->type_name("");
    train.add_option("--target", chosen.design.target, "column to predict")->required()->type_name("COLUMN");
    add_switch(train, "bias", chosen.design.bias, "append a column of ones");
    add_switch(train, "standardize", chosen.design.standardize, "scale each feature to mean 0 and deviation 1");
}

void add_training_options(CLI::App& train, train_options& chosen) {
    training_plan& plan = chosen.plan;
    train.add_option("--workers", plan.workers, "data-parallel workers")->check(positive)->capture_default_str();
    train.add_option("--accum", plan.micro_batches, "micro-batches of each worker and step")
        ->check(positive)
        ->capture_default_str();
    train.add_option("--batch", plan.examples, "examples in each micro-batch")->check(positive)->capture_default_str();
    train.add_option("--epochs", chosen.epochs, "passes over the data")->check(positive)->capture_default_str();
    train.add_option("--lr", plan.hyper.lr, "learning rate, >= 0")->capture_default_str();
    train.add_option("--beta1", plan.hyper.beta1, "Adam: decay of the mean gradient, in [0, 1)")->capture_default_str();
    train.add_option("--beta2", plan.hyper.beta2, "Adam: decay of its square, in [0, 1)")->capture_default_str();
    train.add_option("--eps", plan.hyper.eps, "Adam: added to the root, > 0")->capture_default_str();
    train.add_option("--ema-decay", plan.hyper.decay, "decay of the averaged weights, in [0, 1]")
        ->capture_default_str();
    train.add_option("--seed", plan.seed, "of the order of the rows")->check(not_negative)->capture_default_str();
}

void add_run_options(CLI::App& train, train_options& chosen) {
    train.add_option("--dtype", chosen.dtype, "number format: f32 or f64")
        ->check(CLI::IsMember({"f32", "f64"}))
        ->capture_default_str();
    train.add_option("--accumulate", chosen.accumulate, "precision of sums: native or wide")
        ->check(CLI::IsMember({"native", "wide"}))
        ->capture_default_str();
    train.add_option("--threads", chosen.threads, threads_help)->check(CLI::Range(1, 1024));
    train.add_option("--arch", chosen.arch, arch_help)->type_name("NAME");
    train.add_flag("--least-squares", chosen.least_squares,
                   "also show the exact least-squares solution of the same data");
}

} // namespace

void add_train(CLI::App& app, command& chosen) {
    const auto options = std::make_shared<train_options>();
    CLI::App* train = app.add_subcommand("train", about);
    train->footer(footer);
    add_data_options(*train, *options);
    add_training_options(*train, *options);
    add_run_options(*train, *options);
    train->callback([options, &chosen] { chosen = [options] { return run_train(*options); }; });
}

} // namespace bitstep::program
