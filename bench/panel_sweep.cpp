// SPDX-License-Identifier: Apache-2.0
// One point of the panel sweep (bench/panel_sweep runs it for every candidate): speed and accuracy of the native gradient
// for the panel lengths that the linked library was built with. Truth: the same gradient with wide sums.
//     panel_sweep D MEGABYTES THREADS f32|f64
// prints: column_panel row_panel type d rows threads GB/s max_error rms_error, errors in ulp of the largest element.
#include <bitstep/bitstep.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

namespace {

/// SplitMix64 to a value in [-1, 1).
template <class T>
T uniform(std::uint64_t& state) {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return static_cast<T>(static_cast<double>(static_cast<std::int64_t>(z ^ (z >> 31)) >> 11) * 0x1p-52);
}

template <class T>
int sweep_point(std::size_t d, std::size_t megabytes, int threads, const char* type) {
    const std::size_t rows = megabytes * 1024 * 1024 / sizeof(T) / d;
    std::uint64_t state = d;
    std::vector<T> x(rows * d), y(rows), w(d), grad(d), truth(d);
    for (T& value : x) value = uniform<T>(state);
    for (T& value : y) value = uniform<T>(state);
    for (T& value : w) value = uniform<T>(state);
    const bitstep::shard_view<T> shard{x.data(), y.data(), rows, d};

    bitstep::options opts;
    opts.threads = threads;
    std::size_t bytes = 0;
    bitstep::gradient_workspace_bytes<T>(rows, d, opts, bytes);
    std::vector<char> scratch(bytes);
    double best = std::numeric_limits<double>::infinity();
    for (int sample = 0; sample < 5; ++sample) {
        const auto start = std::chrono::steady_clock::now();
        const auto done = bitstep::gradient<T>({&shard, 1, d}, {w.data(), d}, {grad.data(), d}, nullptr, opts,
                                               {scratch.data(), bytes});
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        if (!done.ok()) {
            std::fprintf(stderr, "panel_sweep: %s\n", done.message());
            return 1;
        }
        best = std::min(best, seconds.count());
    }
    opts.accumulate = bitstep::accumulate_mode::wide;
    bitstep::gradient<T>({&shard, 1, d}, {w.data(), d}, {truth.data(), d}, nullptr, opts);

    double largest = 0;
    double most = 0;
    double squares = 0;
    for (std::size_t j = 0; j < d; ++j) {
        const double error = std::fabs(static_cast<double>(grad[j]) - static_cast<double>(truth[j]));
        largest = std::max(largest, std::fabs(static_cast<double>(truth[j])));
        most = std::max(most, error);
        squares += error * error;
    }
    const double ulp = largest * static_cast<double>(std::numeric_limits<T>::epsilon());
    const auto panels = bitstep::numerics_panels();
    std::printf("%6zu %4zu %s %8zu %8zu %d %7.2f %8.3f %8.3f\n", panels.column_panel, panels.row_panel, type, d, rows,
                threads, static_cast<double>(rows * d * sizeof(T)) / best / 1e9, most / ulp,
                std::sqrt(squares / static_cast<double>(d)) / ulp);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        std::fprintf(stderr, "usage: panel_sweep D MEGABYTES THREADS f32|f64\n");
        return 2;
    }
    const auto number = [argv](int i) { return std::strtoull(argv[i], nullptr, 10); };
    const int threads = static_cast<int>(number(3));
    return std::strcmp(argv[4], "f32") == 0 ? sweep_point<float>(number(1), number(2), threads, "f32")
                                            : sweep_point<double>(number(1), number(2), threads, "f64");
}
