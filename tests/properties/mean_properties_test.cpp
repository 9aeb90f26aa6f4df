// SPDX-License-Identifier: Apache-2.0
// What docs/numerics.md implies for the mean over workers (section 4) and for the ring of two.
#include "properties/drawn.hpp"

namespace bitstep_test {
namespace {

template <class T>
class mean_properties : public testing::Test {};
TYPED_TEST_SUITE(mean_properties, element_types, element_names);

data_kind draw_any_kind() {
    return *rc::gen::element(data_kind::usual, data_kind::spread, data_kind::tiny, data_kind::special);
}
/// No counts, or one per worker.
std::vector<long long> draw_counts(std::size_t workers) {
    std::vector<long long> counts;
    if (*rc::gen::element(false, true)) {
        for (std::size_t i = 0; i < workers; ++i) counts.push_back(static_cast<long long>(draw_between(0, 1000)));
        counts[workers / 2] += 1;
    }
    return counts;
}
template <class T>
worker_vectors<T> draw_workers(data_kind kind) {
    const std::size_t workers = draw_between(1, 20);
    return make_workers<T>(draw_seed(), workers, draw_size(), kind);
}

// 2^k leaves are a whole subtree S. 2^j of them sum to 2^j S, exactly unless that overflows (these data are far from it), and
// the divisor is 2^j times the old one: the same quotient, rounded once. With counts the divisor is not a power of two, and
// need not be.
TYPED_TEST(mean_properties, workers_repeated_give_the_same_mean) {
    using T = TypeParam;
    holds("workers repeated give the same mean", [] {
        const auto mode = draw_mode();
        const auto kind = *rc::gen::element(data_kind::usual, data_kind::spread, data_kind::tiny);
        const std::size_t workers = std::size_t{1} << draw_between(0, 3);
        const auto once = make_workers<T>(draw_seed(), workers, draw_size(), kind);
        const auto counts = draw_counts(workers);
        const auto want = run_mean<T>({once}, counts, reference_options(mode));
        worker_vectors<T> often = once;
        std::vector<long long> often_counts = counts;
        for (std::size_t j = draw_between(1, 3); j > 0; --j) {
            const auto half = often; // a vector must not be inserted into itself
            often.insert(often.end(), half.begin(), half.end());
            const auto half_counts = often_counts;
            often_counts.insert(often_counts.end(), half_counts.begin(), half_counts.end());
        }
        on_every_arch(mode, [&](const bitstep::options& opts) {
            require_same_bits(run_mean<T>({often}, often_counts, opts), want);
        });
    });
}

// Counts are divided by their greatest common divisor before anything else; equal ones become 1.
TYPED_TEST(mean_properties, counts_with_a_common_factor) {
    using T = TypeParam;
    holds("counts with a common factor", [] {
        const auto mode = draw_mode();
        const auto tensor = draw_workers<T>(draw_any_kind());
        const auto counts = draw_counts(tensor.size());
        const auto factor = static_cast<long long>(draw_between(1, 1000000007));
        std::vector<long long> multiplied(tensor.size(), factor); // of equal counts: the plain mean
        for (std::size_t i = 0; i < counts.size(); ++i) multiplied[i] = counts[i] * factor;
        const auto want = run_mean<T>({tensor}, counts, reference_options(mode));
        on_every_arch(mode, [&](const bitstep::options& opts) {
            require_same_bits(run_mean<T>({tensor}, multiplied, opts), want);
        });
    });
}

// A worker without examples brings the leaf +0 + 0 g = +0, which at the end of the list is the tree's own padding. (In front
// it would move the others to other leaves. 0 times infinity is NaN, so the numbers are finite.)
TYPED_TEST(mean_properties, workers_without_examples_at_the_end_change_nothing) {
    using T = TypeParam;
    holds("workers without examples at the end change nothing", [] {
        const auto mode = draw_mode();
        auto tensor = draw_workers<T>(draw_kind());
        auto counts = std::vector<long long>(tensor.size(), 1);
        for (long long& count : counts) count += static_cast<long long>(draw_between(0, 99));
        const auto want = run_mean<T>({tensor}, counts, reference_options(mode));
        const auto idle = make_workers<T>(draw_seed(), draw_between(1, 9), tensor[0].size(), data_kind::spread);
        tensor.insert(tensor.end(), idle.begin(), idle.end());
        counts.resize(tensor.size(), 0);
        on_every_arch(
            mode, [&](const bitstep::options& opts) { require_same_bits(run_mean<T>({tensor}, counts, opts), want); });
    });
}

// Elementwise: where an element stands, and in which tensor of the list, enters no formula.
TYPED_TEST(mean_properties, elements_permuted_and_cut_into_tensors) {
    using T = TypeParam;
    holds("elements permuted and cut into tensors", [] {
        const auto mode = draw_mode();
        const auto tensor = draw_workers<T>(draw_any_kind());
        const auto counts = draw_counts(tensor.size());
        const std::size_t size = tensor[0].size();
        const auto order = draw_order(size);
        const std::size_t cut = draw_between(0, size); // both ends: an empty tensor
        const auto want = in_order(run_mean<T>({tensor}, counts, reference_options(mode)), order);
        worker_vectors<T> front;
        worker_vectors<T> back;
        for (const auto& worker : tensor) {
            const auto moved = in_order(worker, order);
            front.emplace_back(moved.begin(), moved.begin() + static_cast<std::ptrdiff_t>(cut));
            back.emplace_back(moved.begin() + static_cast<std::ptrdiff_t>(cut), moved.end());
        }
        on_every_arch(mode, [&](const bitstep::options& opts) {
            require_same_bits(run_mean<T>({front, back}, counts, opts), want);
        });
    });
}

// k g is exact in the accumulator for k <= 20 (24 bits in double, 53 in double-double), and so is the quotient. Native sums
// round, so there the number of workers has to be a power of two: each sum is a doubling.
TYPED_TEST(mean_properties, mean_of_equal_workers_is_the_worker) {
    using T = TypeParam;
    holds("mean of equal workers is the worker", [] {
        const auto mode = draw_mode();
        const std::size_t workers =
            mode == bitstep::accumulate_mode::wide ? draw_between(1, 20) : std::size_t{1} << draw_between(0, 4);
        const auto one = make_workers<T>(draw_seed(), 1, draw_size(), draw_kind());
        const worker_vectors<T> all(workers, one[0]);
        on_every_arch(mode,
                      [&](const bitstep::options& opts) { require_same_bits(run_mean<T>({all}, {}, opts), one[0]); });
    });
}

// Round to nearest is symmetric, and a power of two scales exactly within the range.
TYPED_TEST(mean_properties, sign_and_powers_of_two_pass_through) {
    using T = TypeParam;
    holds("sign and powers of two pass through", [] {
        const auto mode = draw_mode();
        auto tensor = draw_workers<T>(draw_kind());
        const auto counts = draw_counts(tensor.size());
        const int a = static_cast<int>(draw_between(0, 40)) - 20;
        const auto want = scaled(negated(run_mean<T>({tensor}, counts, reference_options(mode))), a);
        for (auto& worker : tensor) worker = scaled(negated(worker), a);
        on_every_arch(
            mode, [&](const bitstep::options& opts) { require_same_bits(run_mean<T>({tensor}, counts, opts), want); });
    });
}

// With one worker nothing is added; with two there is one sum, whichever the order. From three on the ring's order depends on
// where in the vector an element stands. (Without -0, which a mean gives as +0.)
TYPED_TEST(mean_properties, ring_of_two_is_the_native_mean) {
    using T = TypeParam;
    holds("ring of two is the native mean", [] {
        const auto tensor = make_workers<T>(draw_seed(), draw_between(1, 2), draw_size(), draw_kind());
        placed_workers<T> ring(tensor, draw_between(0, 30));
        expect_ok(bitstep::simulate_ring_allreduce<T>(ring.pointers(), tensor.size(), tensor[0].size(),
                                                      bitstep::ring_op::mean, ring.mutable_pointers()));
        RC_ASSERT(ring.marks_intact());
        on_every_arch(bitstep::accumulate_mode::native, [&](const bitstep::options& opts) {
            const auto mean = run_mean<T>({tensor}, {}, opts);
            for (std::size_t i = 0; i < tensor.size(); ++i) require_same_bits(ring.values(i), mean);
        });
    });
}

} // namespace
} // namespace bitstep_test
