// SPDX-License-Identifier: Apache-2.0
// Stage 1 for distributed_step, see validate_step.hpp.
#include "validate_step.hpp"

#include "message.hpp"

#include <cstdint>

namespace bitstep::internal {
namespace {

/// What a step writes stays off the structs that it reads all along, and off its report. The two structs lie beside one
/// another more often than beside arrays, so one comparison with both together does for most.
template <class T>
struct kept_structs {
    const step_arguments<T>& a;
    memory_span opts{"options", &a.opts, sizeof a.opts};
    memory_span hyper{"hyper", &a.hyper, sizeof a.hyper};
    std::uintptr_t low = opts.start() < hyper.start() ? opts.start() : hyper.start();
    std::uintptr_t high = opts.end() > hyper.end() ? opts.end() : hyper.end();

    void disjoint_from(checks& c, const memory_span& written) const noexcept {
        if (written.start() < high && low < written.end()) c.disjoint(written, opts).disjoint(written, hyper);
        if (a.opts.report != nullptr) c.disjoint(written, report_span(a.opts));
    }
};

} // namespace

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
    const kept_structs<T> kept{a};
    kept.disjoint_from(c, given);
    if (a.opts.report != nullptr) {
        disjoint_from_rows(c, report_span(a.opts), a.data);
        for (const memory_span& input : inputs.span) c.disjoint(report_span(a.opts), input);
    }
    if (a.in_place) {
        for (std::size_t i = 0; i < 4; ++i) {
            disjoint_from_rows(c, inputs.span[i], a.data);
            kept.disjoint_from(c, inputs.span[i]);
            for (std::size_t k = i + 1; k < 4; ++k) c.disjoint(inputs.span[i], inputs.span[k]);
        }
        return c.result();
    }
    const memory_span out{"out", a.out.weights, 4 * a.in.features * sizeof(T)};
    disjoint_from_rows(c.disjoint(out, given), out, a.data);
    for (const memory_span& input : inputs.span) c.disjoint(out, input);
    kept.disjoint_from(c, out);
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
