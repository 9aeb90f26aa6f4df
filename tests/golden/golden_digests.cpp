// SPDX-License-Identifier: Apache-2.0
// One line per shape of shapes.txt, type and accumulate mode, with the digest of all that `bitstep verify` computes of
// it: status codes and numbers of every verb. numerics_1.txt holds what they must be.
//     golden_digests shapes.txt THREADS ARCH
// ARCH: `reference`, ..., or `best`: the arch that the library chooses by itself, which must be this machine's best.
// Ends with exit code 2 where other kernels ran, or never so many threads.
#include "program/verify/verify_suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace {

using namespace bitstep::program;

#if defined(BITSTEP_TESTS_WITH_OPENMP)
constexpr bool library_has_threads = true;
#else
constexpr bool library_has_threads = false;
#endif

value_kind kind_named(const std::string& name) {
    const std::pair<const char*, value_kind> kinds[] = {{"plain", value_kind::plain},
                                                        {"spread", value_kind::spread},
                                                        {"subnormal", value_kind::subnormal},
                                                        {"large", value_kind::large},
                                                        {"non_finite", value_kind::non_finite}};
    for (const auto& [word, kind] : kinds) {
        if (name == word) return kind;
    }
    throw std::runtime_error(fmt::format("{} is no kind of values", name));
}

verify_shape shape_of(const std::string& line) {
    std::istringstream words(line);
    verify_shape shape;
    std::string kind;
    std::string shards;
    words >> shape.workers >> shape.micro_batches >> shape.examples >> shape.features >> kind >> shards;
    if (!words || (shards != "even" && shards != "uneven"))
        throw std::runtime_error(fmt::format("{}: not W A B d kind shards", line));
    shape.values = kind_named(kind);
    shape.uneven = shards == "uneven";
    return shape;
}

bitstep::arch best_arch() {
    bitstep::arch best = bitstep::arch::reference;
    for (const bitstep::arch which : every_arch) {
        if (bitstep::arch_runnable(which)) best = which;
    }
    return best;
}

/// What the digests are to prove of, and what ran.
struct asked_for {
    bitstep::arch which;
    bitstep::options opts;
    int largest_team = 0;
};

asked_for ask(const std::string& arch, int threads) {
    asked_for ask;
    ask.which = best_arch();
    if (arch != "best") {
        if (const bitstep::status known = bitstep::arch_from_name(arch.c_str(), ask.which); !known.ok()) {
            throw std::runtime_error(known.message());
        }
        ask.opts.arch = ask.which;
    }
    ask.opts.threads = threads;
    ask.opts.serial_below_bytes = 0; // so that small shapes really run threads
    return ask;
}

/// The right bits of other kernels prove nothing.
template <class T>
void note_what_ran(const std::vector<operation_result<T>>& results, const std::string& line, asked_for& asked) {
    for (const operation_result<T>& result : results) {
        if (!result.reports || !result.returned.ok()) continue;
        if (result.ran.ran != asked.which) {
            throw std::runtime_error(fmt::format("{}, {}: ran on {}, not on {}", result.operation, line,
                                                 bitstep::arch_name(result.ran.ran), bitstep::arch_name(asked.which)));
        }
        asked.largest_team = std::max(asked.largest_team, result.ran.threads);
    }
}

void check_team(const asked_for& asked) {
    const bool serial = asked.which == bitstep::arch::reference || !library_has_threads;
    const int wanted = serial ? 1 : asked.opts.threads;
    if (asked.largest_team != wanted) {
        throw std::runtime_error(
            fmt::format("no operation ran {} threads; the largest team was {}", wanted, asked.largest_team));
    }
}

template <class T>
void write_lines(const std::string& line, std::size_t index, asked_for& asked) {
    bitstep::options opts = asked.opts;
    const verify_data<T> data = make_verify_data<T>(shape_of(line), index);
    for (const auto mode : {bitstep::accumulate_mode::native, bitstep::accumulate_mode::wide}) {
        opts.accumulate = mode;
        digest sum;
        const std::vector<operation_result<T>> results = run_operations(data, opts);
        note_what_ran(results, line, asked);
        add_results(sum, results);
        fmt::print("{} f{} {} {}\n", line, 8 * sizeof(T), mode == bitstep::accumulate_mode::wide ? "wide" : "native",
                   sum.hex());
    }
}

void write_all(const char* shapes, asked_for asked) {
    std::ifstream file(shapes);
    if (!file) throw std::runtime_error(fmt::format("{} cannot be read", shapes));
    std::size_t index = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        write_lines<float>(line, index, asked);
        write_lines<double>(line, index, asked);
        ++index;
    }
    check_team(asked);
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        fmt::print(stderr, "usage: golden_digests shapes.txt THREADS ARCH\n");
        return 2;
    }
    try {
        write_all(argv[1], ask(argv[3], std::atoi(argv[2])));
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 2;
    }
}
