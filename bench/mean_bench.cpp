// SPDX-License-Identifier: Apache-2.0
// The mean of eight workers' gradients over whole lists of tensors, beside a hand-written running sum and the roof.
#include "support/buffer.hpp"
#include "support/problem.hpp"
#include "support/rivals.hpp"
#include "support/roof.hpp"
#include "support/table.hpp"
#include "support/threads.hpp"

#include <bitstep/allreduce_mean.hpp>

#include <set>
#include <string>

namespace {

using namespace bitstep_bench;

constexpr std::size_t workers = 8;

/// `count` tensors of `size` elements on every worker; worker i's tensors lie one after another, as in a flat model.
template <class T>
struct model {
    model(std::size_t count, std::size_t size, int threads)
        : elements(count * size), grads(filled<T>(workers * elements, 20, threads)), mean(elements),
          places(count * workers) {
        for (std::size_t tensor = 0; tensor < count; ++tensor) {
            for (std::size_t worker = 0; worker < workers; ++worker) {
                places[tensor * workers + worker] = grads.template as<T>() + worker * elements + tensor * size;
            }
            tensors.push_back({nullptr, places.data() + tensor * workers, mean.data() + tensor * size, size});
        }
    }
    std::size_t elements;
    buffer grads;
    std::vector<T> mean;
    std::vector<const T*> places;
    std::vector<bitstep::worker_tensor<T>> tensors;
};

/// A hand-written blocked sum (naive.cpp). Threads share the list, or the elements where there is only one tensor.
template <class T>
void running_sum(mean_function<T> mean, const std::vector<bitstep::worker_tensor<T>>& tensors, int threads) {
    if (tensors.size() == 1) {
        const auto& tensor = tensors[0];
        split(threads, schedule::equal_parts, tensor.size, 2048, tensor.size,
              [&](std::size_t begin, std::size_t end) { mean(tensor.worker_grads, workers, tensor.mean, begin, end); });
        return;
    }
    split(threads, schedule::equal_parts, tensors.size(), 1, tensors.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            mean(tensors[i].worker_grads, workers, tensors[i].mean, 0, tensors[i].size);
        }
    });
}

template <class T>
std::vector<contender> running_sums(const std::vector<bitstep::worker_tensor<T>>& tensors, int threads) {
    std::vector<contender> ways;
    for (const naive_functions<T>& functions : naive_rivals<T>()) {
        for (const int team : std::set<int>{1, threads}) {
            ways.push_back({"running_sum", [=, &tensors, mean = functions.mean] { running_sum(mean, tensors, team); }});
        }
    }
    return ways;
}

template <class T>
void run_case(benchmark::State& state, std::size_t count, std::size_t size, int threads) {
    model<T> all(count, size, threads);
    bitstep::run_report report;
    bitstep::options opts;
    opts.threads = threads;
    opts.report = &report;
    const contender mean{
        "mean", [&] { require(bitstep::allreduce_mean<T>(all.tensors.data(), count, workers, nullptr, opts)); }};
    const std::size_t read = workers * all.elements * sizeof(T);
    // The roof reads the gradients only; the mean also writes 1/8 as much.
    const double bytes = static_cast<double>(read + all.elements * sizeof(T));
    measure(state, mean, bytes,
            {{"of_roof", roof_contenders(all.grads.data(), read, threads)},
             {"x_running_sum", running_sums<T>(all.tensors, threads)}});
    state.counters["roof_GB/s"] =
        state.counters["GB/s"] / state.counters["of_roof"] * static_cast<double>(read) / bytes;
    state.counters["team"] = report.threads;
}

template <class T>
void add_cases(const char* type) {
    struct list {
        std::size_t count, size;
    };
    for (const list& of : {list{1, 16'000'000}, list{1000, 1000}, list{1000, 64}}) {
        for (const int threads : std::set<int>{1, usable_threads()}) {
            add_case(std::string("allreduce_mean<") + type + ">/tensors:" + std::to_string(of.count) +
                         "/elements:" + std::to_string(of.size) + "/threads:" + std::to_string(threads),
                     [=](benchmark::State& state) { run_case<T>(state, of.count, of.size, threads); });
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    add_cases<float>("float");
    add_cases<double>("double");
    return run_table(argc, argv);
}
