// SPDX-License-Identifier: Apache-2.0
// `bitstep predict`: saved state -> csv_table -> design_matrix by the state's scaling -> predict() -> CSV.
#include "program/data/csv_table.hpp"
#include "program/data/design_matrix.hpp"
#include "program/distinct_paths.hpp"
#include "program/number_text.hpp"
#include "program/replacing_file.hpp"
#include "program/run_choice.hpp"
#include "program/text.hpp"
#include "program/train/evaluator.hpp"
#include "program/train/metrics.hpp"
#include "program/train/predict_options.hpp"
#include "program/train/state_file.hpp"

#include <bitstep/bitstep.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_set>

namespace bitstep::program {
namespace {

// Every feature must be there; what else is there is named. Returns whether the target is.
bool check_columns(const csv_table& table, const design& by, const predict_options& chosen) {
    constexpr std::size_t most = 10;
    const auto in_table = columns_by_name(table);
    const std::unordered_set<std::string_view> in_state(by.features.begin(), by.features.end());
    std::vector<std::string> missing;
    std::copy_if(by.features.begin(), by.features.end(), std::back_inserter(missing),
                 [&](const std::string& name) { return in_table.count(name) == 0; });
    if (!missing.empty()) {
        throw input_error(fmt::format("{}:{}: columns that {} needs are missing: {}", printable_path(table.path),
                                      table.header_line, printable_path(chosen.state), listed(missing, most)));
    }
    std::vector<std::string> unknown;
    std::copy_if(table.names.begin(), table.names.end(), std::back_inserter(unknown),
                 [&](const std::string& name) { return name != by.target && in_state.count(name) == 0; });
    if (!unknown.empty() && !chosen.report.quiet) {
        fmt::print(stderr, "bitstep: {}: columns left out, {} does not know them: {}\n", printable_path(table.path),
                   printable_path(chosen.state), listed(unknown, most));
    }
    return in_table.count(by.target) != 0;
}

// A header field as CSV: quoted where it must be.
std::string csv_field(const std::string& text) {
    const bool plain = text.find_first_of(",\"\r\n") == std::string::npos;
    if (plain && !text.empty() && text.front() != ' ' && text.back() != ' ') {
        return text;
    }
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    }
    return quoted + '"';
}

template <class T>
std::string csv_of(const std::string& target, const std::vector<T>& predictions) {
    std::string text = csv_field(target) + "\n";
    for (const T value : predictions) {
        text += number_text(value) + '\n';
    }
    return text;
}

void write(const predict_options& chosen, const std::string& text) {
    if (chosen.output.empty()) {
        std::fwrite(text.data(), 1, text.size(), stdout); // main() looks whether that worked
        return;
    }
    replacing_file file(chosen.output);
    file.write(text.data(), text.size());
    file.commit();
}

void report(const predict_options& chosen, std::size_t rows, const std::optional<fit_quality>& quality) {
    if (chosen.report.json) {
        nlohmann::ordered_json facts = {{"state", chosen.state},
                                        {"data", chosen.path},
                                        {"output", chosen.output},
                                        {"weights", chosen.ema ? "ema_weights" : "weights"},
                                        {"rows", rows}};
        facts["mse"] = quality ? nlohmann::ordered_json(quality->mse) : nlohmann::ordered_json();
        facts["r2"] = quality ? nlohmann::ordered_json(quality->r2) : nlohmann::ordered_json();
        print_json(facts);
    } else if (!chosen.report.quiet) {
        std::FILE* const out = chosen.output.empty() ? stderr : stdout;
        fmt::print(out, "{} rows predicted by {}", rows, chosen.ema ? "the averaged weights" : "the weights");
        if (quality) {
            fmt::print(out, ": MSE {}, R2 {}", mse_text(quality->mse), r2_text(quality->r2));
        }
        fmt::print(out, "\n");
    }
}

template <class T>
exit_code predict_as(const predict_options& chosen, const saved_state& saved, const options& opts) {
    const training_state<T> state = saved.read_state<T>();
    const std::vector<T>& weights = chosen.ema ? state.ema_weights : state.weights;
    const design by = saved.read_design();
    if (by.width() != weights.size()) {
        throw input_error(fmt::format("{}: {} features{}, but weights has {} elements", printable_path(chosen.state),
                                      by.features.size(), by.bias ? " and a bias" : "", weights.size()));
    }
    csv_reading how;
    how.threads = static_cast<std::size_t>(opts.threads);
    const csv_table table = read_csv_table(chosen.path, how);
    const bool has_target = check_columns(table, by, chosen);
    std::vector<std::size_t> rows(table.rows());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    const design_matrix<T> data =
        make_design_matrix<T>(table, by, rows, has_target ? with_target::yes : with_target::no);
    std::vector<T> predictions(data.rows);
    const matrix_view<const T> x{data.x.data(), data.rows, data.features, data.features};
    require_ok(predict<T>(x, {weights.data(), weights.size()}, {predictions.data(), predictions.size()}, opts));
    write(chosen, csv_of(by.target, predictions));
    std::optional<fit_quality> quality;
    if (has_target) {
        quality = evaluator<T>(data, opts).quality(weights);
    }
    report(chosen, data.rows, quality);
    return exit_code::done;
}

} // namespace

exit_code run_predict(const predict_options& chosen) {
    require_distinct({{"STATE", chosen.state}, {"--output", chosen.output}});
    require_distinct({{"DATA.csv", chosen.path}, {"--output", chosen.output}});
    const saved_state saved(chosen.state);
    options opts = library_options(chosen.run);
    opts.accumulate = saved.accumulate();
    return saved.is_f64() ? predict_as<double>(chosen, saved, opts) : predict_as<float>(chosen, saved, opts);
}

} // namespace bitstep::program
