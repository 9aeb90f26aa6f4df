// SPDX-License-Identifier: Apache-2.0
#include "program/verify/verify_suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace bitstep::program {
namespace {

std::string shape_name(const verify_shape& shape, const char* type, const char* mode) {
    return fmt::format("{} {}, {}, d = {}", type, mode,
                       shape.uneven
                           ? fmt::format("{} rows in uneven shards", shape.rows())
                           : fmt::format("{} x {} x {} rows", shape.workers, shape.micro_batches, shape.examples),
                       shape.features);
}

void note_difference(verify_run& run, const std::string& where) {
    ++run.differences;
    if (run.first_difference.empty()) {
        run.first_difference = where;
    }
}

// Did the library run what it was asked for? Equal bits of the wrong kernels would prove nothing.
template <class T>
void check_what_ran(const operation_result<T>& got, verify_run& run, const std::string& where) {
    if (!got.reports || !got.returned.ok()) {
        return;
    }
    run.team = std::max(run.team, got.ran.threads);
    if (got.ran.ran != run.which || got.ran.threads == 0) {
        note_difference(run,
                        fmt::format("{}: ran on {} with {} threads", where, arch_name(got.ran.ran), got.ran.threads));
    }
}

template <class T>
void compare_one(const operation_result<T>& expected, const operation_result<T>& got, const std::string& where,
                 verify_run& run) {
    if (expected.returned.code() != got.returned.code() || expected.values.size() != got.values.size()) {
        note_difference(run, fmt::format(R"({}: returned code {} "{}", reference {} "{}")", where,
                                         static_cast<int>(got.returned.code()), got.returned.message(),
                                         static_cast<int>(expected.returned.code()), expected.returned.message()));
        return;
    }
    run.numbers += expected.values.size();
    for (std::size_t i = 0; i < expected.values.size(); ++i) {
        const auto want = canonical_bits(expected.values[i]);
        const auto have = canonical_bits(got.values[i]);
        if (want == have) {
            continue;
        }
        note_difference(run, fmt::format("{}, element {}: {:0{}x}, reference {:0{}x}", where, i, have, 2 * sizeof(T),
                                         want, 2 * sizeof(T)));
        return;
    }
}

// The comparison itself must be sound: only NaN and infinities may be refused, and only by what refuses them.
template <class T>
void check_comparison(const std::vector<operation_result<T>>& results, const verify_shape& shape,
                      const std::string& name) {
    for (const operation_result<T>& result : results) {
        const bool may_refuse =
            shape.values == value_kind::non_finite && result.returned.code() == status_code::non_finite;
        if (!result.returned.ok() && !may_refuse) {
            throw std::runtime_error(
                fmt::format("verify: {} on {}: {}", result.operation, name, result.returned.message()));
        }
    }
}

// The comparison's digest comes first in `sums`, then one for each run.
template <class T>
void verify_one(const verify_data<T>& data, accumulate_mode mode, const surroundings& around,
                std::vector<verify_run>& runs, std::vector<digest>& sums) {
    const std::string name =
        shape_name(data.shape, sizeof(T) == 4 ? "f32" : "f64", mode == accumulate_mode::wide ? "wide" : "native");
    options opts;
    opts.accumulate = mode;
    opts.serial_below_bytes = 0; // so that small shapes really run threads
    opts.arch = arch::reference;
    opts.threads = 1;
    const std::vector<operation_result<T>> expected = run_operations(data, opts);
    check_comparison(expected, data.shape, name);
    add_results(sums[0], expected);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        opts.arch = runs[i].which;
        opts.threads = runs[i].threads;
        std::vector<operation_result<T>> got;
        around([&] { got = run_operations(data, opts); });
        compare_results(expected, got, name, runs[i]);
        add_results(sums[i + 1], got);
    }
}

} // namespace

bool verify_outcome::compared_anything() const {
    return std::any_of(runs.begin(), runs.end(), [](const verify_run& run) { return run.numbers > 0; });
}

bool verify_outcome::equal() const {
    return !runs.empty() && std::all_of(runs.begin(), runs.end(),
                                        [](const verify_run& run) { return run.numbers > 0 && run.differences == 0; });
}

template <class T>
void add_results(digest& sum, const std::vector<operation_result<T>>& results) {
    for (const operation_result<T>& result : results) {
        sum.add_integer(static_cast<std::uint64_t>(result.returned.code()));
        sum.add(result.values);
    }
}

bool verify_outcome::as_frozen() const { return digest == frozen_digest; }

template <class T>
void compare_results(const std::vector<operation_result<T>>& expected, const std::vector<operation_result<T>>& got,
                     const std::string& shape, verify_run& run) {
    ++run.shapes;
    if (expected.size() != got.size()) {
        note_difference(run, fmt::format("{}: {} results, reference {}", shape, got.size(), expected.size()));
        return;
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const std::string where = fmt::format("{} on {}", expected[i].operation, shape);
        check_what_ran(got[i], run, where);
        compare_one(expected[i], got[i], where, run);
    }
}

verify_outcome run_verify(const std::vector<arch>& archs, const std::vector<int>& threads, const surroundings& around) {
    verify_outcome outcome;
    for (const arch which : archs) {
        for (const int count : threads) {
            verify_run run;
            run.which = which;
            run.threads = count;
            outcome.runs.push_back(run);
        }
    }
    std::vector<digest> sums(outcome.runs.size() + 1);
    const std::vector<verify_shape>& shapes = verify_shapes();
    for (std::size_t index = 0; index < shapes.size(); ++index) {
        const verify_data<float> floats = make_verify_data<float>(shapes[index], index);
        const verify_data<double> doubles = make_verify_data<double>(shapes[index], index);
        for (const accumulate_mode mode : {accumulate_mode::native, accumulate_mode::wide}) {
            verify_one(floats, mode, around, outcome.runs, sums);
            verify_one(doubles, mode, around, outcome.runs, sums);
        }
    }
    outcome.digest = sums[0].hex();
    for (std::size_t i = 0; i < outcome.runs.size(); ++i) {
        outcome.runs[i].digest = sums[i + 1].hex();
    }
    return outcome;
}

template void add_results(digest&, const std::vector<operation_result<float>>&);
template void add_results(digest&, const std::vector<operation_result<double>>&);
template void compare_results(const std::vector<operation_result<float>>&, const std::vector<operation_result<float>>&,
                              const std::string&, verify_run&);
template void compare_results(const std::vector<operation_result<double>>&,
                              const std::vector<operation_result<double>>&, const std::string&, verify_run&);

} // namespace bitstep::program
