// SPDX-License-Identifier: Apache-2.0
// What the promise of the same bits costs: bitstep's gradient beside its own kernel in free order (each thread sums its
// equal share of the rows in one go, the shares are added), and that one beside itself with fused multiply-add.
#include "support/free_order.hpp"
#include "support/machine.hpp"
#include "support/problem.hpp"
#include "support/roof.hpp"
#include "support/table.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace bitstep_bench {

#ifdef BITSTEP_X86_LOOPS
extern const free_order_set free_order_avx2;
extern const free_order_set free_order_avx512;

const free_order_set* free_order_kernels() {
    return runs_avx512() ? &free_order_avx512 : runs_avx2() ? &free_order_avx2 : nullptr;
}
const char* free_order_arch() { return runs_avx512() ? "avx512" : runs_avx2() ? "avx2" : "this CPU has no AVX2"; }
#else
extern const free_order_set free_order_neon64;

const free_order_set* free_order_kernels() { return &free_order_neon64; }
const char* free_order_arch() { return "neon64"; }
#endif

} // namespace bitstep_bench

namespace {

using namespace bitstep_bench;

/// The gradient by thread-sized partial sums in free order.
template <class T>
contender free_sum(const problem<T>& data, int threads, accumulate_function<T> accumulate) {
    const std::size_t d = data.features();
    const std::size_t stride = (d + 63) / 32 * 32;
    const auto partials = std::make_shared<buffer>(static_cast<std::size_t>(threads) * stride * sizeof(T));
    const auto grad = std::make_shared<std::vector<T>>(d);
    const bool far = data.x_bytes() > bitstep::internal::far_bytes; // as the library's own plan
    const contender made{"free_order", [=, &data] {
                             std::size_t delivered = 1;
                             run_team(threads, [&](std::size_t thread, std::size_t team) {
                                 if (thread == 0) {
                                     delivered = team;
                                 }
                                 const std::size_t first = data.rows() * thread / team;
                                 const std::size_t last = data.rows() * (thread + 1) / team;
                                 double squares = 0;
                                 accumulate({data.x() + first * d, d, data.y() + first, last - first, 0, far}, d,
                                            data.w(), true, partials->template as<T>() + thread * stride, squares);
                             });
                             const T* const sum = partials->template as<T>();
                             const T scale = T(2) / static_cast<T>(data.rows());
                             for (std::size_t j = 0; j < d; ++j) {
                                 T total = sum[j];
                                 for (std::size_t other = 1; other < delivered; ++other) {
                                     total += sum[other * stride + j];
                                 }
                                 (*grad)[j] = scale * total;
                             }
                         }};
    made.run();
    data.check("free_order", grad->data());
    return made;
}

template <class T>
std::vector<contender> free_sums(const problem<T>& data, int threads, accumulate_function<T> accumulate) {
    std::vector<contender> ways;
    for (const int team : std::set<int>{1, threads}) { // one thread where X is small enough to do without a team
        if (team == threads || data.x_bytes() <= std::size_t{2} << 20) {
            ways.push_back(free_sum(data, team, accumulate));
        }
    }
    return ways;
}

/// The two kernels on some rows: equal bits mean that nothing was fused, and a price of zero that nobody measured.
template <class T>
void require_different(const problem<T>& data, const free_order<T>& kernels) {
    const std::size_t d = data.features();
    const std::size_t padded = (d + 31) / 32 * 32;
    const buffer partials = filled<T>(2 * padded, 0, 1);
    T* const sums = partials.as<T>();
    double squares = 0;
    const bitstep::internal::row_run<T> run{data.x(), d, data.y(), std::min<std::size_t>(data.rows(), 16), 0, false};
    kernels.unfused(run, d, data.w(), true, sums, squares);
    kernels.fused(run, d, data.w(), true, sums + padded, squares);
    if (std::equal(sums, sums + d, sums + padded)) {
        throw std::runtime_error("the fused kernel gave the same bits as the unfused one");
    }
}

template <class T>
void run_case(benchmark::State& state, std::size_t rows, std::size_t features, int threads) {
    const free_order_set* const set = free_order_kernels();
    if (set == nullptr) {
        throw std::runtime_error(free_order_arch());
    }
    const free_order<T>* kernels = nullptr;
    if constexpr (std::is_same_v<T, float>) {
        kernels = &set->f32;
    } else {
        kernels = &set->f64;
    }
    const problem<T> data(rows, features, threads);
    require_different(data, *kernels);
    int team = 0;
    measure(state, data.fused({}, &team), data.bytes(),
            {data.roof(),
             {"x_free_order", free_sums(data, threads, kernels->unfused)},
             {"x_free_order_fma", free_sums(data, threads, kernels->fused)}},
            {31, 7, 4.0, 2e-3}); // a few percent are at stake: more rounds than elsewhere
    state.counters["team"] = team;
    const double free_order = state.counters["x_free_order"];
    state.counters["price_fixed_order"] = 1 / free_order;
    state.counters["price_no_fma"] = free_order / state.counters["x_free_order_fma"];
}

template <class T>
void add_cases(const char* where, std::size_t bytes) {
    const bool in_memory = bytes == memory_bytes();
    for (const int threads : std::set<int>{1, usable_threads()}) {
        for (const std::size_t d : std::vector<std::size_t>{64, 256, 1024, 4096, 16384}) {
            const bool wanted = full_set() || (threads == usable_threads() && (in_memory || d <= 4096)) || d == 1024;
            const std::size_t rows = bytes / (d * sizeof(T));
            if (wanted && rows >= 2) {
                add_case(std::string("price/gradient<") + (sizeof(T) == 4 ? "float" : "double") + ">/" + where +
                             "/d:" + std::to_string(d) + "/threads:" + std::to_string(threads),
                         [=](benchmark::State& state) { run_case<T>(state, rows, d, threads); });
            }
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    for (const auto& [where, bytes] : {std::pair{"L2", caches().l2 / 2}, std::pair{"memory", memory_bytes()}}) {
        add_cases<float>(where, bytes);
        add_cases<double>(where, bytes);
    }
    return run_table(argc, argv);
}
