// SPDX-License-Identifier: Apache-2.0
// The rivals of the gradient, each in every form that may be its best; table.cpp races them. Apart from problem.cpp, so that
// the speed line of tools/demo is built without Eigen.
#include "machine.hpp"
#include "problem.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace bitstep_bench {
namespace {

/// Below this many bytes of X a team may cost more than it brings: rivals are also tried on one thread.
constexpr std::size_t small = std::size_t{2} << 20;

} // namespace

template <class T>
std::vector<block_plan> problem<T>::block_plans(std::size_t micro_batch) const {
    const auto team = static_cast<std::size_t>(threads_);
    const std::size_t fitting = std::max<std::size_t>(4, caches().l2 / 2 / (features_ * sizeof(T)));
    const std::size_t part = (rows_ + team - 1) / team;
    std::set<std::size_t> blocks{std::min(fitting, part), std::min<std::size_t>({fitting, 256, part})};
    std::vector<block_plan> plans;
    if (threads_ > 1) {
        blocks.insert(part);
        if (x_bytes() <= small) {
            plans.push_back({std::min(fitting, rows_), 1, 1});
        }
    }
    if (micro_batch != 0) {
        blocks.insert(micro_batch);
        plans.push_back({micro_batch, 1, threads_});
    }
    for (const std::size_t block : blocks) {
        plans.push_back({block, threads_, 1});
    }
    return plans;
}

template <class T>
std::vector<contender> problem<T>::blocked_gemv(const blas& library, std::size_t micro_batch) const {
    std::vector<contender> ways;
    for (const block_plan& plan : block_plans(micro_batch)) {
        ways.push_back(by_gemv("blocked_gemv", library, plan));
    }
    return ways;
}

template <class T>
std::vector<contender> problem<T>::eigen(std::size_t micro_batch) const {
    std::vector<contender> ways;
    for (const eigen_functions<T>& functions : eigen_rivals<T>()) {
        for (const block_plan& plan : block_plans(micro_batch)) {
            ways.push_back(by_blocks("eigen", functions.pair, plan, nullptr));
        }
        if (threads_ == 1) {
            ways.push_back(by_blocks("eigen", functions.pair, {rows_, 1, 1}, nullptr));
        }
    }
    return ways;
}

template <class T>
std::vector<contender> problem<T>::naive() const {
    std::vector<contender> ways;
    const auto team = static_cast<std::size_t>(threads_);
    for (const naive_functions<T>& functions : naive_rivals<T>()) {
        ways.push_back(by_blocks("naive", functions.pair, {(rows_ + team - 1) / team, threads_, 1}, nullptr));
        if (threads_ > 1 && x_bytes() <= small) {
            ways.push_back(by_blocks("naive", functions.pair, {rows_, 1, 1}, nullptr));
        }
    }
    return ways;
}

template <class T>
std::vector<rival> problem<T>::rivals(std::size_t micro_batch) const {
    std::vector<rival> all;
    for (const blas::vendor which : blas::all) {
        const blas* const library = blas::find(which);
        if (library == nullptr) {
            continue;
        }
        std::vector<contender> ways = blocked_gemv(*library, micro_batch);
        if (which == blas::vendor::openblas) {
            all.push_back({"x_two_gemv", {two_gemv(*library)}});
            all.push_back({"x_blocked", std::move(ways)});
        } else {
            ways.push_back(two_gemv(*library));
            all.push_back({"x_" + blas::name(which), std::move(ways)});
        }
    }
    if (std::vector<contender> ways = eigen(micro_batch); !ways.empty()) {
        all.push_back({"x_eigen", std::move(ways)});
    }
    all.push_back({"x_naive", naive()});
    return all;
}

template std::vector<rival> problem<float>::rivals(std::size_t) const;
template std::vector<rival> problem<double>::rivals(std::size_t) const;

} // namespace bitstep_bench
