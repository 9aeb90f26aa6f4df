// SPDX-License-Identifier: Apache-2.0
#include "program/train/train_report.hpp"

#include "program/text.hpp"
#include "program/train/stop_signal.hpp"

#include <fmt/format.h>

#include <cmath>

namespace bitstep::program {
namespace {

std::string columns_of(const fit_quality& quality) {
    return fmt::format("  {:>12}  {:>8}", mse_text(quality.mse), r2_text(quality.r2));
}

double per_second(std::uint64_t rows, double seconds) { return seconds > 0 ? static_cast<double>(rows) / seconds : 0; }

std::string millions(double rows_per_second) { return fmt::format("{:.3g} M rows/s", rows_per_second / 1e6); }

// "after 63663 steps: 994 epochs and 47 of 64 steps".
std::string position_text(std::uint64_t t, const train_setup& setup) {
    return fmt::format("after {} steps: {} epochs and {} of {} steps", t, t / setup.steps_per_epoch,
                       t % setup.steps_per_epoch, setup.steps_per_epoch);
}

void print_fits(std::FILE* out, const train_setup& setup, const train_outcome& outcome) {
    const bool tested = setup.test_rows != 0;
    const std::string heading = tested ? fmt::format("over {} rows", setup.training_rows) : "over all rows";
    fmt::print(out, "{:<20}  {:>12}  {:>8}", heading, "MSE", "R2");
    fmt::print(out, "{}\n", tested ? fmt::format("  {:>12}  {:>8}", "test MSE", "test R2") : "");
    for (const fit_report& fit : outcome.fits) {
        fmt::print(out, "{:<20}{}{}{}\n", fit.name, columns_of(fit.training), fit.test ? columns_of(*fit.test) : "",
                   fit.note.empty() ? "" : "  (" + fit.note + ")");
    }
}

nlohmann::ordered_json json_of(const fit_quality& quality) { return {{"mse", quality.mse}, {"r2", quality.r2}}; }

nlohmann::ordered_json json_of_options(const train_options& chosen) {
    const training_plan& plan = chosen.plan;
    return {{"bias", chosen.design.bias},
            {"standardize", chosen.design.standardize},
            {"test_fraction", chosen.test_fraction},
            {"workers", plan.workers},
            {"accum", plan.micro_batches},
            {"batch", plan.examples},
            {"epochs", plan.epochs},
            {"seed", plan.seed},
            {"lr", plan.hyper.lr},
            {"lr_schedule", plan.schedule == lr_schedule::cosine ? "cosine" : "constant"},
            {"beta1", plan.hyper.beta1},
            {"beta2", plan.hyper.beta2},
            {"eps", plan.hyper.eps},
            {"ema_decay", plan.hyper.decay},
            {"l2", plan.l2},
            {"dtype", chosen.dtype},
            {"accumulate", chosen.run.accumulate}};
}

} // namespace

void print_setup(std::FILE* out, const train_options& chosen, const train_setup& setup) {
    if (out == nullptr) {
        return;
    }
    const std::size_t rows = setup.training_rows + setup.test_rows;
    fmt::print(out, "data    {}: {} rows", printable_path(chosen.path), rows);
    if (setup.test_rows != 0) {
        fmt::print(out, ", {} of them kept back to test", setup.test_rows);
    }
    fmt::print(out, ", target {}, {} features{}{}\n", printable(chosen.design.target), setup.columns,
               chosen.design.standardize ? ", standardized" : "", chosen.design.bias ? ", and a bias" : "");
    fmt::print(out, "parse   {:.2f} s, {}\n", setup.parse_seconds, millions(per_second(rows, setup.parse_seconds)));
    fmt::print(out, "step    {} workers x {} micro-batches x {} examples; {} steps an epoch", chosen.plan.workers,
               chosen.plan.micro_batches, chosen.plan.examples, setup.steps_per_epoch);
    if (const std::size_t leftover = setup.training_rows % setup.rows_per_step; leftover != 0) {
        fmt::print(out, ", the last of {} rows", leftover);
    }
    fmt::print(out, "\nrun     {}, accumulate {}, arch {}, threads: at most {}\n", chosen.dtype, chosen.run.accumulate,
               arch_name(setup.active), setup.threads);
    if (!chosen.resume.empty()) {
        fmt::print(out, "resume  {}: {}\n", printable_path(chosen.resume), position_text(setup.first_step, setup));
    }
    std::fflush(out);
}

void print_outcome(std::FILE* out, const train_options& chosen, const train_setup& setup,
                   const train_outcome& outcome) {
    if (out == nullptr) {
        return;
    }
    const loop_result& loop = outcome.loop;
    fmt::print(out, "train   {} steps in {:.2f} s, {}\n", loop.steps, loop.seconds,
               millions(per_second(loop.rows, loop.seconds)));
    print_fits(out, setup, outcome);
    if (outcome.start_share > 0.01) {
        fmt::print(
            out,
            "note: after {} steps the ema weights still hold {:.0f} % of their start at zero; more --epochs or a "
            "smaller --ema-decay help\n",
            outcome.t, 100 * outcome.start_share);
    }
    if (loop.stopped_by != 0) {
        fmt::print(out, "stopped by {} {}; the same command with --resume {} goes on\n", signal_name(loop.stopped_by),
                   position_text(outcome.t, setup), printable_path(chosen.save));
    }
    if (!chosen.save.empty()) {
        fmt::print(out, "saved   {}\n", printable_path(chosen.save));
    }
    if (!chosen.plot.empty() && outcome.picture_left_out.empty()) {
        fmt::print(out, "plot    {}\n", printable_path(chosen.plot));
    }
}

nlohmann::ordered_json json_of(const train_options& chosen, const train_setup& setup, const train_outcome& outcome) {
    const loop_result& loop = outcome.loop;
    nlohmann::ordered_json report;
    report["version"] = version();
    report["numerics_version"] = numerics_version();
    report["data"] = {{"path", chosen.path},
                      {"target", chosen.design.target},
                      {"features", setup.columns},
                      {"training_rows", setup.training_rows},
                      {"test_rows", setup.test_rows}};
    report["options"] = json_of_options(chosen);
    report["arch"] = arch_name(setup.active);
    report["threads"] = setup.threads;
    report["parse"] = {{"seconds", setup.parse_seconds},
                       {"rows_per_second", per_second(setup.training_rows + setup.test_rows, setup.parse_seconds)}};
    report["train"] = {{"steps", loop.steps},
                       {"rows", loop.rows},
                       {"seconds", loop.seconds},
                       {"rows_per_second", per_second(loop.rows, loop.seconds)}};
    report["t"] = outcome.t;
    report["epoch"] = outcome.t / setup.steps_per_epoch;
    report["step_in_epoch"] = outcome.t % setup.steps_per_epoch;
    report["stopped_by"] =
        loop.stopped_by == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(signal_name(loop.stopped_by));
    for (const fit_report& fit : outcome.fits) {
        nlohmann::ordered_json entry = {{"name", fit.name}, {"training", json_of(fit.training)}};
        entry["test"] = fit.test ? json_of(*fit.test) : nlohmann::ordered_json();
        report["fits"].push_back(entry);
    }
    report["ema_start_share"] = outcome.start_share;
    report["picture_left_out"] = outcome.picture_left_out;
    report["digest"] = outcome.digest;
    return report;
}

} // namespace bitstep::program
