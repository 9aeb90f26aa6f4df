/* SPDX-License-Identifier: Apache-2.0
 * languages.c for one element type: T, its BITS and DIGITS, OF(name) of bitstep's names and LOCAL(name) of those here. */

/* `count` values, then `gap` of NaN, which nobody may read. */
static T* LOCAL(draw)(T* to, size_t count, size_t gap) {
    const T half = (T)((int64_t)1 << (DIGITS - 1));
    size_t i;
    for (i = 0; i < count; ++i) {
        const T whole = (T)((int64_t)(next_number() >> (64 - DIGITS)) - ((int64_t)1 << (DIGITS - 1)));
        const T power = (T)((int64_t)1 << next_number() % 13) / (T)64;
        to[i] = whole / half * power;
    }
    for (i = 0; i < gap; ++i) to[count + i] = (T)NAN;
    return to + count + gap;
}

static uint64_t LOCAL(hash)(const T* values, size_t count) {
    uint64_t all = 0xCBF29CE484222325u;
    size_t i;
    for (i = 0; i < count; ++i) {
        BITS bits;
        memcpy(&bits, values + i, sizeof bits);
        all = hash_bytes(bits, sizeof bits, all);
    }
    return all;
}

typedef struct LOCAL(problem) {
    T *x, *y, *state, *grad, *small[3], *large[3], *out;
    OF(shard) shard;
    OF(row_sequence) sequence;
    bitstep_hyper_parameters hyper;
    bitstep_options options;
} LOCAL(problem);

static void LOCAL(make)(LOCAL(problem) * p, const shape* of, uint64_t number, int threads) {
    const size_t n = of->rows, d = of->features, stride = d + of->gap;
    const bitstep_hyper_parameters hyper = {sizeof hyper, 0.01, 0.9, 0.999, 1e-8, 0.995, 3};
    const bitstep_options options = BITSTEP_OPTIONS_INIT;
    size_t i;
    T* at = room_for(n * stride + n + 5 * d + 3 * (d + n) + 4 * d + 3 * n + 1, sizeof(T));
    generator = number;
    p->x = at;
    for (i = 0; i < n; ++i) at = LOCAL(draw)(at, d, of->gap);
    p->y = at;
    at = LOCAL(draw)(at, n, 0);
    p->state = at;
    at = LOCAL(draw)(at, 4 * d, 0);
    for (i = 3 * d; i < 4 * d; ++i) p->state[i] = p->state[i] < 0 ? -p->state[i] : p->state[i];
    p->grad = at;
    at = LOCAL(draw)(at, d, 0);
    for (i = 0; i < 3; ++i) {
        p->small[i] = at;
        p->large[i] = LOCAL(draw)(at, d, 0);
        at = LOCAL(draw)(p->large[i], n, 0);
    }
    p->out = at;
    p->shard.x = p->x;
    p->shard.y = p->y;
    p->shard.rows = n;
    p->shard.row_stride = stride;
    p->sequence.shards = &p->shard;
    p->sequence.shard_count = 1;
    p->sequence.features = d;
    p->hyper = hyper;
    p->options = options;
    p->options.threads = threads;
    p->options.serial_below_bytes = 0;
}

static void LOCAL(take_step)(const LOCAL(problem) * p, const shape* of) {
    const size_t d = of->features;
    const T* s = p->state;
    if (of->gap > 0) {
        require(OF(distributed_step_rows)(&p->sequence, s, s + d, s + 2 * d, s + 3 * d, &p->hyper, p->out, &p->options,
                                          NULL));
    } else {
        const OF(worker_batches) batches = {p->x, p->y, of->workers, of->micro_batches, of->examples, d};
        require(OF(distributed_step)(&batches, s, s + d, s + 2 * d, s + 3 * d, &p->hyper, p->out, &p->options, NULL));
    }
}

static void LOCAL(take_mean)(const LOCAL(problem) * p, const shape* of, const long long* counts) {
    const T* const small[] = {p->small[0], p->small[1], p->small[2]};
    const T* const large[] = {p->large[0], p->large[1], p->large[2]};
    const OF(worker_tensor)
        tensors[] = {{"small", small, p->out, of->features}, {"large", large, p->out + of->features, of->rows}};
    require(OF(allreduce_mean)(tensors, 2, 3, counts, &p->options, NULL));
}

static void LOCAL(take_ring)(const LOCAL(problem) * p, const shape* of, int op) {
    const T* const from[] = {p->large[0], p->large[1], p->large[2]};
    T* const to[] = {p->out, p->out + of->rows, p->out + 2 * of->rows};
    require(OF(simulate_ring_allreduce)(from, 3, of->rows, op, to, NULL));
}

static void LOCAL(write_mode)(LOCAL(problem) * p, const shape* of, int accumulate) {
    static const long long counts[] = {3, 0, 5};
    const size_t n = of->rows, d = of->features;
    const OF(matrix) x = {p->x, n, d, d + of->gap};
    const char* mode = accumulate == BITSTEP_ACCUMULATE_WIDE ? "wide" : "native";
    p->options.accumulate = accumulate;
    require(OF(predict)(&x, p->state, p->out, &p->options));
    write_line(of, TYPE_NAME, mode, "predict", LOCAL(hash)(p->out, n));
    require(OF(residual)(&x, p->y, p->state, p->out, &p->options));
    write_line(of, TYPE_NAME, mode, "residual", LOCAL(hash)(p->out, n));
    require(OF(gradient)(&p->sequence, p->state, p->out, p->out + d, &p->options, NULL));
    write_line(of, TYPE_NAME, mode, "gradient", LOCAL(hash)(p->out, d + 1));
    LOCAL(take_step)(p, of);
    write_line(of, TYPE_NAME, mode, "step", LOCAL(hash)(p->out, 4 * d));
    LOCAL(take_mean)(p, of, NULL);
    write_line(of, TYPE_NAME, mode, "mean", LOCAL(hash)(p->out, d + n));
    LOCAL(take_mean)(p, of, counts);
    write_line(of, TYPE_NAME, mode, "weighted_mean", LOCAL(hash)(p->out, d + n));
}

static void LOCAL(write_lines)(const shape* of, uint64_t number, int threads) {
    const size_t d = of->features;
    LOCAL(problem) p;
    LOCAL(make)(&p, of, number, threads);
    LOCAL(write_mode)(&p, of, BITSTEP_ACCUMULATE_NATIVE);
    LOCAL(write_mode)(&p, of, BITSTEP_ACCUMULATE_WIDE);
    memcpy(p.out, p.state, 4 * d * sizeof(T));
    require(OF(adam_ema_update)(p.grad, d, p.out, p.out + d, p.out + 2 * d, p.out + 3 * d, &p.hyper, &p.options));
    write_line(of, TYPE_NAME, "-", "update", LOCAL(hash)(p.out, 4 * d));
    LOCAL(take_ring)(&p, of, BITSTEP_RING_MEAN);
    write_line(of, TYPE_NAME, "-", "ring_mean", LOCAL(hash)(p.out, 3 * of->rows));
    LOCAL(take_ring)(&p, of, BITSTEP_RING_SUM);
    write_line(of, TYPE_NAME, "-", "ring_sum", LOCAL(hash)(p.out, 3 * of->rows));
    free(p.x);
}
