// SPDX-License-Identifier: Apache-2.0
// The whole distributed step, functional form, from a shape that is all call overhead to X in memory. OpenBLAS computes
// the gradient alone here, without the update: what it leaves out favours it.
#include "support/machine.hpp"
#include "support/problem.hpp"
#include "support/table.hpp"
#include "support/threads.hpp"

#include <set>
#include <string>

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
        : data_(data), size_(size), state_(filled<T>(4 * size.features, 4, 1, T(0.01))), out_(4 * size.features) {
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
        require(bitstep::distributed_step<T>(batches, before, bitstep::hyper_parameters{}, {out_.data(), out_.size()},
                                             opts_, {scratch_.data(), scratch_.bytes()}));
    }

private:
    const problem<T>& data_;
    shape size_;
    bitstep::options opts_;
    buffer state_;
    buffer scratch_;
    std::vector<T> out_;
};

template <class T>
void run_case(benchmark::State& state, const shape& size, int threads) {
    const problem<T> data(size.rows(), size.features, threads);
    step<T> whole(data, size);
    std::vector<rival> rivals{data.roof()};
    for (rival& each : data.rivals(size.examples)) {
        rivals.push_back(std::move(each));
    }
    measure(state, {"step", [&] { whole(); }}, data.bytes(), rivals);
    smaller_of(state, "x_openblas", {"x_two_gemv", "x_blocked"});
}

template <class T>
void add_cases(const char* type, const shape& size) {
    for (const int threads : std::set<int>{1, usable_threads()}) {
        std::string name = std::string("distributed_step<") + type + ">";
        for (const auto& [letter, extent] : {std::pair{"W", size.workers}, std::pair{"A", size.micro_batches},
                                             std::pair{"B", size.examples}, std::pair{"d", size.features}}) {
            name += std::string("/") + letter + ":" + std::to_string(extent);
        }
        add_case(name + "/threads:" + std::to_string(threads),
                 [=](benchmark::State& state) { run_case<T>(state, size, threads); });
    }
}

template <class T>
void add_sizes(const char* type) {
    const std::size_t memory_rows = memory_bytes() / (1024 * sizeof(T));
    for (const shape& size :
         {shape{1, 1, 1, 1}, shape{2, 2, 4, 16}, shape{4, 2, 8, 64}, shape{4, 2, 1, 512}, shape{4, 2, 32, 64},
          shape{4, 2, 32, 1024}, shape{8, 4, 128, 1024}, shape{8, 4, memory_rows / 32 + 1, 1024}}) {
        add_cases<T>(type, size);
    }
}

} // namespace

int main(int argc, char** argv) {
    add_sizes<float>("float");
    add_sizes<double>("double");
    return run_table(argc, argv);
}
