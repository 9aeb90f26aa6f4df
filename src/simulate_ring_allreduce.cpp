// SPDX-License-Identifier: Apache-2.0
// Beside the stages of a step: the ring, round by round, in the callers' final buffers. In one round worker i sends
// chunk c and changes chunk c - 1, so every send reads what stood there before the round, in whatever order the workers
// are visited.
#include <bitstep/simulate_ring_allreduce.hpp>

#include "fp_environment.hpp"
#include "message.hpp"
#include "validate.hpp"

#include <cstdint>

namespace bitstep {
namespace internal {
namespace {

/// Elements [begin, end) of chunk c: the first size mod workers chunks are one longer.
struct chunk_range {
    std::size_t begin;
    std::size_t end;
};
chunk_range chunk(std::size_t c, std::size_t size, std::size_t workers) noexcept {
    const std::size_t base = size / workers;
    const std::size_t longer = size % workers;
    const std::size_t begin = c * base + (c < longer ? c : longer);
    return {begin, begin + base + (c < longer ? 1 : 0)};
}

/// "finals[3]"
class indexed_name {
public:
    indexed_name(const char* array, std::size_t i) noexcept
        : text_(message() << array << "[" << i << "]" << status_code::ok) {}
    operator const char*() const noexcept { return text_.message(); }

private:
    status text_;
};

/// finals[i] against every vector of index k; names are made only for a message.
template <class T>
void overlap_rules(checks& c, const T* const* inputs, T* const* finals, std::size_t i, std::size_t k,
                   std::size_t bytes) noexcept {
    const auto apart = [bytes](const T* a, const T* b) {
        return checks().disjoint({"", a, bytes}, {"", b, bytes}).ok();
    };
    const bool own = i == k && finals[i] == inputs[k];
    if (!own && !apart(finals[i], inputs[k])) {
        c.disjoint({indexed_name("finals", i), finals[i], bytes},
                   {indexed_name("worker_vectors", k), inputs[k], bytes});
    }
    if (k > i && !apart(finals[i], finals[k])) {
        c.disjoint({indexed_name("finals", i), finals[i], bytes}, {indexed_name("finals", k), finals[k], bytes});
    }
}

template <class T>
status validate(const T* const* inputs, std::size_t workers, std::size_t size, ring_op op, T* const* finals,
                const ring_event* trace) noexcept {
    checks c;
    c.enumerator("op", static_cast<int>(op), static_cast<int>(ring_op::sum)).extent("workers", workers);
    c.fits("worker_vectors", 1, size, size, sizeof(T));
    const std::size_t events = ring_event_count(workers);
    if (c.ok() && trace != nullptr && workers > 1 && (events == 0 || events > SIZE_MAX / 2 / sizeof(ring_event))) {
        c.add(message() << "trace: its size must be below 2^63 bytes, got " << workers << " workers"
                        << status_code::invalid_shape);
    }
    if (!c.ok() || size == 0) return c.result();
    c.pointer("worker_vectors", inputs).pointer("finals", finals);
    for (std::size_t i = 0; c.ok() && i < workers; ++i) {
        if (inputs[i] == nullptr) c.pointer(indexed_name("worker_vectors", i), inputs[i]);
        if (finals[i] == nullptr) c.pointer(indexed_name("finals", i), finals[i]);
    }
    const std::size_t bytes = size * sizeof(T);
    const memory_span events_span{"trace", trace, trace == nullptr ? 0 : events * sizeof(ring_event)};
    const memory_span lists[] = {{"the list worker_vectors", inputs, workers * sizeof inputs[0]},
                                 {"the list finals", finals, workers * sizeof finals[0]}};
    for (const memory_span& list : lists) {
        c.disjoint(events_span, list);
        for (std::size_t i = 0; c.ok() && i < workers; ++i) {
            if (!list.overlaps({"", finals[i], bytes})) continue;
            c.disjoint({indexed_name("finals", i), finals[i], bytes}, list);
        }
    }
    for (std::size_t i = 0; c.ok() && i < workers; ++i) {
        c.disjoint(events_span, {"finals", finals[i], bytes})
            .disjoint(events_span, {"worker_vectors", inputs[i], bytes});
        for (std::size_t k = 0; c.ok() && k < workers; ++k) overlap_rules(c, inputs, finals, i, k, bytes);
    }
    return c.result();
}

template <class T>
struct ring {
    std::size_t workers;
    std::size_t size;
    T* const* buffers;
    ring_event* trace; ///< next event, or null

    /// One phase: in round s worker i sends chunk (i + offset - s) mod N to its right neighbour.
    template <class Receive>
    void run(ring_phase phase, std::size_t offset, Receive receive) noexcept {
        for (std::size_t s = 0; s + 1 < workers; ++s) {
            for (std::size_t i = 0; i < workers; ++i) {
                const std::size_t to = (i + 1) % workers;
                const std::size_t c = (i + offset + workers - s) % workers;
                const chunk_range range = chunk(c, size, workers);
                for (std::size_t j = range.begin; j < range.end; ++j) receive(buffers[to][j], buffers[i][j]);
                if (trace != nullptr) *trace++ = {phase, s, i, to, c};
            }
        }
    }

    /// Each worker divides the chunk it finished, (i + 1) mod N.
    void divide() noexcept {
        const T n = static_cast<T>(workers);
        for (std::size_t i = 0; i < workers; ++i) {
            const chunk_range range = chunk((i + 1) % workers, size, workers);
            for (std::size_t j = range.begin; j < range.end; ++j) buffers[i][j] = buffers[i][j] / n;
        }
    }
};

template <class T>
status run_ring(const T* const* inputs, std::size_t workers, std::size_t size, ring_op op, T* const* finals,
                ring_event* trace) noexcept {
    const status checked = validate(inputs, workers, size, op, finals, trace);
    if (!checked.ok()) return checked;
    for (std::size_t i = 0; i < workers && size != 0; ++i) {
        for (std::size_t j = 0; j < size; ++j) finals[i][j] = inputs[i][j];
    }
    if (size == 0 && trace == nullptr) return {};
    ring<T> r{workers, size, finals, trace};
    r.run(ring_phase::reduce_scatter, 0, [](T& own, T received) { own = own + received; });
    if (op == ring_op::mean) r.divide();
    r.run(ring_phase::all_gather, 1, [](T& own, T received) { own = received; });
    return {};
}

} // namespace
} // namespace internal

std::size_t ring_event_count(std::size_t workers) noexcept {
    std::size_t events = 0;
    if (workers == 0 || __builtin_mul_overflow(workers, workers - 1, &events)) return 0;
    return events > SIZE_MAX / 2 ? 0 : 2 * events;
}

template <class T>
status simulate_ring_allreduce(const T* const* worker_vectors, std::size_t workers, std::size_t size, ring_op op,
                               T* const* finals, ring_event* trace) noexcept {
    return internal::guarded([&] { return internal::run_ring(worker_vectors, workers, size, op, finals, trace); });
}

template BITSTEP_EXPORT status simulate_ring_allreduce(const float* const*, std::size_t, std::size_t, ring_op,
                                                       float* const*, ring_event*) noexcept;
template BITSTEP_EXPORT status simulate_ring_allreduce(const double* const*, std::size_t, std::size_t, ring_op,
                                                       double* const*, ring_event*) noexcept;

} // namespace bitstep
