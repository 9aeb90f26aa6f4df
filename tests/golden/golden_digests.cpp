// SPDX-License-Identifier: Apache-2.0
// One line per shape of shapes.txt, type and accumulate mode, with the digest of all that `bitstep verify` computes of it:
// status codes and numbers of every verb. numerics_1.txt holds what they must be.
//     golden_digests shapes.txt THREADS
#include "program/verify/verify_suite.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace {

using namespace bitstep::program;

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

template <class T>
void write_lines(const std::string& line, std::size_t index, bitstep::options opts) {
    const verify_data<T> data = make_verify_data<T>(shape_of(line), index);
    for (const auto mode : {bitstep::accumulate_mode::native, bitstep::accumulate_mode::wide}) {
        opts.accumulate = mode;
        digest sum;
        add_results(sum, run_operations(data, opts));
        fmt::print("{} f{} {} {}\n", line, 8 * sizeof(T), mode == bitstep::accumulate_mode::wide ? "wide" : "native",
                   sum.hex());
    }
}

void write_all(const char* shapes, int threads) {
    std::ifstream file(shapes);
    if (!file) throw std::runtime_error(fmt::format("{} cannot be read", shapes));
    bitstep::options opts;
    opts.threads = threads;
    opts.serial_below_bytes = 0; // so that small shapes really run threads
    std::size_t index = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        write_lines<float>(line, index, opts);
        write_lines<double>(line, index, opts);
        ++index;
    }
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        fmt::print(stderr, "usage: golden_digests shapes.txt THREADS\n");
        return 2;
    }
    try {
        write_all(argv[1], std::atoi(argv[2]));
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 2;
    }
}
