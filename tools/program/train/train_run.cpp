// SPDX-License-Identifier: Apache-2.0
// `bitstep train` from file to digest: dataset -> trainer, or the state of an earlier run -> training_loop -> report.
#include "program/data/dataset.hpp"
#include "program/distinct_paths.hpp"
#include "program/run_choice.hpp"
#include "program/text.hpp"
#include "program/train/evaluator.hpp"
#include "program/train/flat_list.hpp"
#include "program/train/history.hpp"
#include "program/train/least_squares.hpp"
#include "program/train/plot.hpp"
#include "program/train/state_file.hpp"
#include "program/train/stop_signal.hpp"
#include "program/train/train_options.hpp"
#include "program/train/train_report.hpp"
#include "program/train/training_loop.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <optional>

namespace bitstep::program {
namespace {

// Where people look, or null.
std::FILE* talk(const train_options& chosen) {
    if (chosen.report.quiet) {
        return nullptr;
    }
    return chosen.report.json ? stderr : stdout;
}

// What can be refused without the numbers of the file is refused before it is read.
template <class T>
void check_before_reading(const train_options& chosen) {
    check_plan<T>(chosen.plan);
    chosen.plan.rows_per_step(1); // does the product overflow?
    if (!(chosen.test_fraction >= 0 && chosen.test_fraction < 1)) {
        throw input_error(fmt::format("--test-fraction must be in [0, 1), got {}", chosen.test_fraction));
    }
    require_distinct(
        {{"DATA.csv", chosen.path}, {"--save", chosen.save}, {"--history", chosen.history}, {"--plot", chosen.plot}});
    require_distinct({{"--resume", chosen.resume}, {"--history", chosen.history}, {"--plot", chosen.plot}});
    if (chosen.wants_state()) {
        list_as_json({chosen.design.target}); // a name that no state can hold is refused now
    }
    if (!chosen.plot.empty()) {
        check_plot_path(chosen.plot);
    }
    if (!chosen.save.empty()) {
        check_save_path(chosen.save);
    }
    if (!chosen.history.empty()) {
        history::check(chosen.history);
    }
}

template <class T>
void resume(const saved_state& earlier, const tensor_metadata& description, std::size_t epochs, trainer<T>& training) {
    earlier.require_equal(description, sizeof(T) == 8);
    training_state<T> state = earlier.read_state<T>();
    if (state.weights.size() != training.state().weights.size()) {
        throw input_error(fmt::format("{}: tensor weights has {} elements, the data have {} features",
                                      printable_path(earlier.path()), state.weights.size(),
                                      training.state().weights.size()));
    }
    if (state.t > 0 && (state.t - 1) / training.steps_per_epoch() >= epochs) {
        throw input_error(fmt::format("{}: is already in epoch {}; --epochs {} is less", printable_path(earlier.path()),
                                      (state.t - 1) / training.steps_per_epoch() + 1, epochs));
    }
    training.resume(std::move(state));
}

history history_of(const train_options& chosen, std::uint64_t step) {
    if (chosen.history.empty()) {
        return {};
    }
    return chosen.resume.empty() ? history::begin(chosen.history) : history::resume(chosen.history, step);
}

template <class T>
std::vector<fit_report> fits_of(const train_options& chosen, const dataset<T>& data, const training_state<T>& state,
                                evaluator<T>& training_rows, evaluator<T>& test_rows, bool exact_too) {
    std::vector<fit_report> fits;
    const auto add = [&](const char* name, const std::vector<T>& weights) {
        fits.push_back({name, training_rows.quality(weights), std::nullopt, ""});
        if (test_rows.has_rows()) {
            fits.back().test = test_rows.quality(weights);
        }
    };
    add("weights", state.weights);
    add("ema weights", state.ema_weights);
    if (exact_too) {
        const least_squares_fit exact = solve_least_squares(data.training, data.test, chosen.plan.l2, data.by.bias);
        const bool full_rank = exact.rank == data.training.features;
        fits.push_back({chosen.plan.l2 > 0 ? "exact ridge" : "exact least squares", exact.training, std::nullopt,
                        full_rank ? "" : fmt::format("rank {} of {}", exact.rank, data.training.features)});
        if (test_rows.has_rows()) {
            fits.back().test = exact.test;
        }
    }
    return fits;
}

plot_choice picture_of(const train_options& chosen) {
    const std::string file = std::filesystem::path(chosen.path).filename().string();
    return {chosen.plot, fmt::format("bitstep train {} --target {}", printable(file), printable(chosen.design.target))};
}

template <class T>
loop_result run_loop(const train_options& chosen, const tensor_metadata& description, trainer<T>& training,
                     evaluator<T>& training_rows, evaluator<T>& test_rows, history& rows) {
    std::FILE* const out = talk(chosen);
    progress shown(out, out != nullptr && isatty(fileno(out)) != 0, chosen.plan.epochs, training.steps_per_epoch(),
                   training_rows.rows(), training.state().t);
    loop_hooks hooks;
    hooks.save_every = chosen.save_every;
    hooks.history_every = chosen.history_every;
    if (!chosen.save.empty()) {
        hooks.save = [&] { save_state(chosen.save, training.state(), description, training.steps_per_epoch()); };
    }
    if (chosen.wants_history()) {
        hooks.rows = &rows;
    }
    if (!chosen.plot.empty()) {
        hooks.draw = [&] { draw_plot(picture_of(chosen), rows.rows()); };
    }
    return training_loop<T>(training, training_rows, test_rows, shown, std::move(hooks)).run();
}

template <class T>
train_setup setup_of(const dataset<T>& data, const trainer<T>& training, const options& opts) {
    train_setup setup;
    setup.training_rows = data.training.rows;
    setup.test_rows = data.test.rows;
    setup.columns = data.by.features.size();
    setup.steps_per_epoch = training.steps_per_epoch();
    setup.rows_per_step = training.rows_per_step();
    setup.parse_seconds = data.parse_seconds;
    setup.active = opts.arch;
    setup.threads = opts.threads;
    setup.first_step = training.state().t;
    return setup;
}

void report(const train_options& chosen, const train_setup& setup, const train_outcome& outcome) {
    print_outcome(talk(chosen), chosen, setup, outcome);
    if (!outcome.picture_left_out.empty()) {
        fmt::print(stderr, "bitstep: {} was left out: {}\n", printable_path(chosen.plot), outcome.picture_left_out);
    }
    if (chosen.report.json) {
        print_json(json_of(chosen, setup, outcome));
    } else {
        fmt::print("digest {}\n", outcome.digest);
    }
}

template <class T>
train_outcome finish(const train_options& chosen, const dataset<T>& data, const training_state<T>& state,
                     const loop_result& loop, evaluator<T>& training_rows, evaluator<T>& test_rows,
                     const history& rows) {
    train_outcome outcome;
    outcome.loop = loop;
    outcome.t = state.t;
    const bool exact_too = chosen.least_squares && loop.stopped_by == 0; // whoever stops it does not want to wait
    outcome.fits = fits_of(chosen, data, state, training_rows, test_rows, exact_too);
    outcome.start_share = std::pow(chosen.plan.hyper.decay, static_cast<double>(state.t));
    if (!chosen.plot.empty()) {
        outcome.picture_left_out = loop.steps == 0 && rows.rows().size() < 2
                                       ? "no step was made, and there is no --history of those before"
                                       : draw_plot(picture_of(chosen), rows.rows());
    }
    outcome.digest = state.digest().hex();
    return outcome;
}

template <class T>
exit_code train_as(const train_options& chosen) {
    const options opts = library_options(chosen.run);
    check_before_reading<T>(chosen);
    tensor_metadata description = describe_choices(chosen.design, chosen.test_fraction, chosen.plan, opts.accumulate);
    std::optional<saved_state> earlier;
    if (!chosen.resume.empty()) {
        earlier.emplace(chosen.resume);
        earlier->require_equal(description, sizeof(T) == 8); // the rest once the data are there
    }

    const dataset<T> data =
        load_dataset<T>(chosen.path, opts.threads, chosen.design, chosen.test_fraction, chosen.plan.seed);
    trainer<T> training(data.training, chosen.plan, data.by.bias, opts);
    if (chosen.wants_state()) {
        description.merge(describe_data(data.by, data.rows(), training.rows_per_step(), data.digest()));
    }
    if (earlier) {
        resume(*earlier, description, chosen.plan.epochs, training);
    }
    history rows = history_of(chosen, training.state().t);
    evaluator<T> training_rows(data.training, opts);
    evaluator<T> test_rows(data.test, opts);
    const train_setup setup = setup_of(data, training, opts);
    print_setup(talk(chosen), chosen, setup);

    const loop_result loop = run_loop(chosen, description, training, training_rows, test_rows, rows);
    report(chosen, setup, finish(chosen, data, training.state(), loop, training_rows, test_rows, rows));
    if (loop.stopped_by != 0) {
        end_by_signal(loop.stopped_by);
    }
    return exit_code::done;
}

} // namespace

exit_code run_train(const train_options& chosen) {
    return chosen.dtype == "f64" ? train_as<double>(chosen) : train_as<float>(chosen);
}

} // namespace bitstep::program
