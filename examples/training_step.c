#include <bitstep/bitstep.h>

#include <stdio.h>

enum { workers = 4, micro_batches = 2, examples = 32, features = 100, rows = workers * micro_batches * examples };

static float xs[rows * features]; /* (W, A, B, d) */
static float ys[rows];            /* (W, A, B) */
static float weights[features], ema[features], m[features], v[features];

int main(void) {
    const bitstep_worker_batches_f32 batches = {xs, ys, workers, micro_batches, examples, features};
    bitstep_hyper_parameters hyper = BITSTEP_HYPER_PARAMETERS_INIT; /* lr 1e-3, betas 0.9 and 0.999, decay 0.999 */
    for (int i = 0; i < rows * features; ++i) xs[i] = 0.5f;
    for (int i = 0; i < rows; ++i) ys[i] = 1.0f;

    for (hyper.t = 1; hyper.t <= 100; ++hyper.t) {
        if (bitstep_distributed_step_in_place_f32(&batches, weights, ema, m, v, &hyper, NULL, NULL) != BITSTEP_OK) {
            fprintf(stderr, "%s\n", bitstep_last_error());
            return 1;
        }
    }
    printf("w[0] = %a after 100 steps, on every machine\n", weights[0]);
    return 0;
}
