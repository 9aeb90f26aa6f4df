// SPDX-License-Identifier: Apache-2.0
// What a caller may choose per call. Only `accumulate` can change bits; everything else changes speed alone. The
// environment (BITSTEP_ARCH, BITSTEP_NUM_THREADS) is read once per process, each name by the first call that needs it; what
// cannot be used there is an error of every such call.
#pragma once

#include <cstddef>

namespace bitstep {

/// Precision of sums. `native`: in T. `wide`: float in double, double in double-double (docs/numerics.md).
enum class accumulate_mode : int { native = 0, wide = 1 };

/// Architectures: which kernel table runs. `automatic`: BITSTEP_ARCH where set, else the best runnable one.
enum class arch : int { automatic = 0, reference = 1, baseline = 2, avx2 = 3, avx512 = 4, neon64 = 5 };

/// `by_default`: on in distributed_step, off in adam_ema_update.
enum class check_mode : int { by_default = 0, off = 1, on = 2 };

/// What ran; filled when the call succeeds. One per caller: calls that run at the same time must not share it.
struct run_report {
    arch ran = arch::automatic; ///< the arch that ran, never `automatic`
    int threads = 0; ///< the largest team that was really delivered (with parallel_for: tasks begun), 1: stayed serial
};

/// A caller's own threads: calls task(index, context) once for every index below n, in any order, on any threads, one
/// after another or at the same time, and returns when all of them have returned, with what they wrote visible to the
/// caller. Must not throw. `pool` is handed through from options::pool.
using parallel_for_function = void (*)(
    void* pool, std::size_t n, void (*task)(std::size_t index, void* context), void* context);

/// Choices of one call. A verb uses what its own text names; what it does not use must still be in range.
struct options {
    /// Threads to ask for, 1 to 1024; 0: BITSTEP_NUM_THREADS where set, else OpenMP's default, but no more than the
    /// CPUs that OpenMP sees at that moment (libgomp: those of the calling thread's affinity mask), because the threads
    /// of a larger team wait for one another. A number given here or in BITSTEP_NUM_THREADS is taken as it is, up to
    /// the size of the work. Inside somebody else's parallel region, and in the forked child of a process with threads,
    /// a call is serial, unless it has a parallel_for. Asking for more threads than the system can create ends the process: that is OpenMP's doing,
    /// and a reason to stay near the number of cores.
    int threads = 0;
    accumulate_mode accumulate = accumulate_mode::native; ///< the only choice that can change bits
    bitstep::arch arch = bitstep::arch::automatic;        ///< which kernels run; `reference` is serial
    /// Check that the state is finite and v >= 0 before the update; costs one read of the state (16 d bytes in float).
    check_mode check_state = check_mode::by_default;
    /// Work that reads and writes fewer bytes than this stays on the calling thread and never touches OpenMP. Above, there
    /// is at most one thread per half of it, and never more than pieces of work (a gradient's have 64 rows, or more where
    /// rows are short; run_report.threads tells). Tests set it to zero, so that small shapes run threads, too.
    /// The default suits calls that follow one another. OpenMP's threads fall asleep when none of their work comes for
    /// a few milliseconds, and waking them takes tens of microseconds: who calls less often than that with little data
    /// is served better by one thread, or by 2 MiB here (docs/performance.md has the figures).
    std::size_t serial_below_bytes = 256 * 1024;
    run_report* report = nullptr; ///< null, or what to fill in; an output, so it overlaps no argument
    /// Runs the work on the caller's threads instead of OpenMP's: called with n from 2 to `threads`, which is then required
    /// (>= 1) and says how many tasks are worth running at once; never called where the work stays serial. At most four
    /// times per call of bitstep. A task takes work until none is left, so one that starts late only finds less of it; none
    /// waits for another. It computes in the default floating-point environment and leaves the thread's own as it was.
    /// Bits do not depend on it. One difference in speed: a few very long rows, which OpenMP's threads share by columns,
    /// go by rows here, since sharing columns needs threads that wait for one another.
    parallel_for_function parallel_for = nullptr;
    void* pool = nullptr; ///< given to parallel_for, otherwise unused
};

/// Scratch memory of the caller's, for calls that must not allocate. Any alignment; the contents before a call do not
/// matter and are undefined after it. Overlaps no argument of the call (`overlap`), and is not shared by calls that run at
/// the same time. Empty (null and 0 bytes): the call allocates. Null with a size is refused (`null_pointer`).
struct workspace {
    void* data = nullptr;  ///< where it begins
    std::size_t bytes = 0; ///< its size, as the query of the verb says or more
};

/// Adam and EMA scalars, with the names and ranges of every other interface of bitstep. Kept in double whatever T is;
/// each scalar that enters the arithmetic is rounded to T once.
struct hyper_parameters {
    double lr = 1e-3;     ///< >= 0 and finite, also after rounding to T
    double beta1 = 0.9;   ///< in [0, 1)
    double beta2 = 0.999; ///< in [0, 1)
    double eps = 1e-8;    ///< > 0 and finite, also after rounding to T; added outside the square root
    double decay = 0.999; ///< in [0, 1]
    long long t = 1;      ///< >= 1, the number of this update; used as given
};

} // namespace bitstep
