/* SPDX-License-Identifier: Apache-2.0
 * A program that was compiled and linked with -ffast-math, so that its own arithmetic flushes denormal numbers to zero, gets
 * them from bitstep, on its own thread and on three (if the library has threads):
 * means of 3 and 5, 6 and 10 ... times the smallest number.
 * Exit codes: 0 as it must be; 1 not; 77 this compiler leaves the processor as it was, so there is nothing to see. */
#include <bitstep/bitstep.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { size = 70001 }; /* three tasks, so that three threads have something to do */

int main(void) {
    static float first[size], second[size], mean[size];
    const float* const workers[] = {first, second};
    const bitstep_worker_tensor_f32 tensor = {"denormals", workers, mean, size};
    uint32_t i, bits;
    volatile float own;
    int threads;

    for (i = 0; i < size; ++i) { /* as bits, since this program's own arithmetic would not keep them */
        const uint32_t a = 3 * i, b = 5 * i;
        memcpy(&first[i], &a, sizeof a);
        memcpy(&second[i], &b, sizeof b);
    }
    own = first[1];
    own = own * 1.5F;
    memcpy(&bits, (const void*)&own, sizeof bits);
    if (bits != 0) return printf("skipped: %s flushes nothing here\n", "-ffast-math"), 77;

    for (threads = 1; threads <= MOST_THREADS; threads += 2) {
        bitstep_options options = BITSTEP_OPTIONS_INIT;
        bitstep_run_report report = BITSTEP_RUN_REPORT_INIT;
        options.report = &report;
        options.threads = threads;
        options.serial_below_bytes = 0;
        memset(mean, 255, sizeof mean);
        if (bitstep_allreduce_mean_f32(&tensor, 1, 2, NULL, &options, NULL) != BITSTEP_OK) {
            return printf("%s\n", bitstep_last_error()), 1;
        }
        if (report.threads != threads) return printf("%d threads ran, not %d\n", report.threads, threads), 1;
        for (i = 0; i < size; ++i) {
            memcpy(&bits, &mean[i], sizeof bits);
            if (bits != 4 * i) return printf("element %u, %d threads: bits %u\n", i, threads, bits), 1;
        }
    }
    own = first[1]; /* and the program is flushed as before */
    own = own * 1.5F;
    memcpy(&bits, (const void*)&own, sizeof bits);
    return bits == 0 ? 0 : 1;
}
