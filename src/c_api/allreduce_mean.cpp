// SPDX-License-Identifier: Apache-2.0
// bitstep_allreduce_mean_* and its workspace query.
#include "data.hpp"

namespace bitstep::c_api {
namespace {

template <class T>
bitstep_status mean(const c_tensor<T>* tensors, std::size_t tensor_count, std::size_t workers, const long long* counts,
                    const bitstep_options* given, const bitstep_workspace* scratch) noexcept {
    using from = c_tensor<T>;
    using to = worker_tensor<T>;
    static_assert(offsetof(from, name) == offsetof(to, name) && offsetof(from, mean) == offsetof(to, mean));
    static_assert(offsetof(from, worker_grads) == offsetof(to, worker_grads));
    static_assert(offsetof(from, size) == offsetof(to, size));
    call c(given);
    if (!c.ok()) return c.refused();
    return c.done(bitstep::allreduce_mean<T>(as_twin<const to>(tensors), tensor_count, workers, counts, c.opts(),
                                             given_workspace(scratch)));
}

} // namespace
} // namespace bitstep::c_api

extern "C" {

bitstep_status bitstep_allreduce_mean_f32(const bitstep_worker_tensor_f32* tensors, size_t tensor_count, size_t workers,
                                          const long long* counts, const bitstep_options* options,
                                          const bitstep_workspace* workspace) {
    return bitstep::c_api::mean<float>(tensors, tensor_count, workers, counts, options, workspace);
}

bitstep_status bitstep_allreduce_mean_f64(const bitstep_worker_tensor_f64* tensors, size_t tensor_count, size_t workers,
                                          const long long* counts, const bitstep_options* options,
                                          const bitstep_workspace* workspace) {
    return bitstep::c_api::mean<double>(tensors, tensor_count, workers, counts, options, workspace);
}

bitstep_status bitstep_allreduce_mean_workspace_bytes_f32(size_t tensor_count, size_t workers, size_t* bytes) {
    return bitstep::c_api::workspace_query(nullptr, bytes, [=](const bitstep::options&) {
        return bitstep::allreduce_mean_workspace_bytes<float>(tensor_count, workers, *bytes);
    });
}

bitstep_status bitstep_allreduce_mean_workspace_bytes_f64(size_t tensor_count, size_t workers, size_t* bytes) {
    return bitstep::c_api::workspace_query(nullptr, bytes, [=](const bitstep::options&) {
        return bitstep::allreduce_mean_workspace_bytes<double>(tensor_count, workers, *bytes);
    });
}

} // extern "C"
