// SPDX-License-Identifier: Apache-2.0
// Stage 1 for distributed_step, see validate_step.hpp.
#include "validate_step.hpp"

#include "message.hpp"

namespace bitstep::internal {

template <class T>
status step_rules(step_arguments<T>& a) noexcept {
    checks c;
    row_rules(c, a.data);
    state_rules(c, a.in, a.data.rows.features);
    hyper_rules<T>(c, a.hyper).choices(a.opts);
    if (!c.ok()) return c.result();
    const state_spans<const T> inputs(a.in);
    const memory_span given{"workspace", a.given.data, a.given.bytes};
    disjoint_from_rows(c, given, a.data);
    for (const memory_span& input : inputs.span) c.disjoint(given, input);
    if (a.in_place) {
        for (std::size_t i = 0; i < 4; ++i) {
            disjoint_from_rows(c, inputs.span[i], a.data);
            for (std::size_t k = i + 1; k < 4; ++k) c.disjoint(inputs.span[i], inputs.span[k]);
        }
        return c.result();
    }
    const memory_span out{"out", a.out.weights, 4 * a.in.features * sizeof(T)};
    disjoint_from_rows(c.disjoint(out, given), out, a.data);
    for (const memory_span& input : inputs.span) c.disjoint(out, input);
    return c.result();
}

template <class T>
status flatten(const worker_batches<T>& b, shard_view<T>& one, row_data<T>& data) noexcept {
    std::size_t rows = 0;
    checks c;
    c.extent("workers", b.workers).extent("micro_batches", b.micro_batches).extent("examples", b.examples);
    if (c.ok() && (__builtin_mul_overflow(b.workers, b.micro_batches, &rows) ||
                   __builtin_mul_overflow(rows, b.examples, &rows))) {
        c.add(message() << "workers * micro_batches * examples must fit size_t, got " << b.workers << " * "
                        << b.micro_batches << " * " << b.examples << status_code::invalid_shape);
    }
    one = {b.worker_xs, b.worker_ys, rows, b.features};
    data = {{&one, 1, b.features}, data_naming::dense, 0};
    return c.result();
}

template <class T>
status split_output(const vector_view<T>& out, std::size_t features, state_view<T>& state) noexcept {
    checks c;
    c.pointer("out", out.data).fits("out", 4, features, features, sizeof(T));
    if (c.ok()) c.equal("out.size", out.size, "4 * features", 4 * features);
    if (!c.ok()) return c.result();
    state = {out.data, out.data + features, out.data + 2 * features, out.data + 3 * features, features};
    return {};
}

template status step_rules(step_arguments<float>&) noexcept;
template status flatten(const worker_batches<float>&, shard_view<float>&, row_data<float>&) noexcept;
template status split_output(const vector_view<float>&, std::size_t, state_view<float>&) noexcept;
template status step_rules(step_arguments<double>&) noexcept;
template status flatten(const worker_batches<double>&, shard_view<double>&, row_data<double>&) noexcept;
template status split_output(const vector_view<double>&, std::size_t, state_view<double>&) noexcept;

} // namespace bitstep::internal
