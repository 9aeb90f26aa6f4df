// SPDX-License-Identifier: Apache-2.0
// The command line of `bitstep train`. What it then does: train_run.cpp.
#include "program/train/train.hpp"

#include "program/number_option.hpp"
#include "program/run_choice.hpp"
#include "program/train/train_options.hpp"
#include "program/whole_number.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>

namespace bitstep::program {
namespace {

constexpr const char* about = "Fit a linear model to a CSV file by data-parallel training steps";

constexpr const char* footer =
    "Examples:\n"
    "  bitstep train data/randhie.csv --target mdvis --least-squares\n"
    "  bitstep train data/randhie.csv --target mdvis --test-fraction 0.2 --history h.csv --plot h.svg\n"
    "  bitstep train data/randhie.csv --target mdvis --epochs 1000 --save s.safetensors\n"
    "  bitstep train data/randhie.csv --target mdvis --epochs 1000 --save s.safetensors --resume s.safetensors\n"
    "  bitstep train data/randhie.csv --target mdvis --dtype f64 --accumulate wide --threads 2 --json\n\n"
    "The file: comma-separated, a header row, numbers in every column; all columns but the target are features.\n"
    "Training minimizes the mean squared error by Adam, with a moving average (EMA) of the weights, starting from zero.\n"
    "Each epoch visits all training rows in an order that depends on --seed and the epoch alone. A step takes workers x\n"
    "accum x batch rows; what is left at the end of an epoch is a step of its own.\n\n"
    "Stopping: with --save, SIGINT (Ctrl-C) and SIGTERM end training after the step at hand, save, report, and then end the\n"
    "program as the signal would have; a second of the same kind ends it at once (a signal\n"
    "that was ignored at the start stays so: SIGINT in a background job of a script; SIGTERM works there). The state is replaced whole or not at all\n"
    "(a kill within a save leaves STATE.<process>.tmp beside it, which may be deleted). --resume\n"
    "demands the same data, --dtype, --accumulate, hyper-parameters and rows per step, and then gives the bits of a\n"
    "training that never stopped. --threads, --arch and the split into workers, accum and batch may change; --epochs is the\n"
    "total, not what is added (with --lr-schedule cosine it is a hyper-parameter).\n\n"
    "STATE is a safetensors file: weights, ema_weights, m, v, the rest as metadata; Python's safetensors reads it, and\n"
    "`bitstep predict` and `bitstep compare` use it. docs/training.md says all that is needed to reproduce its bytes.\n\n"
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
    add_number_option(train, "--test-fraction", chosen.test_fraction, "share of the rows kept back to test, in [0, 1)");
    add_switch(train, "bias", chosen.design.bias, "append a column of ones");
    add_switch(train, "standardize", chosen.design.standardize, "scale each feature to mean 0 and deviation 1");
}

void add_step_options(CLI::App& train, training_plan& plan) {
    train.add_option("--workers", plan.workers, "data-parallel workers")
        ->check(positive)
        ->type_name("N")
        ->capture_default_str();
    train.add_option("--accum", plan.micro_batches, "micro-batches of each worker and step")
        ->check(positive)
        ->type_name("N")
        ->capture_default_str();
    train.add_option("--batch", plan.examples, "examples in each micro-batch")
        ->check(positive)
        ->type_name("N")
        ->capture_default_str();
    train.add_option("--epochs", plan.epochs, "passes over the data in all, those before --resume included")
        ->check(positive)
        ->type_name("N")
        ->capture_default_str();
    train.add_option("--seed", plan.seed, "of the order of the rows and of the test rows")
        ->check(not_negative)
        ->type_name("N")
        ->capture_default_str();
}

void add_hyper_options(CLI::App& train, training_plan& plan) {
    const std::map<std::string, lr_schedule> schedules = {{"constant", lr_schedule::constant},
                                                          {"cosine", lr_schedule::cosine}};
    add_number_option(train, "--lr", plan.hyper.lr, "learning rate, >= 0");
    train
        .add_option_function<std::string>(
            "--lr-schedule", [&plan, schedules](const std::string& name) { plan.schedule = schedules.at(name); },
            "constant, or cosine: from --lr down to 0 over all --epochs")
        ->check(CLI::IsMember({"constant", "cosine"}).description(""))
        ->type_name("NAME")
        ->default_str("constant");
    add_number_option(train, "--beta1", plan.hyper.beta1, "Adam: decay of the mean of the gradients, in [0, 1)");
    add_number_option(train, "--beta2", plan.hyper.beta2, "Adam: decay of the mean of their squares, in [0, 1)");
    add_number_option(train, "--eps", plan.hyper.eps, "Adam: added outside the square root, > 0");
    add_number_option(train, "--ema-decay", plan.hyper.decay, "decay of the averaged weights, in [0, 1]");
    add_number_option(train, "--l2", plan.l2,
                      "ridge: adds 2 l2 w_j to gradient j, the bias left out; the losses stay without it");
}

void add_output_options(CLI::App& train, train_options& chosen) {
    train
        .add_option("--save", chosen.save,
                    "file to save the state to, at the end and after epochs; a state that is there is replaced")
        ->check(not_empty)
        ->type_name("STATE");
    train.add_option("--save-every", chosen.save_every, "epochs between two saves; each waits for the disk")
        ->check(positive)
        ->type_name("N")
        ->capture_default_str();
    train.add_option("--resume", chosen.resume, "saved state to go on from; it must be there")
        ->check(not_empty)
        ->type_name("STATE");
    train
        .add_option(
            "--history", chosen.history,
            "file for step, epoch, losses, gradient norm, learning rate, seconds; begun anew, but --resume goes on with it")
        ->check(not_empty)
        ->type_name("H.csv");
    train.add_option("--history-every", chosen.history_every, "steps between two rows; default: an epoch")
        ->check(positive)
        ->type_name("STEPS");
    train
        .add_option(
            "--plot", chosen.plot,
            "picture of the losses (SVG or PNG), drawn by gnuplot at the end and every 20 s before; with --resume, --history "
            "gives it the part before")
        ->check(not_empty)
        ->type_name("P.svg|P.png");
    train.add_flag("--least-squares", chosen.least_squares,
                   "also show the exact least-squares (with --l2: ridge) solution of the same data");
    add_report_options(train, chosen.report, "print the digest alone");
}

void add_number_options(CLI::App& train, train_options& chosen) {
    train.add_option("--dtype", chosen.dtype, "number format: f32 or f64")
        ->check(CLI::IsMember({"f32", "f64"}).description(""))
        ->type_name("TYPE")
        ->capture_default_str();
    add_accumulate_option(train, chosen.run);
    add_run_options(train, chosen.run);
}

} // namespace

void add_train(CLI::App& app, command& chosen) {
    const auto options = std::make_shared<train_options>();
    CLI::App* train = app.add_subcommand("train", about);
    train->footer(footer);
    add_data_options(*train, *options);
    add_step_options(*train, options->plan);
    add_hyper_options(*train, options->plan);
    add_output_options(*train, *options);
    add_number_options(*train, *options);
    train->callback([options, &chosen] { chosen = [options] { return run_train(*options); }; });
}

} // namespace bitstep::program
