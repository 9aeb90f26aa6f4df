// SPDX-License-Identifier: Apache-2.0
/// @file
/// bitstep for C99 and for everything that calls C: one data-parallel training step on the CPU, with the same bits on every
/// machine. Every verb of the C++ interface under the same name, for float (_f32) and double (_f64); results are equal to
/// C++'s bit for bit. The long text of each verb (order of operations, cost, sources) stands in its C++ header.
///
/// Rules for all calls
/// - Arrays are contiguous, aligned for their type, of the shape given beside each parameter; rows of X may be padded
///   (row_stride). Sizes and strides count elements; workspaces count bytes.
/// - An output overlaps no input, no other output and no workspace, except where it says so.
/// - On any status but BITSTEP_OK no output, no state and no report has changed.
/// - Safe to call from several threads at once on separate outputs and workspaces. No call keeps anything between calls,
///   but the text of bitstep_last_error, one per thread.
/// - Structs that may grow begin with struct_size; start from their _INIT. A caller compiled with an older header is
///   accepted: what its struct lacks takes the default. A size that no field ends at, or larger than this library knows, is
///   BITSTEP_INVALID_ARGUMENT. The other structs are fixed for good.
/// - Where a parameter of type int takes an enumerator, it says of which enum.
#pragma once

#include <bitstep/export.hpp>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- status ----

/// What every call returns; the numbers are fixed.
typedef enum bitstep_status {
    BITSTEP_OK = 0,
    BITSTEP_NULL_POINTER = 1,        ///< a required pointer is null
    BITSTEP_INVALID_ARGUMENT = 2,    ///< a number is outside its range
    BITSTEP_INVALID_SHAPE = 3,       ///< an extent is zero, does not match, or a product of extents overflows size_t
    BITSTEP_OVERLAP = 4,             ///< an output overlaps an input, or another output
    BITSTEP_NON_FINITE = 5,          ///< NaN or infinity where it is refused
    BITSTEP_GRADIENT_OVERFLOW = 6,   ///< the data are finite, their gradient is not
    BITSTEP_WORKSPACE_TOO_SMALL = 7, ///< the caller's workspace holds fewer bytes than the query says
    BITSTEP_OUT_OF_MEMORY = 8,       ///< no workspace was given, and none could be allocated
    BITSTEP_ARCH_UNAVAILABLE = 9     ///< unknown architecture name, or one this CPU cannot run
} bitstep_status;

/// What a status means, in a few words of static text; never null. `status`: any number.
BITSTEP_EXPORT const char* bitstep_strerror(int status);

/// Of this thread's last call that returns a bitstep_status: empty where that was BITSTEP_OK, else one line that names the
/// argument, the rule and the value, such as "beta1 must be in [0, 1), got 1". Never null. The text is this thread's own and
/// stays until its next such call; copy it to keep it.
BITSTEP_EXPORT const char* bitstep_last_error(void);

// ---- options ----

/// Precision of sums. Native: in the type of the data. Wide: float in double, double in double-double.
typedef enum bitstep_accumulate { BITSTEP_ACCUMULATE_NATIVE = 0, BITSTEP_ACCUMULATE_WIDE = 1 } bitstep_accumulate;

/// Which kernels run. Automatic: BITSTEP_ARCH of the environment where set, else the best that this CPU can run.
typedef enum bitstep_arch {
    BITSTEP_ARCH_AUTOMATIC = 0,
    BITSTEP_ARCH_REFERENCE = 1,
    BITSTEP_ARCH_BASELINE = 2,
    BITSTEP_ARCH_AVX2 = 3,
    BITSTEP_ARCH_AVX512 = 4,
    BITSTEP_ARCH_NEON64 = 5
} bitstep_arch;

/// Default: on in bitstep_distributed_step_*, off in bitstep_adam_ema_update_*.
typedef enum bitstep_check { BITSTEP_CHECK_DEFAULT = 0, BITSTEP_CHECK_OFF = 1, BITSTEP_CHECK_ON = 2 } bitstep_check;

/// What ran; filled where the call succeeds. One per caller.
typedef struct bitstep_run_report {
    size_t struct_size; ///< in: sizeof(bitstep_run_report)
    int ran;            ///< out: a bitstep_arch, never automatic
    int threads;        ///< out: the largest team that was delivered; 1 where the call stayed serial
} bitstep_run_report;

/// A piece of work of bitstep's, for bitstep_parallel_for.
typedef void (*bitstep_task)(size_t index, void* context);

/// An embedder's own threads. Calls task(index, context) once for every index below n, in any order, on any threads, one
/// after another or at the same time, and returns when all of them have returned, with what they wrote visible to the
/// caller. `pool`: bitstep_options.pool. Must neither throw nor jump out.
typedef void (*bitstep_parallel_for)(void* pool, size_t n, bitstep_task task, void* context);

/// Only `accumulate` can change bits; the rest changes speed alone. Where a call takes options, null means the defaults.
typedef struct bitstep_options {
    size_t struct_size; ///< sizeof(bitstep_options)
    int threads;     ///< 1 to 1024; 0: BITSTEP_NUM_THREADS of the environment, else OpenMP's choice, at most the CPUs
    int accumulate;  ///< a bitstep_accumulate
    int arch;        ///< a bitstep_arch
    int check_state; ///< a bitstep_check: is the state finite and v >= 0; costs one read of the state
    size_t serial_below_bytes;  ///< work that touches fewer bytes stays on the calling thread
    bitstep_run_report* report; ///< null, or what to fill in
    /// Null: OpenMP's threads. Else the caller's: called with n from 2 to `threads`, which must then be given, where there
    /// is work for several. Tasks never wait for one another, compute in the default floating-point environment, and leave
    /// their thread's own as it was.
    bitstep_parallel_for parallel_for;
    void* pool; ///< handed to parallel_for
} bitstep_options;

/// Adam and EMA scalars, in double for both types; each is rounded to the type of the data once.
typedef struct bitstep_hyper_parameters {
    size_t struct_size; ///< sizeof(bitstep_hyper_parameters)
    double lr;          ///< >= 0 and finite, also after rounding
    double beta1;       ///< in [0, 1)
    double beta2;       ///< in [0, 1)
    double eps;         ///< > 0 and finite, also after rounding; added outside the square root
    double decay;       ///< in [0, 1]
    long long t;        ///< >= 1, the number of this update; used as given
} bitstep_hyper_parameters;

// clang-format off
/// Initialisers: bitstep_options options = BITSTEP_OPTIONS_INIT;
#define BITSTEP_OPTIONS_INIT { sizeof(bitstep_options), 0, 0, 0, 0, (size_t)256 * 1024, NULL, NULL, NULL }
/// lr 1e-3, betas 0.9 and 0.999, eps 1e-8, decay 0.999, t 1.
#define BITSTEP_HYPER_PARAMETERS_INIT { sizeof(bitstep_hyper_parameters), 1e-3, 0.9, 0.999, 1e-8, 0.999, 1 }
/// For bitstep_options.report.
#define BITSTEP_RUN_REPORT_INIT { sizeof(bitstep_run_report), 0, 0 }
// clang-format on

/// Scratch memory of the caller's, for calls that must not allocate. Any alignment; contents are undefined after a call.
/// Overlaps no argument, and is not shared by calls that run at the same time. Null where a call takes one: it allocates.
typedef struct bitstep_workspace {
    void* data;   ///< where it begins
    size_t bytes; ///< its size, as the query of the verb says or more
} bitstep_workspace;

// ---- data ----

/// Rows x cols elements; row i starts at data + i * row_stride, row_stride >= cols.
typedef struct bitstep_matrix_f32 {
    const float* data; ///< (rows, cols)
    size_t rows;       ///< N
    size_t cols;       ///< d
    size_t row_stride; ///< elements from row to row
} bitstep_matrix_f32;
/// bitstep_matrix_f32 in double.
typedef struct bitstep_matrix_f64 {
    const double* data; ///< (rows, cols)
    size_t rows;        ///< N
    size_t cols;        ///< d
    size_t row_stride;  ///< elements from row to row
} bitstep_matrix_f64;

/// The dense case: W workers, A micro-batches each, B examples each, d features each; C order; all >= 1.
typedef struct bitstep_worker_batches_f32 {
    const float* worker_xs; ///< (W, A, B, d)
    const float* worker_ys; ///< (W, A, B)
    size_t workers;         ///< W
    size_t micro_batches;   ///< A
    size_t examples;        ///< B
    size_t features;        ///< d
} bitstep_worker_batches_f32;
/// bitstep_worker_batches_f32 in double.
typedef struct bitstep_worker_batches_f64 {
    const double* worker_xs; ///< (W, A, B, d)
    const double* worker_ys; ///< (W, A, B)
    size_t workers;          ///< W
    size_t micro_batches;    ///< A
    size_t examples;         ///< B
    size_t features;         ///< d
} bitstep_worker_batches_f64;

/// A run of examples in one buffer. May be empty (rows = 0, pointers then unused).
typedef struct bitstep_shard_f32 {
    const float* x;    ///< (rows, features)
    const float* y;    ///< (rows)
    size_t rows;       ///< in this shard
    size_t row_stride; ///< from row to row of x, >= features
} bitstep_shard_f32;
/// bitstep_shard_f32 in double.
typedef struct bitstep_shard_f64 {
    const double* x;   ///< (rows, features)
    const double* y;   ///< (rows)
    size_t rows;       ///< in this shard
    size_t row_stride; ///< from row to row of x, >= features
} bitstep_shard_f64;

/// Shards, read in order as one sequence of N >= 1 rows; how it is cut cannot change a bit.
typedef struct bitstep_row_sequence_f32 {
    const bitstep_shard_f32* shards; ///< shard_count of them
    size_t shard_count;              ///< how many
    size_t features;                 ///< d >= 1
} bitstep_row_sequence_f32;
/// bitstep_row_sequence_f32 in double.
typedef struct bitstep_row_sequence_f64 {
    const bitstep_shard_f64* shards; ///< shard_count of them
    size_t shard_count;              ///< how many
    size_t features;                 ///< d >= 1
} bitstep_row_sequence_f64;

/// One named tensor of a model, as every worker holds it.
typedef struct bitstep_worker_tensor_f32 {
    const char* name;                 ///< for error texts; may be null
    const float* const* worker_grads; ///< W pointers to `size` elements each
    float* mean;                      ///< output (size); may be one of the inputs itself (same address)
    size_t size;                      ///< zero is allowed, the pointers are then unused
} bitstep_worker_tensor_f32;
/// bitstep_worker_tensor_f32 in double.
typedef struct bitstep_worker_tensor_f64 {
    const char* name;                  ///< for error texts; may be null
    const double* const* worker_grads; ///< W pointers to `size` elements each
    double* mean;                      ///< output (size); may be one of the inputs itself (same address)
    size_t size;                       ///< zero is allowed, the pointers are then unused
} bitstep_worker_tensor_f64;

// ---- distributed_step ----

/// One training step of a linear model: g = 2/N X^T (X w - y) over all N rows, one Adam update, one EMA update. Equal to
/// bitstep_gradient_* followed by bitstep_adam_ema_update_*, bit for bit.
///
/// batches, or rows: the data. weights, ema_weights, m, v: (d) each, inputs, v >= 0. out: (4 d) output,
/// [weights', ema_weights', m', v'], overlaps no input. In place: the four state arrays are updated, and overlap neither one
/// another nor the data. hyper: required. options, workspace: may be null.
/// Order: <bitstep/distributed_step.hpp>, docs/numerics.md.
/// Errors: NULL_POINTER, INVALID_SHAPE, INVALID_ARGUMENT, OVERLAP, ARCH_UNAVAILABLE, WORKSPACE_TOO_SMALL, OUT_OF_MEMORY,
/// NON_FINITE (X, y, w; the whole state with check_state, on by default), GRADIENT_OVERFLOW.
/// Cost: reads X once, N d elements, and 9 d elements of gradient and state; 4 N d flops.
BITSTEP_EXPORT bitstep_status bitstep_distributed_step_f32(const bitstep_worker_batches_f32* batches,
                                                           const float* weights, const float* ema_weights,
                                                           const float* m, const float* v,
                                                           const bitstep_hyper_parameters* hyper, float* out,
                                                           const bitstep_options* options,
                                                           const bitstep_workspace* workspace);
/// bitstep_distributed_step_f32 in double.
BITSTEP_EXPORT bitstep_status bitstep_distributed_step_f64(const bitstep_worker_batches_f64* batches,
                                                           const double* weights, const double* ema_weights,
                                                           const double* m, const double* v,
                                                           const bitstep_hyper_parameters* hyper, double* out,
                                                           const bitstep_options* options,
                                                           const bitstep_workspace* workspace);
/// bitstep_distributed_step_f32 over shards of any lengths.
BITSTEP_EXPORT bitstep_status bitstep_distributed_step_rows_f32(const bitstep_row_sequence_f32* rows,
                                                                const float* weights, const float* ema_weights,
                                                                const float* m, const float* v,
                                                                const bitstep_hyper_parameters* hyper, float* out,
                                                                const bitstep_options* options,
                                                                const bitstep_workspace* workspace);
/// bitstep_distributed_step_rows_f32 in double.
BITSTEP_EXPORT bitstep_status bitstep_distributed_step_rows_f64(const bitstep_row_sequence_f64* rows,
                                                                const double* weights, const double* ema_weights,
                                                                const double* m, const double* v,
                                                                const bitstep_hyper_parameters* hyper, double* out,
                                                                const bitstep_options* options,
                                                                const bitstep_workspace* workspace);
/// bitstep_distributed_step_f32 that updates the four state arrays.
BITSTEP_EXPORT bitstep_status bitstep_distributed_step_in_place_f32(const bitstep_worker_batches_f32* batches,
                                                                    float* weights, float* ema_weights, float* m,
                                                                    float* v, const bitstep_hyper_parameters* hyper,
                                                                    const bitstep_options* options,
                                                                    const bitstep_workspace* workspace);
/// bitstep_distributed_step_in_place_f32 in double.
BITSTEP_EXPORT bitstep_status bitstep_distributed_step_in_place_f64(const bitstep_worker_batches_f64* batches,
                                                                    double* weights, double* ema_weights, double* m,
                                                                    double* v, const bitstep_hyper_parameters* hyper,
                                                                    const bitstep_options* options,
                                                                    const bitstep_workspace* workspace);
/// bitstep_distributed_step_rows_f32 that updates the four state arrays.
BITSTEP_EXPORT bitstep_status bitstep_distributed_step_rows_in_place_f32(
    const bitstep_row_sequence_f32* rows, float* weights, float* ema_weights, float* m, float* v,
    const bitstep_hyper_parameters* hyper, const bitstep_options* options, const bitstep_workspace* workspace);
/// bitstep_distributed_step_rows_in_place_f32 in double.
BITSTEP_EXPORT bitstep_status bitstep_distributed_step_rows_in_place_f64(
    const bitstep_row_sequence_f64* rows, double* weights, double* ema_weights, double* m, double* v,
    const bitstep_hyper_parameters* hyper, const bitstep_options* options, const bitstep_workspace* workspace);

/// *bytes = workspace of a step over N = W A B rows of d features under these options; set options.threads where a workspace
/// is kept. Errors: NULL_POINTER (bytes), INVALID_SHAPE, INVALID_ARGUMENT, ARCH_UNAVAILABLE.
BITSTEP_EXPORT bitstep_status bitstep_distributed_step_workspace_bytes_f32(size_t rows, size_t features,
                                                                           const bitstep_options* options,
                                                                           size_t* bytes);
/// bitstep_distributed_step_workspace_bytes_f32 in double.
BITSTEP_EXPORT bitstep_status bitstep_distributed_step_workspace_bytes_f64(size_t rows, size_t features,
                                                                           const bitstep_options* options,
                                                                           size_t* bytes);

// ---- the stages ----

/// grad = 2/N X^T (X w - y), *mse = 1/N sum (X w - y)^2; reads X once.
/// rows: N >= 1 rows in all. w: (d) input. grad: (d) output. mse: one number, output, may be null.
/// Errors: as distributed_step's; NON_FINITE for X, y, w; an infinite mse is none. <bitstep/gradient.hpp>
BITSTEP_EXPORT bitstep_status bitstep_gradient_f32(const bitstep_row_sequence_f32* rows, const float* w, float* grad,
                                                   float* mse, const bitstep_options* options,
                                                   const bitstep_workspace* workspace);
/// bitstep_gradient_f32 in double.
BITSTEP_EXPORT bitstep_status bitstep_gradient_f64(const bitstep_row_sequence_f64* rows, const double* w, double* grad,
                                                   double* mse, const bitstep_options* options,
                                                   const bitstep_workspace* workspace);
/// *bytes = workspace of bitstep_gradient_f32 for N rows of d features; as bitstep_distributed_step_workspace_bytes_f32.
BITSTEP_EXPORT bitstep_status bitstep_gradient_workspace_bytes_f32(size_t rows, size_t features,
                                                                   const bitstep_options* options, size_t* bytes);
/// bitstep_gradient_workspace_bytes_f32 in double.
BITSTEP_EXPORT bitstep_status bitstep_gradient_workspace_bytes_f64(size_t rows, size_t features,
                                                                   const bitstep_options* options, size_t* bytes);

/// out = X w. x: (N, d), N and d >= 1. w: (d) input. out: (N) output. Never allocates; NaN and infinities propagate.
/// Errors: NULL_POINTER, INVALID_SHAPE, INVALID_ARGUMENT, OVERLAP, ARCH_UNAVAILABLE. <bitstep/predict.hpp>
BITSTEP_EXPORT bitstep_status bitstep_predict_f32(const bitstep_matrix_f32* x, const float* w, float* out,
                                                  const bitstep_options* options);
/// bitstep_predict_f32 in double.
BITSTEP_EXPORT bitstep_status bitstep_predict_f64(const bitstep_matrix_f64* x, const double* w, double* out,
                                                  const bitstep_options* options);

/// out = X w - y. As predict; y: (N) input; out may be y itself (same address). <bitstep/residual.hpp>
BITSTEP_EXPORT bitstep_status bitstep_residual_f32(const bitstep_matrix_f32* x, const float* y, const float* w,
                                                   float* out, const bitstep_options* options);
/// bitstep_residual_f32 in double.
BITSTEP_EXPORT bitstep_status bitstep_residual_f64(const bitstep_matrix_f64* x, const double* y, const double* w,
                                                   double* out, const bitstep_options* options);

/// One Adam and one EMA update, in place, elementwise over d = features >= 1:
///     m' = beta1 m + (1 - beta1) g;  v' = beta2 v + (1 - beta2) g g
///     w' = w - lr (m' / (1 - beta1^t)) / (sqrt(v' / (1 - beta2^t)) + eps);  e' = decay e + (1 - decay) w'
/// grad: (d) input. weights, ema_weights, m, v: (d) each, in and out; none overlaps another, nor grad. Never allocates.
/// Errors: NULL_POINTER, INVALID_SHAPE, INVALID_ARGUMENT, OVERLAP, ARCH_UNAVAILABLE; with check_state on also NON_FINITE.
/// <bitstep/adam_ema_update.hpp>
BITSTEP_EXPORT bitstep_status bitstep_adam_ema_update_f32(const float* grad, size_t features, float* weights,
                                                          float* ema_weights, float* m, float* v,
                                                          const bitstep_hyper_parameters* hyper,
                                                          const bitstep_options* options);
/// bitstep_adam_ema_update_f32 in double.
BITSTEP_EXPORT bitstep_status bitstep_adam_ema_update_f64(const double* grad, size_t features, double* weights,
                                                          double* ema_weights, double* m, double* v,
                                                          const bitstep_hyper_parameters* hyper,
                                                          const bitstep_options* options);

// ---- means over workers ----

/// mean = 1/W sum_i g_i per element, over a list of tensors at once; with counts sum_i c_i g_i / sum_i c_i.
/// tensors: tensor_count of them, zero is allowed. workers: W >= 1. counts: null, or (W) integers >= 0 with a total > 0. An
/// output may be one of its own inputs (same address), any other overlap within the list is refused. NaN and infinities
/// propagate. Errors: NULL_POINTER, INVALID_SHAPE, INVALID_ARGUMENT, OVERLAP, ARCH_UNAVAILABLE, WORKSPACE_TOO_SMALL,
/// OUT_OF_MEMORY. Allocates at most for counts and for checks of overlap, and only without a workspace.
/// <bitstep/allreduce_mean.hpp>
BITSTEP_EXPORT bitstep_status bitstep_allreduce_mean_f32(const bitstep_worker_tensor_f32* tensors, size_t tensor_count,
                                                         size_t workers, const long long* counts,
                                                         const bitstep_options* options,
                                                         const bitstep_workspace* workspace);
/// bitstep_allreduce_mean_f32 in double.
BITSTEP_EXPORT bitstep_status bitstep_allreduce_mean_f64(const bitstep_worker_tensor_f64* tensors, size_t tensor_count,
                                                         size_t workers, const long long* counts,
                                                         const bitstep_options* options,
                                                         const bitstep_workspace* workspace);
/// *bytes = workspace that is enough for any list of so many tensors and workers. Errors: NULL_POINTER, INVALID_SHAPE.
BITSTEP_EXPORT bitstep_status bitstep_allreduce_mean_workspace_bytes_f32(size_t tensor_count, size_t workers,
                                                                         size_t* bytes);
/// bitstep_allreduce_mean_workspace_bytes_f32 in double.
BITSTEP_EXPORT bitstep_status bitstep_allreduce_mean_workspace_bytes_f64(size_t tensor_count, size_t workers,
                                                                         size_t* bytes);

/// What the workers get.
typedef enum bitstep_ring_op { BITSTEP_RING_MEAN = 0, BITSTEP_RING_SUM = 1 } bitstep_ring_op;
/// The two halves of a ring all-reduce.
typedef enum bitstep_ring_phase { BITSTEP_RING_REDUCE_SCATTER = 0, BITSTEP_RING_ALL_GATHER = 1 } bitstep_ring_phase;

/// One message of the ring.
typedef struct bitstep_ring_event {
    int phase;       ///< a bitstep_ring_phase
    size_t round;    ///< 0 ... N-2 in each phase
    size_t sender;   ///< worker
    size_t receiver; ///< (sender + 1) mod N
    size_t chunk;    ///< 0 ... N-1
} bitstep_ring_event;

/// Messages that a ring of N workers sends: 2 N (N-1), or 0 where that overflows size_t.
BITSTEP_EXPORT size_t bitstep_ring_event_count(size_t workers);

/// Which bits a ring all-reduce would produce; on one thread, to teach and to test.
/// worker_vectors: N >= 1 pointers to `size` elements each, inputs. op: a bitstep_ring_op. finals: N pointers to `size`
/// elements each, outputs; finals[i] may be worker_vectors[i] itself, any other overlap is refused. trace: null, or
/// bitstep_ring_event_count(N) events, output. Errors: INVALID_ARGUMENT (op), NULL_POINTER, INVALID_SHAPE, OVERLAP. Never
/// allocates. <bitstep/simulate_ring_allreduce.hpp>
BITSTEP_EXPORT bitstep_status bitstep_simulate_ring_allreduce_f32(const float* const* worker_vectors, size_t workers,
                                                                  size_t size, int op, float* const* finals,
                                                                  bitstep_ring_event* trace);
/// bitstep_simulate_ring_allreduce_f32 in double.
BITSTEP_EXPORT bitstep_status bitstep_simulate_ring_allreduce_f64(const double* const* worker_vectors, size_t workers,
                                                                  size_t size, int op, double* const* finals,
                                                                  bitstep_ring_event* trace);

// ---- info ----

/// "major.minor.patch" of the library that runs.
BITSTEP_EXPORT const char* bitstep_version(void);

/// Version of the arithmetic contract (docs/numerics.md): equal numbers promise equal bits.
BITSTEP_EXPORT int bitstep_numerics_version(void);

/// "reference", "baseline", ...; "automatic" for BITSTEP_ARCH_AUTOMATIC, "unknown" for no bitstep_arch. Static text.
BITSTEP_EXPORT const char* bitstep_arch_name(int arch);

/// Name to bitstep_arch. ARCH_UNAVAILABLE for a name that bitstep does not know; the text lists those that run here.
BITSTEP_EXPORT bitstep_status bitstep_arch_from_name(const char* name, int* arch);

/// 1 where the arch is in this library, else 0.
BITSTEP_EXPORT int bitstep_arch_compiled(int arch);

/// 1 where it is in this library and this CPU and system can run it, else 0.
BITSTEP_EXPORT int bitstep_arch_runnable(int arch);

/// What options.arch = BITSTEP_ARCH_AUTOMATIC runs. ARCH_UNAVAILABLE where BITSTEP_ARCH names none that runs here.
BITSTEP_EXPORT bitstep_status bitstep_active_arch(int* arch);

/// The most threads that options.threads = 0 asks for. INVALID_ARGUMENT where BITSTEP_NUM_THREADS is no valid number.
BITSTEP_EXPORT bitstep_status bitstep_active_threads(int* threads);

/// How long sums are cut (docs/numerics.md); lets tests place shapes at every edge.
typedef struct bitstep_panel_lengths {
    size_t column_panel; ///< elements of a row per partial dot product
    size_t row_panel;    ///< rows per partial gradient
    size_t float_lanes;
    size_t double_lanes;
} bitstep_panel_lengths;

/// panels: output. Errors: NULL_POINTER.
BITSTEP_EXPORT bitstep_status bitstep_numerics_panels(bitstep_panel_lengths* panels);

#ifdef __cplusplus
}
#endif
