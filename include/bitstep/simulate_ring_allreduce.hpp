// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitstep/export.h>
#include <bitstep/status.hpp>

#include <cstddef>

namespace bitstep {

/// What the workers get.
enum class ring_op : int { mean = 0, sum = 1 };
/// The two halves of a ring all-reduce.
enum class ring_phase : int { reduce_scatter = 0, all_gather = 1 };

/// One message of the ring.
struct ring_event {
    ring_phase phase;     ///< reduce_scatter first
    std::size_t round;    ///< 0 ... N-2 in each phase
    std::size_t sender;   ///< worker
    std::size_t receiver; ///< (sender + 1) mod N
    std::size_t chunk;    ///< 0 ... N-1
};

/// Messages that a ring sends.
/// @param[in] workers N.
/// @return 2 N (N-1), or 0 where that overflows size_t.
BITSTEP_EXPORT std::size_t ring_event_count(std::size_t workers) noexcept;

/// Which bits a ring all-reduce would produce: N workers, each vector cut into N chunks (the first n mod N are one element
/// longer), worker i sends to i+1 mod N. Reduce-scatter, rounds s = 0 ... N-2: worker i sends chunk (i-s) mod N, the
/// receiver adds it to its own. All-gather: worker i sends chunk (i+1-s) mod N, the receiver stores it. A mean divides
/// each finished chunk by N before all-gather. All workers end with the same bits; they differ from allreduce_mean, whose
/// order does not depend on where in the vector an element stands.
///
/// @param[in] worker_vectors N pointers to n elements each.
/// @param[in] workers N >= 1.
/// @param[in] size n; zero is allowed, the vectors are then unused.
/// @param[in] op mean or sum.
/// @param[out] finals N pointers to n elements each; finals[i] may be worker_vectors[i] itself, any other overlap, with
/// the lists of pointers too, is refused.
/// @param[out] trace null, or ring_event_count(N) events in the order of phases, rounds and senders; overlaps no vector
/// and no list of pointers.
///
/// Order: own + received, in T, round by round. NaN and infinities propagate.
///
/// @return ok; invalid_argument (op), null_pointer, invalid_shape (N = 0, sizes that overflow), overlap. Nothing has then
/// been written.
///
/// Cost: 2 (N-1) n additions or copies, on one thread: a teaching and testing tool. Never allocates. Thread-safe.
/// Source: Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009.
template <class T>
BITSTEP_EXPORT status simulate_ring_allreduce(const T* const* worker_vectors, std::size_t workers, std::size_t size,
    ring_op op, T* const* finals, ring_event* trace = nullptr) noexcept;

} // namespace bitstep
