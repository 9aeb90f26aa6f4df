// SPDX-License-Identifier: Apache-2.0
// `bitstep train` from file to digest: csv_table -> design_matrix -> trainer (shuffle, step_buffer, distributed_step) ->
// metrics, digest. Says on stdout what it does.
#include "program/csv_table.hpp"
#include "program/least_squares.hpp"
#include "program/run_choice.hpp"
#include "program/text.hpp"
#include "program/train_options.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <cmath>

namespace bitstep::program {
namespace {

options library_options(const train_options& chosen) {
    options opts;
    opts.arch = chosen_arch(chosen.arch);
    opts.threads = chosen_threads(chosen.threads);
    opts.accumulate = chosen.accumulate == "wide" ? accumulate_mode::wide : accumulate_mode::native;
    return opts;
}

template <class T>
void print_setup(const train_options& chosen, const design_matrix<T>& data, const trainer<T>& training,
                 const options& opts) {
    const std::size_t features = data.features - (chosen.design.bias ? 1 : 0);
    fmt::print("data    {}: {} rows, target {}, {} features{}{}\n", printable(chosen.path), data.rows,
               printable(chosen.design.target), features, chosen.design.standardize ? ", standardized" : "",
               chosen.design.bias ? ", and a bias" : "");
    const std::size_t leftover = data.rows % training.rows_per_step();
    fmt::print("step    {} workers x {} micro-batches x {} examples; {} steps an epoch", chosen.plan.workers,
               chosen.plan.micro_batches, chosen.plan.examples, training.steps_per_epoch());
    if (leftover != 0) {
        fmt::print(", the last of {} rows", leftover);
    }
    fmt::print("\nrun     {}, accumulate {}, kernels {}, up to {} threads\n", chosen.dtype, chosen.accumulate,
               arch_name(opts.arch), opts.threads);
}

void print_quality(const char* name, const fit_quality& quality, const std::string& note = {}) {
    const std::string r2 = std::isnan(quality.r2) ? "n/a" : fmt::format("{:.4f}", quality.r2);
    fmt::print("{:<20}  {:>12.8g}  {:>8}{}\n", name, quality.mse, r2, note);
}

template <class T>
void print_result(const train_options& chosen, const design_matrix<T>& data, trainer<T>& training) {
    fmt::print("{:<20}  {:>12}  {:>8}\n", "over all rows", "MSE", "R2");
    print_quality("weights", training.quality_of_weights());
    print_quality("ema weights", training.quality_of_ema_weights());
    if (chosen.least_squares) {
        const least_squares_fit exact = solve_least_squares(data);
        const bool full_rank = exact.rank == data.features;
        print_quality("exact least squares", exact.quality,
                      full_rank ? "" : fmt::format("  (rank {} of {})", exact.rank, data.features));
    }
    // The average starts at zero and has no bias correction; say so where that still shows.
    const double start_share = std::pow(chosen.plan.hyper.decay, static_cast<double>(training.steps_done()));
    if (start_share > 0.01) {
        fmt::print(
            "note: after {} steps the ema weights still hold {:.0f} % of their start at zero; more --epochs or a "
            "smaller --ema-decay help\n",
            training.steps_done(), 100 * start_share);
    }
}

template <class T>
exit_code train_as(const train_options& chosen) {
    const options opts = library_options(chosen);
    const design_matrix<T> data = make_design_matrix<T>(read_csv_table(chosen.path), chosen.design);
    trainer<T> training(data, chosen.plan, opts);
    print_setup(chosen, data, training, opts);
    progress shown(stdout, isatty(STDOUT_FILENO) != 0, chosen.epochs, training.steps_per_epoch(), data.rows);
    for (std::size_t epoch = 0; epoch < chosen.epochs; ++epoch) {
        training.run_epoch(epoch, shown);
        if (shown.epoch_is_due(epoch)) {
            shown.show_epoch(training.quality_of_weights().mse);
        }
    }
    print_result(chosen, data, training);
    fmt::print("digest {}\n", training.state_digest().hex());
    return exit_code::done;
}

} // namespace

exit_code run_train(const train_options& chosen) {
    return chosen.dtype == "f64" ? train_as<double>(chosen) : train_as<float>(chosen);
}

} // namespace bitstep::program
