// SPDX-License-Identifier: Apache-2.0
// The whole distributed step, functional form, from a shape that is all call overhead to X in memory. BLAS and the naive
// loops compute the gradient alone here, without the update: what they leave out favours them. Eigen does the whole step.
#include "support/machine.hpp"
#include "support/problem.hpp"
#include "support/table.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace bitstep_bench;

struct shape {
    std::size_t workers, micro_batches, examples, features;
    std::size_t rows() const { return workers * micro_batches * examples; }
};

template <class T>
class step {
public:
    step(const problem<T>& data, const shape& size)
        : data_(data), size_(size), state_(filled<T>(4 * size.features, 4, 1, T(0.01))), out_(4 * size.features),
          eigen_out_(4 * size.features), eigen_scratch_((size.features + size.rows()) * sizeof(T)) {
        opts_.threads = data.threads();
        T* const v = state_.template as<T>() + 3 * size.features;
        for (std::size_t i = 0; i < size.features; ++i) {
            v[i] *= v[i];
        } // v >= 0
        std::size_t bytes = 0;
        require(bitstep::distributed_step_workspace_bytes<T>(size.rows(), size.features, opts_, bytes));
        scratch_ = buffer(bytes);
    }

    void operator()() {
        const std::size_t d = size_.features;
        const T* const state = state_.template as<T>();
        const bitstep::worker_batches<T> batches{data_.x(),           data_.y(),      size_.workers,
                                                 size_.micro_batches, size_.examples, d};
        const bitstep::state_view<const T> before{state, state + d, state + 2 * d, state + 3 * d, d};
        bitstep::options opts = opts_;
        bitstep::run_report report;
        opts.report = &report;
        require(bitstep::distributed_step<T>(batches, before, bitstep::hyper_parameters{}, {out_.data(), out_.size()},
                                             opts, {scratch_.data(), scratch_.bytes()}));
        team_ = report.threads;
    }

    int team() const { return team_; }

    /// The whole step as one writes it with Eigen, on one thread: one gradient over all rows, then the update.
    std::vector<contender> eigen() {
        std::vector<contender> ways;
        for (const eigen_functions<T>& functions : eigen_rivals<T>()) {
            for (const auto update : {functions.update, functions.update_folded}) {
                ways.push_back({"eigen_step", [=, this] { run_eigen(functions.pair, update); }});
                (*this)();
                ways.back().run();
                check_eigen();
            }
        }
        return ways;
    }

private:
    /// Adam's step divides by roots of small numbers: an error of the gradient's last places grows, a wrong formula is
    /// far off.
    void check_eigen() const {
        for (std::size_t array = 0; array < 4; ++array) {
            T largest = 0, error = 0;
            for (std::size_t i = array * size_.features; i < (array + 1) * size_.features; ++i) {
                largest = std::max(largest, std::abs(out_[i]));
                error = std::max(error, std::abs(out_[i] - eigen_out_[i]));
            }
            if (!(error <= T(1e-3) * largest)) {
                throw std::runtime_error("Eigen computed another step");
            }
        }
    }

    void run_eigen(pair_function<T> pair, void (*update)(const update_block<T>&)) {
        const std::size_t d = size_.features;
        const std::size_t rows = size_.rows();
        T* const grad = eigen_scratch_.template as<T>();
        pair({data_.x(), data_.y(), rows, d, state_.template as<T>(), T(2) / static_cast<T>(rows), true, grad + d,
              grad});
        const T* const state = state_.template as<T>();
        const T* const in[4] = {state, state + d, state + 2 * d, state + 3 * d};
        T* const result = eigen_out_.data();
        T* const out[4] = {result, result + d, result + 2 * d, result + 3 * d};
        update({grad, in, out, 0, d, bitstep::hyper_parameters{}});
    }

    const problem<T>& data_;
    shape size_;
    bitstep::options opts_;
    buffer state_;
    buffer scratch_;
    std::vector<T> out_;
    std::vector<T> eigen_out_;
    buffer eigen_scratch_; ///< the gradient and the residuals
    int team_ = 0;
};

template <class T>
void run_case(benchmark::State& state, const shape& size, int threads) {
    const problem<T> data(size.rows(), size.features, threads);
    step<T> whole(data, size);
    std::vector<rival> rivals{data.roof()};
    for (rival& each : data.rivals(size.examples)) {
        if (each.column != "x_eigen") { // the whole step instead, or none: where Eigen's one thread is no rival
            rivals.push_back(std::move(each));
        }
    }
    const bool tiny = data.x_bytes() <= 4096 * sizeof(T);
    if (std::vector<contender> ways = whole.eigen(); !ways.empty() && (tiny || threads == 1)) {
        rivals.push_back({"x_eigen", std::move(ways)});
    }
    measure(state, {"step", [&] { whole(); }}, data.bytes(), rivals);
    state.counters["team"] = whole.team();
    smaller_of(state, "x_openblas", {"x_two_gemv", "x_blocked"});
}

template <class T>
void add_case_of(const shape& size, int threads) {
    std::string name = std::string("distributed_step<") + (sizeof(T) == 4 ? "float" : "double") + ">";
    for (const auto& [letter, extent] : {std::pair{"W", size.workers}, std::pair{"A", size.micro_batches},
                                         std::pair{"B", size.examples}, std::pair{"d", size.features}}) {
        name += std::string("/") + letter + ":" + std::to_string(extent);
    }
    add_case(name + "/threads:" + std::to_string(threads),
             [=](benchmark::State& state) { run_case<T>(state, size, threads); });
}

template <class T>
void add_sizes() {
    const std::size_t memory_rows = memory_bytes() / (1024 * sizeof(T));
    std::vector<shape> tiny{{1, 1, 1, 1}, {2, 2, 4, 16}, {4, 2, 8, 64}, {4, 2, 16, 32}, {4, 2, 128, 4}, {4, 2, 4, 128}};
    std::vector<shape> larger{{4, 2, 32, 1024}, {8, 4, memory_rows / 32 + 1, 1024}};
    if (sizeof(T) == sizeof(float)) { // the target's longest row: 512 floats, 128 doubles
        tiny.push_back({4, 2, 1, 512});
    }
    if (full_set()) {
        tiny.insert(tiny.end(), {{1, 1, 1, 13}, {2, 2, 2, 100}, {4, 2, 512, 1}, {1, 1, 32, 8}, {4, 2, 5, 100}});
        // The last two are the functional form of the update: one row, so that the gradient is next to nothing.
        larger.insert(larger.end(), {{4, 2, 32, 64},
                                     {8, 4, 128, 1024},
                                     {8, 4, memory_rows / 2 + 1, 64},
                                     {8, 4, memory_rows / 512 + 1, 16384},
                                     {1, 1, 1, 1'000'000},
                                     {1, 1, 1, 10'000'000}});
    }
    for (const int threads : std::set<int>{1, usable_threads()}) {
        for (const std::vector<shape>* const sizes : {&tiny, &larger}) {
            for (const shape& size : *sizes) {
                // Tiny calls are serial whatever is allowed: one row of the default set proves it.
                const bool both = full_set() || sizes == &larger || size.features == 64;
                if (threads == usable_threads() || both) {
                    add_case_of<T>(size, threads);
                }
            }
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    add_sizes<float>();
    add_sizes<double>();
    return run_table(argc, argv);
}
