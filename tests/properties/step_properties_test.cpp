// SPDX-License-Identifier: Apache-2.0
// What docs/numerics.md implies for Adam and EMA, which are elementwise, and for distributed_step, which is a gradient over
// the flat row sequence and then they.
#include "properties/drawn.hpp"

namespace bitstep_test {
namespace {

template <class T>
class step_properties : public testing::Test {};
TYPED_TEST_SUITE(step_properties, element_types, element_names);

bitstep::hyper_parameters draw_hyper() {
    const auto fraction = [] { return static_cast<double>(draw_between(0, 999)) / 1000; };
    bitstep::hyper_parameters hyper;
    hyper.lr = fraction();
    hyper.beta1 = fraction();
    hyper.beta2 = fraction();
    hyper.eps = *rc::gen::element(1e-8, 1e-3, 1.0);
    hyper.decay = fraction();
    hyper.t = static_cast<long long>(draw_between(1, 100000));
    return hyper;
}

template <class T>
std::vector<T> updated(const std::vector<T>& grad, const std::vector<T>& flat, const bitstep::hyper_parameters& hyper,
                       const bitstep::options& opts) {
    const std::size_t number = draw_between(0, 30);
    const misaligned_buffer<T> placed(grad, number + 9);
    placed_state<T> state(flat, number);
    expect_ok(bitstep::adam_ema_update<T>({placed.data(), placed.size()}, state.view(), hyper, opts));
    EXPECT_TRUE(state.marks_intact()) << "adam_ema_update wrote outside the state";
    return state.flat();
}

/// Elements [first, first + count) of each quarter.
template <class T>
std::vector<T> part_of_state(const std::vector<T>& flat, std::size_t first, std::size_t count) {
    std::vector<T> part;
    for (std::size_t quarter = 0; quarter < 4; ++quarter) {
        const auto begin = flat.begin() + static_cast<std::ptrdiff_t>(quarter * flat.size() / 4 + first);
        part.insert(part.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
    }
    return part;
}

// Element j of the state meets element j of the gradient and the scalars, nothing else.
TYPED_TEST(step_properties, update_of_permuted_elements_is_permuted) {
    using T = TypeParam;
    holds("update of permuted elements is permuted", [] {
        const auto kind = *rc::gen::element(data_kind::usual, data_kind::spread, data_kind::tiny, data_kind::special);
        const std::size_t d = draw_size();
        const auto hyper = draw_hyper();
        split_mix64 random(draw_seed());
        const auto g = draw_many<T>(random, d, kind);
        const auto flat = make_state<T>(draw_seed(), d, kind);
        const auto order = draw_order(d);
        std::vector<std::size_t> flat_order;
        for (std::size_t quarter = 0; quarter < 4; ++quarter) {
            for (const std::size_t from : order) flat_order.push_back(quarter * d + from);
        }
        const auto want = in_order(updated(g, flat, hyper, reference_options(draw_mode())), flat_order);
        on_every_arch(draw_mode(), [&](const bitstep::options& opts) {
            require_same_bits(updated(in_order(g, order), in_order(flat, flat_order), hyper, opts), want);
        });
    });
}

// For the same reason two updates, of the front and of the back, are the update of both.
TYPED_TEST(step_properties, update_of_a_part_is_a_part_of_the_update) {
    using T = TypeParam;
    holds("update of a part is a part of the update", [] {
        const auto kind = *rc::gen::element(data_kind::usual, data_kind::tiny, data_kind::special);
        const std::size_t d = draw_size();
        const auto hyper = draw_hyper();
        split_mix64 random(draw_seed());
        const auto g = draw_many<T>(random, d, kind);
        const auto flat = make_state<T>(draw_seed(), d, kind);
        const auto whole = updated(g, flat, hyper, reference_options(draw_mode()));
        on_every_arch(draw_mode(), [&](const bitstep::options& opts) {
            const std::size_t first = draw_between(0, d - 1);
            const std::size_t count = *rc::gen::element(draw_between(1, d - first), d - first);
            const std::vector<T> part(g.begin() + static_cast<std::ptrdiff_t>(first),
                                      g.begin() + static_cast<std::ptrdiff_t>(first + count));
            require_same_bits(updated(part, part_of_state(flat, first, count), hyper, opts),
                              part_of_state(whole, first, count));
        });
    });
}

// Odd in g, w, e and m, even in v: every operation is. Zeros are compared as +0, being sums of other zeros.
TYPED_TEST(step_properties, update_of_the_negated_is_negated) {
    using T = TypeParam;
    holds("update of the negated is negated", [] {
        const std::size_t d = draw_size();
        const auto hyper = draw_hyper();
        split_mix64 random(draw_seed());
        const auto g = draw_many<T>(random, d, draw_kind());
        auto flat = make_state<T>(draw_seed(), d, draw_kind());
        const auto negate_all_but_v = [d](const std::vector<T>& state) {
            auto made = negated(state);
            for (std::size_t i = 3 * d; i < 4 * d; ++i) made[i] = state[i];
            return made;
        };
        const auto without_minus_zero = [](std::vector<T> values) {
            for (T& value : values) value = value + T(0);
            return values;
        };
        const auto want = negate_all_but_v(updated(g, flat, hyper, reference_options(draw_mode())));
        flat = negate_all_but_v(flat);
        on_every_arch(draw_mode(), [&](const bitstep::options& opts) {
            require_same_bits(without_minus_zero(updated(negated(g), flat, hyper, opts)), without_minus_zero(want));
        });
    });
}

// W, A and B only say how N rows are grouped, and shards may be of any length: gradient, then update.
TYPED_TEST(step_properties, step_is_gradient_then_update_however_rows_are_grouped) {
    using T = TypeParam;
    holds("step is gradient then update however rows are grouped", [] {
        const auto mode = draw_mode();
        const std::size_t features = draw_features();
        const std::size_t limit = draw_rows(features, 1500);
        const std::size_t workers = draw_between(1, std::min<std::size_t>(limit, 12));
        const std::size_t batches = draw_between(1, std::min<std::size_t>(limit / workers, 12));
        const std::size_t examples = std::max<std::size_t>(1, limit / workers / batches);
        const auto kind = data_kind::usual;
        auto on = make_problem<T>(draw_seed(), workers * batches * examples, features, kind);
        const auto flat = make_state<T>(draw_seed(), features, kind);
        const auto hyper = draw_hyper();
        std::copy_n(flat.begin(), features, on.w.begin()); // the gradient is that of the state's weights
        auto gradient = gradient_of(on, reference_options(mode));
        gradient.pop_back();
        const auto want = updated(gradient, flat, hyper, reference_options(mode));
        on_every_arch(mode, [&](const bitstep::options& opts) {
            misaligned_buffer<T> out(4 * features, draw_between(0, 15));
            placed_state<T> state(flat, draw_between(0, 30));
            expect_ok(bitstep::distributed_step<T>({on.x.data(), on.y.data(), workers, batches, examples, features},
                                                   state.const_view(), hyper, {out.data(), out.size()}, opts));
            require_same_bits(out.values(), want);
            require_same_bits(state.flat(), flat); // inputs stay
            const drawn_shards<T> shards(on);
            expect_ok(bitstep::distributed_step<T>(shards.rows(), state.view(), hyper, opts)); // in place
            require_same_bits(state.flat(), want);
            RC_ASSERT(out.marks_intact() && state.marks_intact());
        });
    });
}

} // namespace
} // namespace bitstep_test
