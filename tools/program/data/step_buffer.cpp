// SPDX-License-Identifier: Apache-2.0
#include "program/data/step_buffer.hpp"

#include <algorithm>

namespace bitstep::program {

template <class T>
step_buffer<T>::step_buffer(std::size_t capacity, std::size_t features, std::size_t workers)
    : x_(capacity * features), y_(capacity), features_(features), workers_(workers) {
    shards_.reserve(std::min(workers, capacity));
}

template <class T>
row_sequence<T> step_buffer<T>::gather(const design_matrix<T>& data, const std::size_t* order, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        std::copy_n(data.x.data() + order[i] * features_, features_, x_.data() + i * features_);
        y_[i] = data.y[order[i]];
    }
    count_ = count;
    shards_.clear();
    std::size_t first = 0;
    for (std::size_t worker = 0; worker < workers_ && first < count; ++worker) {
        const std::size_t rows = count / workers_ + (worker < count % workers_ ? 1 : 0);
        shards_.push_back({x_.data() + first * features_, y_.data() + first, rows, features_});
        first += rows;
    }
    return {shards_.data(), shards_.size(), features_};
}

template class step_buffer<float>;
template class step_buffer<double>;

} // namespace bitstep::program
