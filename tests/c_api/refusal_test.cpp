// SPDX-License-Identifier: Apache-2.0
// Proves: every kind of bad argument of every C verb is refused with its status and a text that names argument, rule and
// value, and changes nothing; the text is empty after a success.
#include "c_calls.hpp"

#include "support/typed.hpp"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

namespace bitstep_test {
namespace {

template <class T>
class c_refusal_test : public testing::Test {};
TYPED_TEST_SUITE(c_refusal_test, element_types, element_names);

template <class T>
using verb = bitstep_status (c_calls<T>::*)();

template <class T>
std::vector<verb<T>> steps() {
    using k = c_calls<T>;
    return {&k::step, &k::step_rows, &k::step_in_place, &k::step_rows_in_place};
}
template <class T>
std::vector<verb<T>> with_options() {
    using k = c_calls<T>;
    return {&k::step,    &k::step_rows, &k::step_in_place, &k::step_rows_in_place, &k::gradient,
            &k::predict, &k::residual,  &k::update,        &k::take_mean};
}

template <class T>
struct c_refused_row {
    const char* label;
    std::vector<verb<T>> verbs;
    std::function<void(c_calls<T>&)> spoil;
    bitstep_status wanted;
    std::vector<std::string> words;
};

template <class T>
void expect_refused_rows(const std::vector<c_refused_row<T>>& table) {
    std::size_t refused = 0;
    for (const c_refused_row<T>& row : table) {
        for (std::size_t i = 0; i < row.verbs.size(); ++i) {
            SCOPED_TRACE(std::string(row.label) + ", verb " + std::to_string(i));
            c_calls<T> good(24, 5, data_kind::usual);
            EXPECT_EQ((good.*row.verbs[i])(), BITSTEP_OK) << bitstep_last_error();
            EXPECT_STREQ(bitstep_last_error(), "") << "after a success";
            c_calls<T> call(24, 5, data_kind::usual);
            row.spoil(call);
            watched_memory memory;
            call.watch_all(memory);
            memory.remember();
            EXPECT_EQ((call.*row.verbs[i])(), row.wanted) << bitstep_last_error();
            for (const std::string& word : row.words) {
                EXPECT_NE(std::string_view(bitstep_last_error()).find(word), std::string_view::npos)
                    << "the text lacks \"" << word << "\": " << bitstep_last_error();
            }
            memory.expect_unchanged();
            ++refused;
        }
    }
    EXPECT_GT(refused, 0U) << "this test refused nothing";
}

/// An output of one element that lies over a list: a call which lets it pass breaks no more than that.
struct over {
    void* place;
    over(void* at, std::size_t& size) : place(at) { size = 1; }
    template <class T>
    operator T*() const {
        return static_cast<T*>(place);
    }
};

TYPED_TEST(c_refusal_test, options_and_hyper_parameters) {
    using k = c_calls<TypeParam>;
    auto hyper_verbs = steps<TypeParam>();
    hyper_verbs.push_back(&k::update);
    const auto everywhere = with_options<TypeParam>();
    const double nan = std::nan("");
    expect_refused_rows<TypeParam>({
        {"options of size 0",
         everywhere,
         [](k& c) { c.options.struct_size = 0; },
         BITSTEP_INVALID_ARGUMENT,
         {"options.struct_size", "got 0"}},
        {"threads",
         everywhere,
         [](k& c) { c.options.threads = -1; },
         BITSTEP_INVALID_ARGUMENT,
         {"threads", "[0, 1024]", "got -1"}},
        {"a pool without threads",
         everywhere,
         [](k& c) { c.options.parallel_for = [](void*, std::size_t, bitstep_task, void*) {}; },
         BITSTEP_INVALID_ARGUMENT,
         {"threads", "parallel_for", "got 0"}},
        {"accumulate",
         everywhere,
         [](k& c) { c.options.accumulate = 2; },
         BITSTEP_INVALID_ARGUMENT,
         {"accumulate", "[0, 1]", "got 2"}},
        {"check_state",
         everywhere,
         [](k& c) { c.options.check_state = 3; },
         BITSTEP_INVALID_ARGUMENT,
         {"check_state", "[0, 2]", "got 3"}},
        {"arch", everywhere, [](k& c) { c.options.arch = 99; }, BITSTEP_ARCH_UNAVAILABLE, {"arch", "got 99"}},
        {"no hyper", hyper_verbs, [](k& c) { c.hyper_argument = nullptr; }, BITSTEP_NULL_POINTER, {"hyper", "null"}},
        {"hyper of size 0",
         hyper_verbs,
         [](k& c) { c.hyper.struct_size = 0; },
         BITSTEP_INVALID_ARGUMENT,
         {"hyper.struct_size", "got 0"}},
        {"lr", hyper_verbs, [](k& c) { c.hyper.lr = -1; }, BITSTEP_INVALID_ARGUMENT, {"lr", ">= 0", "got -1"}},
        {"beta1", hyper_verbs, [](k& c) { c.hyper.beta1 = 1; }, BITSTEP_INVALID_ARGUMENT, {"beta1", "[0, 1)", "got 1"}},
        {"beta2", hyper_verbs, [nan](k& c) { c.hyper.beta2 = nan; }, BITSTEP_INVALID_ARGUMENT, {"beta2", "nan"}},
        {"eps", hyper_verbs, [](k& c) { c.hyper.eps = 0; }, BITSTEP_INVALID_ARGUMENT, {"eps", "> 0", "got 0"}},
        {"decay", hyper_verbs, [](k& c) { c.hyper.decay = 2; }, BITSTEP_INVALID_ARGUMENT, {"decay", "[0, 1]", "got 2"}},
        {"t", hyper_verbs, [](k& c) { c.hyper.t = 0; }, BITSTEP_INVALID_ARGUMENT, {"t must be >= 1", "got 0"}},
    });
}

TYPED_TEST(c_refusal_test, data) {
    using k = c_calls<TypeParam>;
    const TypeParam infinity = std::numeric_limits<TypeParam>::infinity();
    const TypeParam largest = std::numeric_limits<TypeParam>::max();
    auto from_data = steps<TypeParam>();
    from_data.push_back(&k::gradient);
    const std::vector<verb<TypeParam>> from_rows = {&k::step_rows, &k::step_rows_in_place, &k::gradient};
    const std::vector<verb<TypeParam>> from_batches = {&k::step, &k::step_in_place};
    const std::vector<verb<TypeParam>> from_matrix = {&k::predict, &k::residual};
    expect_refused_rows<TypeParam>({
        {"no batches", from_batches, [](k& c) { c.batches.worker_xs = nullptr; }, BITSTEP_NULL_POINTER, {"worker_xs"}},
        {"no workers", from_batches, [](k& c) { c.batches.workers = 0; }, BITSTEP_INVALID_SHAPE, {"workers", "got 0"}},
        {"no features", from_batches, [](k& c) { c.batches.features = 0; }, BITSTEP_INVALID_SHAPE, {"features"}},
        {"sizes that overflow",
         from_batches,
         [](k& c) { c.batches.features = SIZE_MAX / 8; },
         BITSTEP_INVALID_SHAPE,
         {"2^63 bytes"}},
        {"no shards", from_rows, [](k& c) { c.rows.shards = nullptr; }, BITSTEP_NULL_POINTER, {"shards"}},
        {"no rows", from_rows, [](k& c) { c.rows.shard_count = 0; }, BITSTEP_INVALID_SHAPE, {"rows", "got 0"}},
        {"a shard's stride",
         from_rows,
         [](k& c) { c.shards[2].row_stride = 4; },
         BITSTEP_INVALID_SHAPE,
         {"row_stride", "features = 5", "got 4"}},
        {"a shard without y", from_rows, [](k& c) { c.shards[2].y = nullptr; }, BITSTEP_NULL_POINTER, {"shards[2].y"}},
        {"X", from_data, [infinity](k& c) { c.data.x[7] = infinity; }, BITSTEP_NON_FINITE, {"finite", "inf"}},
        {"a gradient that overflows",
         from_data,
         [largest](k& c) { c.data.x[7] = largest; },
         BITSTEP_GRADIENT_OVERFLOW,
         {"gradient", "overflow"}},
        {"a workspace too small",
         from_data,
         [](k& c) { c.workspace.bytes = 8; },
         BITSTEP_WORKSPACE_TOO_SMALL,
         {"workspace", "got 8"}},
        {"a workspace in the data",
         from_data,
         [](k& c) { c.workspace.data = c.data.x.data(); },
         BITSTEP_OVERLAP,
         {"workspace", "overlap"}},
        {"the data of a matrix", from_matrix, [](k& c) { c.x.data = nullptr; }, BITSTEP_NULL_POINTER, {"x.data must"}},
        {"rows of a matrix", from_matrix, [](k& c) { c.x.rows = 0; }, BITSTEP_INVALID_SHAPE, {"x.rows", "got 0"}},
        {"a matrix's stride",
         from_matrix,
         [](k& c) { c.x.row_stride = 2; },
         BITSTEP_INVALID_SHAPE,
         {"x.row_stride", "x.cols = 5", "got 2"}},
        {"no w",
         {&k::predict, &k::residual, &k::gradient, &k::update},
         [](k& c) { c.w = nullptr; },
         BITSTEP_NULL_POINTER,
         {"must not be null"}},
        {"no y", {&k::residual}, [](k& c) { c.y = nullptr; }, BITSTEP_NULL_POINTER, {"y must"}},
        {"no features to update",
         {&k::update},
         [](k& c) { c.features = 0; },
         BITSTEP_INVALID_SHAPE,
         {"features", "got 0"}},
    });
}

TYPED_TEST(c_refusal_test, outputs_state_and_workers) {
    using k = c_calls<TypeParam>;
    static const long long negative[] = {1, -2, 3};
    static const long long nothing[] = {0, 0, 0};
    expect_refused_rows<TypeParam>({
        {"no out", {&k::step}, [](k& c) { c.out_argument = nullptr; }, BITSTEP_NULL_POINTER, {"out"}},
        {"out over w", {&k::step}, [](k& c) { c.out_argument = c.flat.data(); }, BITSTEP_OVERLAP, {"out", "weights"}},
        {"no ema_weights",
         {&k::step, &k::step_rows},
         [](k& c) { c.ema_weights = nullptr; },
         BITSTEP_NULL_POINTER,
         {"ema_weights"}},
        {"v < 0",
         {&k::step, &k::step_rows},
         [](k& c) { c.flat[18] = -1; },
         BITSTEP_INVALID_ARGUMENT,
         {"v must be >= 0", "got -1", "element 3"}},
        {"v < 0 in place",
         {&k::step_in_place},
         [](k& c) { c.in_place[18] = -1; },
         BITSTEP_INVALID_ARGUMENT,
         {"v must be >= 0", "got -1", "element 3"}},
        {"v < 0 in an update that checks",
         {&k::update},
         [](k& c) {
             c.updated[18] = -1;
             c.options.check_state = BITSTEP_CHECK_ON;
         },
         BITSTEP_INVALID_ARGUMENT,
         {"v must be >= 0", "got -1", "element 3"}},
        {"no grad", {&k::gradient}, [](k& c) { c.grad_argument = nullptr; }, BITSTEP_NULL_POINTER, {"grad"}},
        {"grad over w",
         {&k::gradient},
         [](k& c) { c.grad_argument = c.data.w.data(); },
         BITSTEP_OVERLAP,
         {"grad", "w"}},
        {"mse in X", {&k::gradient}, [](k& c) { c.mse_argument = c.data.x.data(); }, BITSTEP_OVERLAP, {"mse"}},
        {"predictions over X",
         {&k::predict},
         [](k& c) { c.predicted_argument = c.data.x.data(); },
         BITSTEP_OVERLAP,
         {"out", "x"}},
        {"residuals half over y",
         {&k::residual},
         [](k& c) { c.residual_argument = c.data.y.data() + 1; },
         BITSTEP_OVERLAP,
         {"out", "y"}},
        {"a tensor without mean",
         {&k::take_mean},
         [](k& c) { c.tensor.mean = nullptr; },
         BITSTEP_NULL_POINTER,
         {"tensors[0]", "\"w\""}},
        {"a missing gradient",
         {&k::take_mean},
         [](k& c) { c.inputs[1] = nullptr; },
         BITSTEP_NULL_POINTER,
         {"tensors[0]"}},
        {"a mean half over an input",
         {&k::take_mean},
         [](k& c) { c.tensor.mean = c.workers[2].data() + 1; },
         BITSTEP_OVERLAP,
         {"tensors[0]"}},
        {"a mean over the list of its inputs",
         {&k::take_mean},
         [](k& c) { c.tensor.mean = over(c.inputs.data(), c.tensor.size); },
         BITSTEP_OVERLAP,
         {"tensors[0]", "list of worker_grads"}},
        {"a mean over the list of tensors",
         {&k::take_mean},
         [](k& c) { c.tensor.mean = over(&c.tensor.name, c.tensor.size); },
         BITSTEP_OVERLAP,
         {"tensors[0]", "must not overlap tensors"}},
        {"a mean over the counts",
         {&k::take_mean},
         [](k& c) {
             static long long ones[] = {1, 1, 1};
             c.counts = ones;
             c.tensor.mean = over(ones, c.tensor.size);
         },
         BITSTEP_OVERLAP,
         {"tensors[0]", "counts"}},
        {"finals over their own list",
         {&k::ring},
         [](k& c) { c.outputs[1] = over(c.outputs.data(), c.features); },
         BITSTEP_OVERLAP,
         {"finals[1]", "the list finals"}},
        {"finals over the list of vectors",
         {&k::ring},
         [](k& c) { c.outputs[1] = over(c.inputs.data(), c.features); },
         BITSTEP_OVERLAP,
         {"finals[1]", "the list worker_vectors"}},
        {"a negative count",
         {&k::take_mean},
         [](k& c) { c.counts = negative; },
         BITSTEP_INVALID_ARGUMENT,
         {"counts", "got -2 at worker 1"}},
        {"counts of nothing", {&k::take_mean}, [](k& c) { c.counts = nothing; }, BITSTEP_INVALID_ARGUMENT, {"counts"}},
        {"op", {&k::ring}, [](k& c) { c.op = 2; }, BITSTEP_INVALID_ARGUMENT, {"op", "[0, 1]", "got 2"}},
        {"a missing vector", {&k::ring}, [](k& c) { c.inputs[2] = nullptr; }, BITSTEP_NULL_POINTER, {"worker_vectors"}},
        {"finals in one another", {&k::ring}, [](k& c) { c.outputs[2] = c.outputs[1]; }, BITSTEP_OVERLAP, {"finals"}},
    });
}

/// The report is one more output, and written last.
TYPED_TEST(c_refusal_test, reports_over_arrays) {
    using k = c_calls<TypeParam>;
    static const bitstep_run_report fresh = BITSTEP_RUN_REPORT_INIT;
    const auto in = [](k& c, const void* array) {
        void* place = const_cast<void*>(array);
        std::memcpy(place, &fresh, sizeof fresh);
        c.options.report = static_cast<bitstep_run_report*>(place);
    };
    const auto report_in_data = steps<TypeParam>();
    expect_refused_rows<TypeParam>({
        {"in X", report_in_data, [in](k& c) { in(c, c.data.x.data()); }, BITSTEP_OVERLAP, {"options.report"}},
        {"in y", {&k::gradient}, [in](k& c) { in(c, c.data.y.data()); }, BITSTEP_OVERLAP, {"options.report", "y"}},
        {"in the workspace",
         {&k::step, &k::step_rows_in_place, &k::gradient},
         [in](k& c) { in(c, c.scratch.data()); },
         BITSTEP_OVERLAP,
         {"workspace", "options.report"}},
        {"in out", {&k::step}, [in](k& c) { in(c, c.out.data()); }, BITSTEP_OVERLAP, {"out", "options.report"}},
        {"in the state", {&k::step}, [in](k& c) { in(c, c.flat.data()); }, BITSTEP_OVERLAP, {"options.report"}},
        {"in the state in place",
         {&k::step_in_place},
         [in](k& c) { in(c, c.in_place.data()); },
         BITSTEP_OVERLAP,
         {"options.report"}},
        {"in grad", {&k::gradient}, [in](k& c) { in(c, c.grad.data()); }, BITSTEP_OVERLAP, {"grad", "options.report"}},
        {"in predictions",
         {&k::predict},
         [in](k& c) { in(c, c.predicted.data()); },
         BITSTEP_OVERLAP,
         {"out", "options.report"}},
        {"in the matrix",
         {&k::predict, &k::residual},
         [in](k& c) { in(c, c.data.x.data()); },
         BITSTEP_OVERLAP,
         {"options.report", "x"}},
        {"in the updated state",
         {&k::update},
         [in](k& c) { in(c, c.updated.data()); },
         BITSTEP_OVERLAP,
         {"weights", "options.report"}},
        {"in the gradient of an update",
         {&k::update},
         [in](k& c) { in(c, c.data.w.data()); },
         BITSTEP_OVERLAP,
         {"options.report", "grad"}},
        {"in a mean",
         {&k::take_mean},
         [in](k& c) { in(c, c.mean.data()); },
         BITSTEP_OVERLAP,
         {"tensors[0]", "options.report"}},
    });
}

TYPED_TEST(c_refusal_test, null_structs_and_outputs_of_queries) {
    using c = verbs_of<TypeParam>;
    TypeParam number = 1;
    const auto expect_null = [](bitstep_status got, const char* text) {
        EXPECT_EQ(got, BITSTEP_NULL_POINTER);
        EXPECT_STREQ(bitstep_last_error(), text);
    };
    const TypeParam* in = &number;
    const bitstep_hyper_parameters hyper = BITSTEP_HYPER_PARAMETERS_INIT;
    expect_null(c::step(nullptr, in, in, in, in, &hyper, &number, nullptr, nullptr), "batches must not be null");
    expect_null(c::step_rows(nullptr, in, in, in, in, &hyper, &number, nullptr, nullptr), "rows must not be null");
    expect_null(c::step_in_place(nullptr, &number, &number, &number, &number, &hyper, nullptr, nullptr),
                "batches must not be null");
    expect_null(c::step_rows_in_place(nullptr, &number, &number, &number, &number, &hyper, nullptr, nullptr),
                "rows must not be null");
    expect_null(c::gradient(nullptr, in, &number, nullptr, nullptr, nullptr), "rows must not be null");
    expect_null(c::predict(nullptr, in, &number, nullptr), "x must not be null");
    expect_null(c::residual(nullptr, in, in, &number, nullptr), "x must not be null");
    expect_null(c::mean(nullptr, 1, 1, nullptr, nullptr, nullptr), "tensors must not be null");
    expect_null(c::step_bytes(1, 1, nullptr, nullptr), "bytes must not be null");
    expect_null(c::gradient_bytes(1, 1, nullptr, nullptr), "bytes must not be null");
    expect_null(c::mean_bytes(1, 1, nullptr), "bytes must not be null");
    expect_null(bitstep_arch_from_name(nullptr, nullptr), "name must not be null");
    expect_null(bitstep_arch_from_name("avx2", nullptr), "arch must not be null");
    expect_null(bitstep_active_arch(nullptr), "arch must not be null");
    expect_null(bitstep_active_threads(nullptr), "threads must not be null");
    expect_null(bitstep_numerics_panels(nullptr), "panels must not be null");
    EXPECT_EQ(number, TypeParam(1));
    std::size_t bytes = 7;
    EXPECT_EQ(c::gradient_bytes(0, 1, nullptr, &bytes), BITSTEP_INVALID_SHAPE);
    EXPECT_EQ(bytes, 7U);
}

} // namespace
} // namespace bitstep_test
