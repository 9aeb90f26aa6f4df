// SPDX-License-Identifier: Apache-2.0
// Adam and EMA in place, from a thousand parameters to fifty million, beside a plain loop with the same traffic (five
// arrays read, four written) and Eigen's array expressions; and what subnormal moments cost, beside normal ones and zeros.
// The functional form exists within distributed_step alone: step_bench.cpp has it, as steps of one row.
#include "support/buffer.hpp"
#include "support/problem.hpp"
#include "support/rivals.hpp"
#include "support/roof.hpp"
#include "support/table.hpp"
#include "support/threads.hpp"

#include <bitstep/adam_ema_update.hpp>

#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace bitstep_bench;

/// Parts over threads, and one thread alone where a team may cost more than it brings.
template <class T>
std::vector<contender> eigen_ways(const T* grad, T* const* parts, std::size_t size, int threads, bool folded) {
    std::vector<contender> ways;
    for (const eigen_functions<T>& functions : eigen_rivals<T>()) {
        const auto update = folded ? functions.update_folded : functions.update;
        const auto part = [=](std::size_t begin, std::size_t end) {
            update({grad, parts, parts, begin, end, bitstep::hyper_parameters{}});
        };
        ways.push_back({"eigen", [=] { split(threads, schedule::equal_parts, size, 1024, size, part); }});
        if (threads > 1 && size < 1'000'000) {
            ways.push_back({"eigen", [=] { part(0, size); }});
        }
    }
    return ways;
}

template <class T>
void run_case(benchmark::State& state, std::size_t size, int threads, bool check) {
    std::vector<buffer> arrays;
    for (std::uint64_t seed = 5; seed < 10; ++seed) {
        arrays.push_back(filled<T>(size, seed, threads, T(0.01)));
    }
    T* const grad = arrays[0].as<T>();
    T* const parts[4] = {arrays[1].as<T>(), arrays[2].as<T>(), arrays[3].as<T>(), arrays[4].as<T>()};
    const bitstep::state_view<T> view{parts[0], parts[1], parts[2], parts[3], size};
    // g > 0 and v >= 0 stay so under the update and under the stream, which both run on these arrays many times:
    // no NaN, no denormal numbers.
    split(threads, schedule::equal_parts, size, 1024, size, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            grad[i] = std::abs(grad[i]) + T(1e-4);
            view.v[i] = std::abs(view.v[i]);
        }
    });

    int team = 0;
    const auto with = [&](bitstep::check_mode mode) {
        return [=, &team] {
            bitstep::run_report report;
            bitstep::options opts;
            opts.threads = threads;
            opts.check_state = mode;
            opts.report = &report;
            require(bitstep::adam_ema_update<T>({grad, size}, view, bitstep::hyper_parameters{}, opts));
            team = report.threads;
        };
    };
    const contender update{"adam_ema", with(check ? bitstep::check_mode::on : bitstep::check_mode::off)};
    std::vector<rival> rivals{{"of_stream", stream_contenders<T>(grad, parts, size, threads), "stream_GB/s"}};
    if (check) {
        rivals.push_back({"of_unchecked", {{"unchecked", with(bitstep::check_mode::off)}}});
    } else if (!eigen_rivals<T>().empty()) {
        rivals.push_back({"x_eigen", eigen_ways<T>(grad, parts, size, threads, false)});
        rivals.push_back({"x_eigen_folded", eigen_ways<T>(grad, parts, size, threads, true)});
    }
    measure(state, update, static_cast<double>(9 * size * sizeof(T)), rivals);
    state.counters["team"] = team;
}

/// Gradient and state that an update leaves as they are in kind: grad = 0 and moments of a few units of the smallest number,
/// which beta * m rounds to again (0.9 * 4 units to 4, 0.999 * 400 to 400), so that they stay; or all zeros; or normal.
enum class moments { normal, subnormal, zero };

template <class T>
class decayed_state {
public:
    decayed_state(std::size_t size, int threads, moments kind) : size_(size), threads_(threads) {
        for (std::uint64_t seed = 5; seed < 10; ++seed) {
            arrays_.push_back(filled<T>(size, seed, threads, T(0.01)));
        }
        const T unit = std::numeric_limits<T>::denorm_min();
        split(threads, schedule::equal_parts, size, 1024, size, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const T sign = at(3)[i] < 0 ? T(-1) : T(1);
                at(0)[i] = kind == moments::normal ? std::abs(at(0)[i]) + T(1e-4) : T(0);
                if (kind != moments::normal) {
                    at(3)[i] = kind == moments::zero ? T(0) : 4 * sign * unit;
                    at(4)[i] = kind == moments::zero ? T(0) : 400 * unit;
                } else {
                    at(4)[i] = std::abs(at(4)[i]);
                }
            }
        });
    }

    void update() const {
        bitstep::options opts;
        opts.threads = threads_;
        require(bitstep::adam_ema_update<T>({at(0), size_}, {at(1), at(2), at(3), at(4), size_}, {}, opts));
    }

    /// The first moments are of this kind still.
    bool still(moments kind) const {
        const bool found =
            std::fpclassify(at(3)[size_ / 2]) == FP_SUBNORMAL && std::fpclassify(at(4)[0]) == FP_SUBNORMAL;
        return found == (kind == moments::subnormal);
    }

private:
    T* at(std::size_t i) const { return arrays_[i].template as<T>(); }

    std::size_t size_;
    int threads_;
    std::vector<buffer> arrays_;
};

template <class T>
void run_subnormal_case(benchmark::State& state, std::size_t size, int threads) {
    const decayed_state<T> subnormal(size, threads, moments::subnormal);
    const decayed_state<T> normal(size, threads, moments::normal);
    const decayed_state<T> zero(size, threads, moments::zero);
    measure(state, {"subnormal", [&] { subnormal.update(); }}, static_cast<double>(9 * size * sizeof(T)),
            {{"of_normal", {{"normal", [&] { normal.update(); }}}}, {"of_zero", {{"zero", [&] { zero.update(); }}}}});
    if (!subnormal.still(moments::subnormal) || !normal.still(moments::normal)) {
        throw std::runtime_error("the moments did not stay subnormal, or normal");
    }
}

template <class T>
void add_subnormal_cases() {
    for (const int threads : std::set<int>{1, usable_threads()}) {
        for (const std::size_t size : {std::size_t{10'000}, std::size_t{10'000'000}}) {
            if (full_set() || usable_threads() == 1 || (threads == 1) == (size == 10'000)) {
                add_case(std::string("subnormal_moments<") + (sizeof(T) == 4 ? "float" : "double") +
                             ">/n:" + std::to_string(size) + "/threads:" + std::to_string(threads),
                         [=](benchmark::State& state) { run_subnormal_case<T>(state, size, threads); });
            }
        }
    }
}

template <class T>
void add_cases() {
    const std::vector<std::size_t> sizes{1'000, 10'000, 100'000, 1'000'000, 10'000'000, 50'000'000};
    for (const bool check : {false, true}) {
        for (const int threads : std::set<int>{1, usable_threads()}) {
            for (const std::size_t size : sizes) {
                const bool wanted = full_set() || (check ? threads > 1 && (size == 1'000 || size == 10'000'000)
                                                         : threads > 1 || size == 1'000 || size == 10'000);
                if (wanted || usable_threads() == 1) {
                    add_case(std::string("adam_ema_update<") + (sizeof(T) == 4 ? "float" : "double") + ">/in_place/" +
                                 (check ? "check_on" : "check_off") + "/n:" + std::to_string(size) +
                                 "/threads:" + std::to_string(threads),
                             [=](benchmark::State& state) { run_case<T>(state, size, threads, check); });
                }
            }
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    add_cases<float>();
    add_cases<double>();
    add_subnormal_cases<float>();
    add_subnormal_cases<double>();
    return run_table(argc, argv);
}
