// SPDX-License-Identifier: Apache-2.0
// One valid distributed_step call in each of its four public forms, whose arguments a table row spoils; every array is
// watched. W = 2, A = 3, B = 4, d = 5.
#pragma once

#include "arch_threads.hpp"
#include "problem.hpp"
#include "refusal.hpp"
#include "state.hpp"

#include <bitstep/bitstep.hpp>

#include <functional>
#include <string>
#include <vector>

namespace bitstep_test {

enum class step_form { batches_to_out, rows_to_out, batches_in_place, rows_in_place };

inline constexpr step_form every_form[] = {step_form::batches_to_out, step_form::rows_to_out,
                                           step_form::batches_in_place, step_form::rows_in_place};

inline const char* form_name(step_form form) {
    const char* names[] = {"batches, functional", "rows, functional", "batches, in place", "rows, in place"};
    return names[static_cast<int>(form)];
}

inline bool is_in_place(step_form form) {
    return form == step_form::batches_in_place || form == step_form::rows_in_place;
}
inline bool is_functional(step_form form) { return !is_in_place(form); }
inline bool has_batches(step_form form) {
    return form == step_form::batches_to_out || form == step_form::batches_in_place;
}
inline bool has_rows(step_form form) { return !has_batches(form); }

template <class T>
struct step_call {
    static constexpr std::size_t rows_count = 24;
    static constexpr std::size_t d = 5;

    dense_problem<T> data = make_problem<T>(1, rows_count, d, data_kind::usual);
    std::vector<T> flat = make_state<T>(2, d, data_kind::usual);
    std::vector<T> out_values = std::vector<T>(4 * d, T(77));
    std::vector<unsigned char> scratch_bytes = std::vector<unsigned char>(1U << 20U);
    bitstep::shard_view<T> shards[17] = {}; ///< three are used

    bitstep::worker_batches<T> batches;
    bitstep::row_sequence<T> rows;
    bitstep::state_view<T> state;
    bitstep::vector_view<T> out;
    bitstep::hyper_parameters hyper{0.01, 0.9, 0.999, 1e-8, 0.995, 3};
    bitstep::options opts;
    bitstep::workspace scratch;

    step_call() {
        batches = {data.x.data(), data.y.data(), 2, 3, 4, d};
        shards[0] = {data.x.data(), data.y.data(), 10, d};
        shards[1] = {nullptr, nullptr, 0, 0};
        shards[2] = {data.x.data() + 10 * d, data.y.data() + 10, 14, d};
        rows = {shards, 3, d};
        state = quarters(flat.data(), d);
        out = {out_values.data(), out_values.size()};
    }
    step_call(const step_call&) = delete;
    step_call& operator=(const step_call&) = delete;
    step_call(step_call&&) = delete;
    step_call& operator=(step_call&&) = delete;
    ~step_call() = default;

    bitstep::status run(step_form form) const {
        const bitstep::state_view<const T> in{state.weights, state.ema_weights, state.m, state.v, state.features};
        switch (form) {
        case step_form::batches_to_out:
            return bitstep::distributed_step<T>(batches, in, hyper, out, opts, scratch);
        case step_form::rows_to_out:
            return bitstep::distributed_step<T>(rows, in, hyper, out, opts, scratch);
        case step_form::batches_in_place:
            return bitstep::distributed_step<T>(batches, state, hyper, opts, scratch);
        case step_form::rows_in_place:
            break;
        }
        return bitstep::distributed_step<T>(rows, state, hyper, opts, scratch);
    }

    void watch_all(watched_memory& memory) const {
        memory.watch("X", data.x.data(), data.x.size());
        memory.watch("y", data.y.data(), data.y.size());
        memory.watch("state", flat.data(), flat.size());
        memory.watch("out", out_values.data(), out_values.size());
    }
};

template <class T>
struct step_row {
    const char* label;
    std::function<void(step_call<T>&)> spoil;
    refusal wanted;
    bool (*applies)(step_form) = nullptr; ///< null: in every form
};

/// Each row in each form it applies to; and the unspoilt call succeeds, so that the spoilt argument is the reason.
template <class T>
void expect_rows_refused(const std::vector<step_row<T>>& table) {
    std::size_t refused = 0;
    for (const step_row<T>& row : table) {
        for (const step_form form : every_form) {
            if (row.applies != nullptr && !row.applies(form)) {
                continue;
            }
            SCOPED_TRACE(form_name(form));
            step_call<T> good;
            expect_ok(good.run(form));
            step_call<T> call;
            row.spoil(call);
            watched_memory memory;
            call.watch_all(memory);
            expect_refused(
                row.label, [&] { return call.run(form); }, row.wanted, memory);
            ++refused;
        }
    }
    EXPECT_GT(refused, 0U) << "this test refused nothing";
}

} // namespace bitstep_test
