// SPDX-License-Identifier: Apache-2.0
// Workers' gradients as test data: W vectors per tensor, placed at odd addresses, and a call of allreduce_mean over a
// whole list of tensors that returns the means.
#pragma once

#include "buffers.hpp"
#include "generator.hpp"
#include "problem.hpp"

#include <bitstep/bitstep.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace bitstep_test {

template <class T>
using worker_vectors = std::vector<std::vector<T>>;

template <class T>
worker_vectors<T> make_workers(std::uint64_t seed, std::size_t workers, std::size_t size, data_kind kind) {
    split_mix64 random(seed);
    worker_vectors<T> made;
    for (std::size_t i = 0; i < workers; ++i) {
        made.push_back(draw_many<T>(random, size, kind));
    }
    return made;
}

/// Copies of each worker's vector at different offsets, and the pointers that the calls take.
template <class T>
class placed_workers {
public:
    placed_workers(const worker_vectors<T>& from, std::size_t number) {
        for (std::size_t i = 0; i < from.size(); ++i) {
            buffers_.push_back(std::make_unique<misaligned_buffer<T>>(from[i], number + 3 * i));
            const_pointers_.push_back(buffers_.back()->data());
            pointers_.push_back(buffers_.back()->data());
        }
    }

    const T* const* pointers() const { return const_pointers_.data(); }
    T* const* mutable_pointers() { return pointers_.data(); }
    std::vector<T> values(std::size_t worker) const { return buffers_[worker]->values(); }
    bool marks_intact() const {
        for (const auto& each : buffers_) {
            if (!each->marks_intact()) {
                return false;
            }
        }
        return true;
    }

private:
    std::vector<std::unique_ptr<misaligned_buffer<T>>> buffers_;
    std::vector<const T*> const_pointers_;
    std::vector<T*> pointers_;
};

/// The means of a list of tensors, one after another in one vector.
template <class T>
std::vector<T> run_mean(const std::vector<worker_vectors<T>>& tensors, const std::vector<long long>& counts,
                        const bitstep::options& opts, std::size_t number = 0) {
    std::vector<std::unique_ptr<placed_workers<T>>> inputs;
    std::vector<std::unique_ptr<misaligned_buffer<T>>> outputs;
    std::vector<bitstep::worker_tensor<T>> list;
    for (const worker_vectors<T>& tensor : tensors) {
        inputs.push_back(std::make_unique<placed_workers<T>>(tensor, number));
        outputs.push_back(std::make_unique<misaligned_buffer<T>>(tensor[0].size(), 5 * number++ + 1));
        list.push_back({"a tensor", inputs.back()->pointers(), outputs.back()->data(), tensor[0].size()});
    }
    expect_ok(bitstep::allreduce_mean<T>(list.data(), list.size(), tensors[0].size(),
                                         counts.empty() ? nullptr : counts.data(), opts));
    std::vector<T> all;
    for (const auto& each : outputs) {
        EXPECT_TRUE(each->marks_intact()) << "allreduce_mean wrote outside an output";
        all.insert(all.end(), each->data(), each->data() + each->size());
    }
    return all;
}

} // namespace bitstep_test
