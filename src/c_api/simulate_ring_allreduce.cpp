// SPDX-License-Identifier: Apache-2.0
// bitstep_simulate_ring_allreduce_*.
#include "data.hpp"

namespace bitstep::c_api {
namespace {

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
