// SPDX-License-Identifier: Apache-2.0
// bitstep_allreduce_mean_* with its workspace query, and bitstep_simulate_ring_allreduce_*.
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

template <class T>
bitstep_status workspace_bytes(std::size_t tensor_count, std::size_t workers, std::size_t* bytes) noexcept {
    call c(nullptr);
    if (!c.needs("bytes", bytes).ok()) return c.refused();
    return c.done(bitstep::allreduce_mean_workspace_bytes<T>(tensor_count, workers, *bytes));
}

template <class T>
bitstep_status ring(const T* const* worker_vectors, std::size_t workers, std::size_t size, int op, T* const* finals,
                    bitstep_ring_event* trace) noexcept {
    using from = bitstep_ring_event;
    using to = ring_event;
    static_assert(offsetof(from, phase) == offsetof(to, phase) && sizeof(from::phase) == sizeof(to::phase));
    static_assert(offsetof(from, round) == offsetof(to, round) && offsetof(from, sender) == offsetof(to, sender));
    static_assert(offsetof(from, receiver) == offsetof(to, receiver) && offsetof(from, chunk) == offsetof(to, chunk));
    const status result = bitstep::simulate_ring_allreduce<T>(worker_vectors, workers, size, static_cast<ring_op>(op),
                                                              finals, as_twin<to>(trace));
    static_cast<void>(as_twin<to>(trace)); // and back: the caller reads what was written as ring_event
    return finish(result);
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
    return bitstep::c_api::workspace_bytes<float>(tensor_count, workers, bytes);
}

bitstep_status bitstep_allreduce_mean_workspace_bytes_f64(size_t tensor_count, size_t workers, size_t* bytes) {
    return bitstep::c_api::workspace_bytes<double>(tensor_count, workers, bytes);
}

size_t bitstep_ring_event_count(size_t workers) { return bitstep::ring_event_count(workers); }

bitstep_status bitstep_simulate_ring_allreduce_f32(const float* const* worker_vectors, size_t workers, size_t size,
                                                   int op, float* const* finals, bitstep_ring_event* trace) {
    return bitstep::c_api::ring<float>(worker_vectors, workers, size, op, finals, trace);
}

bitstep_status bitstep_simulate_ring_allreduce_f64(const double* const* worker_vectors, size_t workers, size_t size,
                                                   int op, double* const* finals, bitstep_ring_event* trace) {
    return bitstep::c_api::ring<double>(worker_vectors, workers, size, op, finals, trace);
}

} // extern "C"
