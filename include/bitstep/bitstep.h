// SPDX-License-Identifier: Apache-2.0
/// @file
/// bitstep for C99 and for everything that calls C: one data-parallel training step on the CPU, with the same bits on every
/// machine. Every verb of the C++ interface under the same name, for float (_f32) and double (_f64); results are equal to
/// C++'s bit for bit. The long text of each verb (order of operations, cost, sources) stands in its C++ header.
///
/// Rules for all calls
/// - Arrays are contiguous, aligned for their type, of the shape given beside each parameter; rows of X may be padded
///   (row_stride). Sizes and strides count elements; workspaces count bytes.
/// - An output overlaps no input, no list of inputs or outputs, no other output and no workspace, except where it says so. A
/// report is an output. The structs themselves (options, hyper, rows, ...) are copied first and may lie anywhere.
/// - On any status but BITSTEP_OK no output, no state and no report has changed.
/// - errno and the floating-point environment are as before.
/// - More threads than the system can create end the process: that is OpenMP's doing, and a reason to stay near the number of
/// cores, or to bring a parallel_for.
/// - The shared library stays loaded after dlclose, because OpenMP's idle threads do. A plug-in that contains the static
/// library must not be unloaded either (link it with -z nodelete).
/// - Safe to call from several threads at once on separate outputs and workspaces. Nothing is kept between calls but the
///   text of bitstep_last_error, one per thread, and the environment: BITSTEP_ARCH and BITSTEP_NUM_THREADS are read once
///   per process, each by the first call that needs it.
/// - Structs that may grow begin with struct_size; start from their _INIT. A caller compiled with an older header is
///   accepted: what its struct lacks takes the default. A size that no field ends at, or larger than this library knows, is
///   BITSTEP_INVALID_ARGUMENT. Fields are appended in units of the struct's alignment, so that no padding ends a struct.
///   The other structs are fixed for good.
/// - Where a parameter of type int takes an enumerator, it says of which enum.
#pragma once

#include <bitstep/export.h>

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
    BITSTEP_OVERLAP = 4,             ///< an output overlaps an input or another output, or the workspace an argument
    BITSTEP_NON_FINITE = 5,          ///< NaN or infinity where it is refused
    BITSTEP_GRADIENT_OVERFLOW = 6,   ///< the data are finite, their gradient is not
    BITSTEP_WORKSPACE_TOO_SMALL = 7, ///< the caller's workspace holds fewer bytes than the query says
    BITSTEP_OUT_OF_MEMORY = 8,       ///< no workspace was given, and none could be allocated
    BITSTEP_ARCH_UNAVAILABLE = 9     ///< unknown architecture name, or one this CPU cannot run
} bitstep_status;

/// What a status means.
/// @param[in] status any number.
/// @return a few words of static text; never null.
BITSTEP_EXPORT const char* bitstep_strerror(int status);

/// The text of this thread's last call that returns a bitstep_status.
/// @return empty where that was BITSTEP_OK, else one line that names the argument, the rule and the value, such as "beta1
/// must be in [0, 1), got 1". Never null. It stays until this thread's next such call; copy it to keep it. A thread's first
/// failure allocates its 232 bytes; the text is empty where they cannot be had, the status says out of memory all the same.
BITSTEP_EXPORT const char* bitstep_last_error(void);

// ---- options ----

/// Precision of sums. Native: in the type of the data. Wide: float in double, double in double-double.
typedef enum bitstep_accumulate_mode {
    BITSTEP_ACCUMULATE_NATIVE = 0,
    BITSTEP_ACCUMULATE_WIDE = 1
} bitstep_accumulate_mode;

/// Which kernels run. Automatic: BITSTEP_ARCH of the environment where set, else the best that this CPU can run.
typedef enum bitstep_arch {
    BITSTEP_ARCH_AUTOMATIC = 0,
    BITSTEP_ARCH_REFERENCE = 1,
    BITSTEP_ARCH_BASELINE = 2,
    BITSTEP_ARCH_AVX2 = 3,
    BITSTEP_ARCH_AVX512 = 4,
    BITSTEP_ARCH_NEON64 = 5
} bitstep_arch;

/// By default: on in bitstep_distributed_step_*, off in bitstep_adam_ema_update_*.
typedef enum bitstep_check_mode {
    BITSTEP_CHECK_BY_DEFAULT = 0,
    BITSTEP_CHECK_OFF = 1,
    BITSTEP_CHECK_ON = 2
} bitstep_check_mode;

/// What ran; filled where the call succeeds, but by no query. One per caller. An output like others; but a mean does not
/// look for it among the workers' tensors.
typedef struct bitstep_run_report {
    size_t struct_size; ///< in: sizeof(bitstep_run_report), never less than that of the first release
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
    int accumulate;  ///< a bitstep_accumulate_mode
    int arch;        ///< a bitstep_arch
    int check_state; ///< a bitstep_check_mode: is the state finite and v >= 0; costs one read of the state
    size_t serial_below_bytes;  ///< work that touches fewer bytes stays on the calling thread
    bitstep_run_report* report; ///< null, or what to fill in
    /// Null: OpenMP's threads. Else the caller's: called with n from 2 to `threads`, which must then be given, where there
    /// is work for several; at most four times per call of bitstep. Tasks never wait for one another, compute in the
    /// default floating-point environment, and leave their thread's own as it was.
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
#define BITSTEP_OPTIONS_INIT { sizeof(bitstep_options), 0, 0, 0, 0, 262144, NULL, NULL, NULL }
/// lr 1e-3, betas 0.9 and 0.999, eps 1e-8, decay 0.999, t 1.
#define BITSTEP_HYPER_PARAMETERS_INIT { sizeof(bitstep_hyper_parameters), 1e-3, 0.9, 0.999, 1e-8, 0.999, 1 }
/// For bitstep_options.report.
#define BITSTEP_RUN_REPORT_INIT { sizeof(bitstep_run_report), 0, 0 }
// clang-format on

/// Scratch memory of the caller's, for calls that must not allocate. Any alignment; contents are undefined after a call.
/// Overlaps no argument, and is not shared by calls that run at the same time. Null where a call takes one, or
/// null data with 0 bytes: it allocates. Null data with a size is NULL_POINTER.
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
/// @param[in] batches (W, A, B, d) and (W, A, B); all four >= 1.
/// @param[in] weights,ema_weights,m,v (d) each, v >= 0.
/// @param[in] hyper the scalars.
/// @param[out] out (4 d), [weights', ema_weights', m', v']; overlaps no input.
/// @param[in] options null: the defaults.
/// @param[in] workspace null: the call allocates.
/// @return OK; NULL_POINTER, INVALID_SHAPE, INVALID_ARGUMENT, OVERLAP, ARCH_UNAVAILABLE, WORKSPACE_TOO_SMALL,
/// OUT_OF_MEMORY, GRADIENT_OVERFLOW, NON_FINITE (X, y, w). With check_state, on by default, also NON_FINITE for the rest
/// of the state, and INVALID_ARGUMENT for v < 0.
///
/// Cost: reads X once, N d elements, moves 9 d elements of gradient and state; 4 N d + about 20 d flops. check_state
/// reads 4 d elements more.
BITSTEP_EXPORT bitstep_status bitstep_distributed_step_f32(const bitstep_worker_batches_f32* batches,
    const float* weights, const float* ema_weights, const float* m, const float* v,
    const bitstep_hyper_parameters* hyper, float* out, const bitstep_options* options,
    const bitstep_workspace* workspace);
/// @copydoc bitstep_distributed_step_f32
BITSTEP_EXPORT bitstep_status bitstep_distributed_step_f64(const bitstep_worker_batches_f64* batches,
    const double* weights, const double* ema_weights, const double* m, const double* v,
    const bitstep_hyper_parameters* hyper, double* out, const bitstep_options* options,
    const bitstep_workspace* workspace);
/// bitstep_distributed_step_f32 over shards of any lengths.
/// @param[in] rows N >= 1 rows in all; one row sequence, whatever the cut.
/// @param weights,ema_weights,m,v,hyper,out,options,workspace as with batches.
/// @return as with batches.
BITSTEP_EXPORT bitstep_status bitstep_distributed_step_rows_f32(const bitstep_row_sequence_f32* rows,
    const float* weights, const float* ema_weights, const float* m, const float* v,
    const bitstep_hyper_parameters* hyper, float* out, const bitstep_options* options,
    const bitstep_workspace* workspace);
/// @copydoc bitstep_distributed_step_rows_f32
BITSTEP_EXPORT bitstep_status bitstep_distributed_step_rows_f64(const bitstep_row_sequence_f64* rows,
    const double* weights, const double* ema_weights, const double* m, const double* v,
    const bitstep_hyper_parameters* hyper, double* out, const bitstep_options* options,
    const bitstep_workspace* workspace);
/// bitstep_distributed_step_f32 that updates the four state arrays.
/// @param[in,out] weights,ema_weights,m,v (d) each, v >= 0; they overlap neither one another nor the data.
/// @param batches,hyper,options,workspace as in the functional form.
/// @return as in the functional form.
BITSTEP_EXPORT bitstep_status bitstep_distributed_step_in_place_f32(const bitstep_worker_batches_f32* batches,
    float* weights, float* ema_weights, float* m, float* v, const bitstep_hyper_parameters* hyper,
    const bitstep_options* options, const bitstep_workspace* workspace);
/// @copydoc bitstep_distributed_step_in_place_f32
BITSTEP_EXPORT bitstep_status bitstep_distributed_step_in_place_f64(const bitstep_worker_batches_f64* batches,
    double* weights, double* ema_weights, double* m, double* v, const bitstep_hyper_parameters* hyper,
    const bitstep_options* options, const bitstep_workspace* workspace);
/// bitstep_distributed_step_rows_f32 that updates the four state arrays.
/// @param[in,out] weights,ema_weights,m,v (d) each, v >= 0; they overlap neither one another nor the data.
/// @param rows,hyper,options,workspace as in the functional form.
/// @return as in the functional form.
BITSTEP_EXPORT bitstep_status bitstep_distributed_step_rows_in_place_f32(const bitstep_row_sequence_f32* rows,
    float* weights, float* ema_weights, float* m, float* v, const bitstep_hyper_parameters* hyper,
    const bitstep_options* options, const bitstep_workspace* workspace);
/// @copydoc bitstep_distributed_step_rows_in_place_f32
BITSTEP_EXPORT bitstep_status bitstep_distributed_step_rows_in_place_f64(const bitstep_row_sequence_f64* rows,
    double* weights, double* ema_weights, double* m, double* v, const bitstep_hyper_parameters* hyper,
    const bitstep_options* options, const bitstep_workspace* workspace);

/// Workspace of a step over N rows of d features.
/// @param[in] rows N >= 1; W A B of dense batches.
/// @param[in] features d >= 1.
/// @param[in] options the call's. Set threads where a workspace is kept: the need grows with them.
/// @param[out] bytes written on success only.
/// @return OK; NULL_POINTER (bytes), INVALID_SHAPE, INVALID_ARGUMENT, ARCH_UNAVAILABLE.
BITSTEP_EXPORT bitstep_status bitstep_distributed_step_workspace_bytes_f32(
    size_t rows, size_t features, const bitstep_options* options, size_t* bytes);
/// @copydoc bitstep_distributed_step_workspace_bytes_f32
BITSTEP_EXPORT bitstep_status bitstep_distributed_step_workspace_bytes_f64(
    size_t rows, size_t features, const bitstep_options* options, size_t* bytes);

// ---- the stages ----

/// grad = 2/N X^T (X w - y), *mse = 1/N sum (X w - y)^2; reads X once.
/// @param[in] rows N >= 1 rows in all; one row sequence, whatever the cut.
/// @param[in] w (d).
/// @param[out] grad (d); overlaps nothing.
/// @param[out] mse one number; overlaps nothing; may be null.
/// @param[in] options null: the defaults.
/// @param[in] workspace null: the call allocates.
/// @return as a step without state: NON_FINITE for X, y, w alone; an infinite mse is no error. bitstep/gradient.hpp
///
/// Cost: reads X once, N d elements; 4 N d flops.
BITSTEP_EXPORT bitstep_status bitstep_gradient_f32(const bitstep_row_sequence_f32* rows, const float* w, float* grad,
    float* mse, const bitstep_options* options, const bitstep_workspace* workspace);
/// @copydoc bitstep_gradient_f32
BITSTEP_EXPORT bitstep_status bitstep_gradient_f64(const bitstep_row_sequence_f64* rows, const double* w, double* grad,
    double* mse, const bitstep_options* options, const bitstep_workspace* workspace);
/// Workspace of bitstep_gradient_f32 for N rows of d features.
/// @param rows,features,options,bytes as bitstep_distributed_step_workspace_bytes_f32.
/// @return as bitstep_distributed_step_workspace_bytes_f32.
BITSTEP_EXPORT bitstep_status bitstep_gradient_workspace_bytes_f32(
    size_t rows, size_t features, const bitstep_options* options, size_t* bytes);
/// @copydoc bitstep_gradient_workspace_bytes_f32
BITSTEP_EXPORT bitstep_status bitstep_gradient_workspace_bytes_f64(
    size_t rows, size_t features, const bitstep_options* options, size_t* bytes);

/// out = X w. NaN and infinities propagate.
/// @param[in] x (N, d), N and d >= 1.
/// @param[in] w (d).
/// @param[out] out (N); overlaps neither w nor x, padding between rows included.
/// @param[in] options null: the defaults.
/// @return OK; NULL_POINTER, INVALID_SHAPE, INVALID_ARGUMENT, OVERLAP, ARCH_UNAVAILABLE. bitstep/predict.hpp
///
/// Cost: reads X once, N d elements; 2 N d flops. Never allocates.
BITSTEP_EXPORT bitstep_status bitstep_predict_f32(
    const bitstep_matrix_f32* x, const float* w, float* out, const bitstep_options* options);
/// @copydoc bitstep_predict_f32
BITSTEP_EXPORT bitstep_status bitstep_predict_f64(
    const bitstep_matrix_f64* x, const double* w, double* out, const bitstep_options* options);

/// out = X w - y. NaN and infinities propagate.
/// @param[in] x,w,options as bitstep_predict_f32.
/// @param[in] y (N).
/// @param[out] out (N); may be y itself (same address), overlaps nothing else.
/// @return as bitstep_predict_f32, as is the cost. bitstep/residual.hpp
BITSTEP_EXPORT bitstep_status bitstep_residual_f32(
    const bitstep_matrix_f32* x, const float* y, const float* w, float* out, const bitstep_options* options);
/// @copydoc bitstep_residual_f32
BITSTEP_EXPORT bitstep_status bitstep_residual_f64(
    const bitstep_matrix_f64* x, const double* y, const double* w, double* out, const bitstep_options* options);

/// One Adam and one EMA update, in place, elementwise over d = features >= 1:
///     m' = beta1 m + (1 - beta1) g;  v' = beta2 v + (1 - beta2) g g
///     w' = w - lr (m' / (1 - beta1^t)) / (sqrt(v' / (1 - beta2^t)) + eps);  e' = decay e + (1 - decay) w'
///
/// @param[in] grad (d).
/// @param[in] features d >= 1.
/// @param[in,out] weights,ema_weights,m,v (d) each; none overlaps another, nor grad.
/// @param[in] hyper the scalars.
/// @param[in] options null: the defaults, check_state off.
/// @return OK; NULL_POINTER, INVALID_SHAPE, INVALID_ARGUMENT, OVERLAP, ARCH_UNAVAILABLE; with check_state on also
/// NON_FINITE, and INVALID_ARGUMENT for v < 0. bitstep/adam_ema_update.hpp
///
/// Cost: reads 5 d elements, writes 4 d; about 20 d flops; check_state reads 4 d more. Never allocates.
BITSTEP_EXPORT bitstep_status bitstep_adam_ema_update_f32(const float* grad, size_t features, float* weights,
    float* ema_weights, float* m, float* v, const bitstep_hyper_parameters* hyper, const bitstep_options* options);
/// @copydoc bitstep_adam_ema_update_f32
BITSTEP_EXPORT bitstep_status bitstep_adam_ema_update_f64(const double* grad, size_t features, double* weights,
    double* ema_weights, double* m, double* v, const bitstep_hyper_parameters* hyper, const bitstep_options* options);

// ---- means over workers ----

/// mean = 1/W sum_i g_i per element, over a list of tensors at once; with counts sum_i c_i g_i / sum_i c_i.
/// NaN and infinities propagate.
/// @param[in] tensors tensor_count of them. An output may be one of its own inputs (same address), any other overlap
/// within the list, with the lists of pointers or with counts is refused.
/// @param[in] tensor_count zero is allowed.
/// @param[in] workers W >= 1.
/// @param[in] counts null, or (W) integers >= 0 with a total > 0: the examples behind each worker's gradient.
/// @param[in] options null: the defaults.
/// @param[in] workspace null: the call allocates where it must, at most for counts and for checks of overlap.
/// @return OK; NULL_POINTER, INVALID_SHAPE, INVALID_ARGUMENT, OVERLAP, ARCH_UNAVAILABLE, WORKSPACE_TOO_SMALL,
/// OUT_OF_MEMORY. bitstep/allreduce_mean.hpp
///
/// Cost: W + 1 elements moved and W flops per element of the result (2 W with counts).
BITSTEP_EXPORT bitstep_status bitstep_allreduce_mean_f32(const bitstep_worker_tensor_f32* tensors, size_t tensor_count,
    size_t workers, const long long* counts, const bitstep_options* options, const bitstep_workspace* workspace);
/// @copydoc bitstep_allreduce_mean_f32
BITSTEP_EXPORT bitstep_status bitstep_allreduce_mean_f64(const bitstep_worker_tensor_f64* tensors, size_t tensor_count,
    size_t workers, const long long* counts, const bitstep_options* options, const bitstep_workspace* workspace);
/// Workspace that is enough for any list of so many tensors and workers.
/// @param[in] tensor_count,workers any numbers.
/// @param[out] bytes written on success only.
/// @return OK; NULL_POINTER (bytes), INVALID_SHAPE where the size overflows.
BITSTEP_EXPORT bitstep_status bitstep_allreduce_mean_workspace_bytes_f32(
    size_t tensor_count, size_t workers, size_t* bytes);
/// @copydoc bitstep_allreduce_mean_workspace_bytes_f32
BITSTEP_EXPORT bitstep_status bitstep_allreduce_mean_workspace_bytes_f64(
    size_t tensor_count, size_t workers, size_t* bytes);

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

/// Messages that a ring sends.
/// @param[in] workers N.
/// @return 2 N (N-1), or 0 where that overflows size_t.
BITSTEP_EXPORT size_t bitstep_ring_event_count(size_t workers);

/// Which bits a ring all-reduce would produce; on one thread, to teach and to test.
/// @param[in] worker_vectors N pointers to n elements each.
/// @param[in] workers N >= 1.
/// @param[in] size n; zero is allowed, the vectors are then unused.
/// @param[in] op a bitstep_ring_op.
/// @param[out] finals N pointers to n elements each; finals[i] may be worker_vectors[i] itself, any other overlap, with
/// the lists of pointers too, is refused.
/// @param[out] trace null, or bitstep_ring_event_count(N) events; overlaps no vector and no list of pointers.
/// @return OK; INVALID_ARGUMENT (op), NULL_POINTER, INVALID_SHAPE, OVERLAP. bitstep/simulate_ring_allreduce.hpp
///
/// Cost: 2 (N-1) n additions or copies. Never allocates.
BITSTEP_EXPORT bitstep_status bitstep_simulate_ring_allreduce_f32(const float* const* worker_vectors, size_t workers,
    size_t size, int op, float* const* finals, bitstep_ring_event* trace);
/// @copydoc bitstep_simulate_ring_allreduce_f32
BITSTEP_EXPORT bitstep_status bitstep_simulate_ring_allreduce_f64(const double* const* worker_vectors, size_t workers,
    size_t size, int op, double* const* finals, bitstep_ring_event* trace);

// ---- info ----

/// Version of the library that runs.
/// @return "major.minor.patch", static text.
BITSTEP_EXPORT const char* bitstep_version(void);

/// Version of the arithmetic contract (docs/numerics.md).
/// @return a number; equal ones promise equal bits.
BITSTEP_EXPORT int bitstep_numerics_version(void);

/// bitstep_arch to name.
/// @param[in] arch any number.
/// @return "reference", "baseline", ...; "automatic" for BITSTEP_ARCH_AUTOMATIC, "unknown" for no bitstep_arch. Static
/// text.
BITSTEP_EXPORT const char* bitstep_arch_name(int arch);

/// Name to bitstep_arch.
/// @param[in] name as bitstep_arch_name gives it; "automatic" is none.
/// @param[out] arch written on success only.
/// @return OK for every name that bitstep knows, even where it cannot run here; ARCH_UNAVAILABLE for an unknown one (the
/// text lists those that run here), NULL_POINTER.
BITSTEP_EXPORT bitstep_status bitstep_arch_from_name(const char* name, int* arch);

/// Is it in this library?
/// @param[in] arch any number.
/// @return 1 where the arch is compiled, else 0.
BITSTEP_EXPORT int bitstep_arch_compiled(int arch);

/// Can it run here?
/// @param[in] arch any number.
/// @return 1 where the arch is compiled, and this CPU and operating system can run it, else 0.
BITSTEP_EXPORT int bitstep_arch_runnable(int arch);

/// What options.arch = BITSTEP_ARCH_AUTOMATIC runs.
/// @param[out] arch written on success only.
/// @return OK; ARCH_UNAVAILABLE where BITSTEP_ARCH names none that runs here, NULL_POINTER.
BITSTEP_EXPORT bitstep_status bitstep_active_arch(int* arch);

/// The most threads that options.threads = 0 asks for from here and now.
/// @param[out] threads written on success only.
/// @return OK; INVALID_ARGUMENT where BITSTEP_NUM_THREADS is no integer in [1, 1024], NULL_POINTER.
BITSTEP_EXPORT bitstep_status bitstep_active_threads(int* threads);

/// How long sums are cut (docs/numerics.md); lets tests place shapes at every edge.
typedef struct bitstep_panel_lengths {
    size_t column_panel; ///< elements of a row per partial dot product
    size_t row_panel;    ///< rows per partial gradient
    size_t float_lanes;  ///< partial sums per dot product in float
    size_t double_lanes; ///< the same in double
} bitstep_panel_lengths;

/// The constants of this numerics version.
/// @param[out] panels written on success only.
/// @return OK; NULL_POINTER.
BITSTEP_EXPORT bitstep_status bitstep_numerics_panels(bitstep_panel_lengths* panels);

#ifdef __cplusplus
}
#endif
