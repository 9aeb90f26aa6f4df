// SPDX-License-Identifier: Apache-2.0
#include "program/verify/verify_operations.hpp"

#include <utility>

namespace bitstep::program {
namespace {

// Runs one shape's operations and keeps what each gave.
template <class T>
class operation_runner {
public:
    operation_runner(const verify_data<T>& data, const options& opts)
        : data_(data), opts_(opts), rows_(data.shape.rows()), features_(data.shape.features) {
        opts_.report = &report_;
    }

    std::vector<operation_result<T>> run_all() {
        step();
        gradient_and_mse();
        predict_and_residual();
        means();
        adam_ema();
        ring("ring mean", ring_op::mean);
        ring("ring sum", ring_op::sum);
        return std::move(results_);
    }

private:
    static vector_view<const T> in(const std::vector<T>& values) { return {values.data(), values.size()}; }
    static vector_view<T> out(std::vector<T>& values) { return {values.data(), values.size()}; }

    void keep(const char* operation, const status& returned, std::vector<T> values) {
        if (!returned.ok()) {
            values.clear();
        }
        results_.push_back({operation, returned, std::move(values), report_, true});
        report_ = {};
    }

    row_sequence<T> sequence() const { return {data_.shards.data(), data_.shards.size(), features_}; }
    matrix_view<const T> matrix() const { return {data_.x.data(), rows_, features_, data_.row_stride}; }

    void step() {
        const state_view<const T> state{data_.weights.data(), data_.ema_weights.data(), data_.m.data(), data_.v.data(),
                                        features_};
        const verify_shape& shape = data_.shape;
        const worker_batches<T> dense{data_.x.data(),      data_.y.data(), shape.workers,
                                      shape.micro_batches, shape.examples, shape.features};
        std::vector<T> result(4 * features_);
        const status returned = shape.uneven ? distributed_step(sequence(), state, data_.hyper, out(result), opts_)
                                             : distributed_step(dense, state, data_.hyper, out(result), opts_);
        keep("distributed_step", returned, std::move(result));
    }

    void gradient_and_mse() {
        std::vector<T> grad(features_);
        std::vector<T> mse(1);
        const status returned = gradient(sequence(), in(data_.weights), out(grad), mse.data(), opts_);
        const run_report ran = report_;
        keep("gradient", returned, std::move(grad));
        report_ = ran;
        keep("mean squared error", returned, std::move(mse));
    }

    void predict_and_residual() {
        std::vector<T> result(rows_);
        const status predicted = predict(matrix(), in(data_.weights), out(result), opts_);
        keep("predict", predicted, result);
        const status subtracted = residual(matrix(), in(data_.y), in(data_.weights), out(result), opts_);
        keep("residual", subtracted, std::move(result));
    }

    // One vector as a list of three tensors, the middle one empty.
    status mean_of_list(const long long* counts, std::vector<T>& mean) {
        const std::size_t cut = features_ / 3;
        const std::size_t workers = data_.worker_vectors.size();
        std::vector<const T*> tails;
        for (const T* vector : data_.worker_vectors) {
            tails.push_back(vector + cut);
        }
        const worker_tensor<T> tensors[] = {
            {"head", data_.worker_vectors.data(), mean.data(), cut},
            {"empty", nullptr, nullptr, 0},
            {"tail", tails.data(), mean.data() + cut, features_ - cut},
        };
        return allreduce_mean(tensors, std::size(tensors), workers, counts, opts_);
    }

    void means() {
        std::vector<T> mean(features_);
        const status plain = mean_of_list(nullptr, mean);
        keep("allreduce_mean", plain, mean);
        const status weighted = mean_of_list(data_.counts.data(), mean);
        keep("allreduce_mean, weighted", weighted, std::move(mean));
    }

    // In place, on copies that stand one after another; the first row of X serves as the gradient.
    void adam_ema() {
        std::vector<T> all;
        for (const std::vector<T>* part : {&data_.weights, &data_.ema_weights, &data_.m, &data_.v}) {
            all.insert(all.end(), part->begin(), part->end());
        }
        T* const first = all.data();
        const state_view<T> state{first, first + features_, first + 2 * features_, first + 3 * features_, features_};
        const vector_view<const T> grad{data_.x.data(), features_};
        const status returned = adam_ema_update(grad, state, data_.hyper, opts_);
        keep("adam_ema_update", returned, std::move(all));
    }

    void ring(const char* operation, ring_op op) {
        const std::size_t workers = data_.worker_vectors.size();
        std::vector<T> all(workers * features_);
        std::vector<T*> finals;
        for (std::size_t i = 0; i < workers; ++i) {
            finals.push_back(all.data() + i * features_);
        }
        const status returned =
            simulate_ring_allreduce(data_.worker_vectors.data(), workers, features_, op, finals.data());
        keep(operation, returned, std::move(all));
        results_.back().reports = false;
    }

    const verify_data<T>& data_;
    options opts_;
    std::size_t rows_;
    std::size_t features_;
    run_report report_;
    std::vector<operation_result<T>> results_;
};

} // namespace

template <class T>
std::vector<operation_result<T>> run_operations(const verify_data<T>& data, const options& opts) {
    return operation_runner<T>(data, opts).run_all();
}

template std::vector<operation_result<float>> run_operations(const verify_data<float>&, const options&);
template std::vector<operation_result<double>> run_operations(const verify_data<double>&, const options&);

} // namespace bitstep::program
