/* SPDX-License-Identifier: Apache-2.0
 * The header in C, and each verb called once from C99 for both types; each check looks at an output that nothing before it
 * could have left there. Exit code: the number of the check that failed. */
#include <bitstep/bitstep.h>

#include <stdio.h>
#include <string.h>

#if __STDC_VERSION__ != BITSTEP_TEST_C_VERSION
#error "compile this as the C that tests/c_api/CMakeLists.txt says"
#endif

static int failed;
static void check(int number, int holds) {
    if (holds || failed != 0) return;
    failed = number;
    fprintf(stderr, "check %d failed: \"%s\"\n", number, bitstep_last_error());
}

/* X = [1], y = [1], w = 0, m = v = 0, lr = 0.2, betas 0, eps = 2, ema = 1, decay = 0.5: g = -2, [0.1, 0.55, -2, 4]. */
static bitstep_hyper_parameters worked_example(void) {
    bitstep_hyper_parameters hyper = BITSTEP_HYPER_PARAMETERS_INIT;
    hyper.lr = 0.2;
    hyper.beta1 = hyper.beta2 = 0;
    hyper.eps = 2;
    hyper.decay = 0.5;
    return hyper;
}

static void in_float(void) {
    const float one = 1, zero = 0, ema = 1;
    const bitstep_matrix_f32 x = {&one, 1, 1, 1};
    const bitstep_worker_batches_f32 batches = {&one, &one, 1, 1, 1, 1};
    const bitstep_shard_f32 shard = {&one, &one, 1, 1};
    const bitstep_row_sequence_f32 rows = {&shard, 1, 1};
    const bitstep_hyper_parameters hyper = worked_example();
    const float want[4] = {0.1f, 0.55f, -2, 4};
    const float fresh[4] = {0, 1, 0, 0}, minus_two = -2;
    float out[4], rows_out[4], state[4], number, mse, *finals[1];
    size_t bytes = 0;
    finals[0] = &number;
    check(1, bitstep_distributed_step_f32(&batches, &zero, &ema, &zero, &zero, &hyper, out, NULL, NULL) == BITSTEP_OK);
    check(2, memcmp(out, want, sizeof out) == 0);
    check(3, bitstep_distributed_step_rows_f32(&rows, &zero, &ema, &zero, &zero, &hyper, rows_out, NULL, NULL) ==
                     BITSTEP_OK &&
                 memcmp(rows_out, want, sizeof rows_out) == 0);
    memcpy(state, fresh, sizeof state);
    check(4, bitstep_distributed_step_in_place_f32(&batches, state, state + 1, state + 2, state + 3, &hyper, NULL,
                                                   NULL) == BITSTEP_OK);
    check(5, memcmp(state, want, sizeof state) == 0);
    memcpy(state, fresh, sizeof state);
    check(6, bitstep_distributed_step_rows_in_place_f32(&rows, state, state + 1, state + 2, state + 3, &hyper, NULL,
                                                        NULL) == BITSTEP_OK &&
                 memcmp(state, want, sizeof state) == 0);
    check(7, bitstep_distributed_step_workspace_bytes_f32(1, 1, NULL, &bytes) == BITSTEP_OK && bytes > 0);
    check(8, bitstep_gradient_f32(&rows, &zero, &number, &mse, NULL, NULL) == BITSTEP_OK && number == -2 && mse == 1);
    bytes = 0;
    check(9, bitstep_gradient_workspace_bytes_f32(1, 1, NULL, &bytes) == BITSTEP_OK && bytes > 0);
    check(10, bitstep_predict_f32(&x, &ema, &number, NULL) == BITSTEP_OK && number == 1);
    check(11, bitstep_residual_f32(&x, &one, &zero, &number, NULL) == BITSTEP_OK && number == -1);
    memcpy(state, fresh, sizeof state);
    check(12, bitstep_adam_ema_update_f32(&minus_two, 1, state, state + 1, state + 2, state + 3, &hyper, NULL) ==
                      BITSTEP_OK &&
                  memcmp(state, want, sizeof state) == 0);
    {
        const float *grads[2], two = 2;
        bitstep_worker_tensor_f32 tensor = {"w", grads, &number, 1};
        grads[0] = &zero;
        grads[1] = &two;
        check(13, bitstep_allreduce_mean_f32(&tensor, 1, 2, NULL, NULL, NULL) == BITSTEP_OK && number == 1);
        bytes = 0;
        check(14, bitstep_allreduce_mean_workspace_bytes_f32(1, 2, &bytes) == BITSTEP_OK && bytes > 0);
        check(15, bitstep_simulate_ring_allreduce_f32(grads + 1, 1, 1, BITSTEP_RING_SUM, finals, NULL) == BITSTEP_OK &&
                      number == 2);
    }
}

static void in_double(void) {
    const double one = 1, zero = 0, ema = 1;
    const bitstep_matrix_f64 x = {&one, 1, 1, 1};
    const bitstep_worker_batches_f64 batches = {&one, &one, 1, 1, 1, 1};
    const bitstep_shard_f64 shard = {&one, &one, 1, 1};
    const bitstep_row_sequence_f64 rows = {&shard, 1, 1};
    const bitstep_hyper_parameters hyper = worked_example();
    const double want[4] = {0.1, 0.55, -2, 4};
    const double fresh[4] = {0, 1, 0, 0}, minus_two = -2;
    double out[4], rows_out[4], state[4], number, mse, *finals[1];
    size_t bytes = 0;
    finals[0] = &number;
    check(21, bitstep_distributed_step_f64(&batches, &zero, &ema, &zero, &zero, &hyper, out, NULL, NULL) == BITSTEP_OK);
    check(22, memcmp(out, want, sizeof out) == 0);
    check(23, bitstep_distributed_step_rows_f64(&rows, &zero, &ema, &zero, &zero, &hyper, rows_out, NULL, NULL) ==
                      BITSTEP_OK &&
                  memcmp(rows_out, want, sizeof rows_out) == 0);
    memcpy(state, fresh, sizeof state);
    check(24, bitstep_distributed_step_in_place_f64(&batches, state, state + 1, state + 2, state + 3, &hyper, NULL,
                                                    NULL) == BITSTEP_OK);
    check(25, memcmp(state, want, sizeof state) == 0);
    memcpy(state, fresh, sizeof state);
    check(26, bitstep_distributed_step_rows_in_place_f64(&rows, state, state + 1, state + 2, state + 3, &hyper, NULL,
                                                         NULL) == BITSTEP_OK &&
                  memcmp(state, want, sizeof state) == 0);
    check(27, bitstep_distributed_step_workspace_bytes_f64(1, 1, NULL, &bytes) == BITSTEP_OK && bytes > 0);
    check(28, bitstep_gradient_f64(&rows, &zero, &number, &mse, NULL, NULL) == BITSTEP_OK && number == -2 && mse == 1);
    bytes = 0;
    check(29, bitstep_gradient_workspace_bytes_f64(1, 1, NULL, &bytes) == BITSTEP_OK && bytes > 0);
    check(30, bitstep_predict_f64(&x, &ema, &number, NULL) == BITSTEP_OK && number == 1);
    check(31, bitstep_residual_f64(&x, &one, &zero, &number, NULL) == BITSTEP_OK && number == -1);
    memcpy(state, fresh, sizeof state);
    check(32, bitstep_adam_ema_update_f64(&minus_two, 1, state, state + 1, state + 2, state + 3, &hyper, NULL) ==
                      BITSTEP_OK &&
                  memcmp(state, want, sizeof state) == 0);
    {
        const double *grads[2], two = 2;
        bitstep_worker_tensor_f64 tensor = {"w", grads, &number, 1};
        grads[0] = &zero;
        grads[1] = &two;
        check(33, bitstep_allreduce_mean_f64(&tensor, 1, 2, NULL, NULL, NULL) == BITSTEP_OK && number == 1);
        bytes = 0;
        check(34, bitstep_allreduce_mean_workspace_bytes_f64(1, 2, &bytes) == BITSTEP_OK && bytes > 0);
        check(35, bitstep_simulate_ring_allreduce_f64(grads + 1, 1, 1, BITSTEP_RING_SUM, finals, NULL) == BITSTEP_OK &&
                      number == 2);
    }
}

/* The caller's own threads: here one, which takes the tasks from the last to the first. */
static void backwards(void* pool, size_t n, bitstep_task task, void* context) {
    *(size_t*)pool += n;
    while (n-- > 0) task(n, context);
}

static void on_a_pool(void) {
    enum { d = 40000 }; /* two tasks */
    static float state[4 * d], grad[d];
    const bitstep_hyper_parameters hyper = worked_example();
    bitstep_options options = BITSTEP_OPTIONS_INIT;
    bitstep_run_report report = BITSTEP_RUN_REPORT_INIT;
    size_t tasks = 0;
    int i;
    for (i = 0; i < d; ++i) grad[i] = -2;
    options.threads = 4;
    options.arch = BITSTEP_ARCH_BASELINE;
    options.parallel_for = backwards;
    options.pool = &tasks;
    options.report = &report;
    if (!bitstep_arch_runnable(options.arch)) options.arch = BITSTEP_ARCH_NEON64;
    check(51, bitstep_adam_ema_update_f32(grad, d, state, state + d, state + 2 * d, state + 3 * d, &hyper, &options) ==
                  BITSTEP_OK);
    check(52, tasks == 2 && report.threads == 2);
    check(53, state[0] == 0.1f && memcmp(state, state + 1, (d - 1) * sizeof state[0]) == 0);
}

int main(void) {
    bitstep_options options = BITSTEP_OPTIONS_INIT;
    bitstep_run_report report = BITSTEP_RUN_REPORT_INIT;
    int arch = 0, threads = 0;
    bitstep_panel_lengths panels;
    in_float();
    in_double();
    on_a_pool();
    options.report = &report;
    check(41, options.threads == 0 && report.ran == BITSTEP_ARCH_AUTOMATIC && bitstep_ring_event_count(3) == 12);
    check(42, bitstep_arch_from_name("reference", &arch) == BITSTEP_OK && arch == BITSTEP_ARCH_REFERENCE);
    check(43, bitstep_arch_compiled(arch) && bitstep_arch_runnable(arch));
    check(44, strcmp(bitstep_arch_name(arch), "reference") == 0 && bitstep_version() != NULL);
    arch = BITSTEP_ARCH_AUTOMATIC;
    check(45, bitstep_active_arch(&arch) == BITSTEP_OK && arch != BITSTEP_ARCH_AUTOMATIC);
    check(46, bitstep_active_threads(&threads) == BITSTEP_OK && threads >= 1 && bitstep_numerics_version() >= 1);
    check(47, strcmp(bitstep_strerror(BITSTEP_OK), "success") == 0 && strlen(bitstep_last_error()) == 0);
    check(48, bitstep_predict_f32(NULL, NULL, NULL, NULL) == BITSTEP_NULL_POINTER && strlen(bitstep_last_error()) > 0);
    check(49, bitstep_numerics_panels(&panels) == BITSTEP_OK && panels.float_lanes == 16 && panels.double_lanes == 8);
    return failed;
}
