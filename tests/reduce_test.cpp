// SPDX-License-Identifier: Apache-2.0
// Proves for allreduce_mean: kernels equal the reference and the contract bit for bit over whole lists of tensors, any
// number of workers, with and without counts; the worked examples; outputs that are their own input; non-finite values
// and zeros.
#include "support/arch_threads.hpp"
#include "support/bitwise.hpp"
#include "support/contract_pair.hpp"
#include "support/typed.hpp"
#include "support/workers.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <cmath>

namespace bitstep_test {
namespace {

using bitstep::accumulate_mode;

template <class T>
class reduce_test : public testing::Test {};
TYPED_TEST_SUITE(reduce_test, element_types, element_names);

/// Tensors as a model has them: large and small, odd, empty, single.
template <class T>
std::vector<worker_vectors<T>> make_tensors(std::size_t workers, data_kind kind) {
    std::vector<worker_vectors<T>> tensors;
    const std::size_t lanes = offsets_per_line<T>;
    for (const std::size_t size : {std::size_t{1000}, std::size_t{0}, std::size_t{1}, lanes - 1, lanes, lanes + 1,
                                   std::size_t{0}, 2 * lanes + 1, std::size_t{64}, std::size_t{4097}}) {
        tensors.push_back(make_workers<T>(workers * 1000 + size, workers, size, kind));
    }
    return tensors;
}

template <class T>
void expect_equals_reference(std::size_t workers, data_kind kind, const std::vector<long long>& counts) {
    SCOPED_TRACE("W = " + std::to_string(workers));
    const auto tensors = make_tensors<T>(workers, kind);
    for (const accumulate_mode mode : every_mode) {
        const auto want = run_mean(tensors, counts, reference_options(mode));
        std::size_t number = 1;
        for_each_arch(mode, [&](const bitstep::options& opts) {
            EXPECT_TRUE(same_bits(run_mean(tensors, counts, opts, number++), want));
            return want.size();
        });
    }
}

template <class T>
std::vector<long long> make_counts(std::size_t workers) {
    split_mix64 random(workers);
    std::vector<long long> counts;
    for (std::size_t i = 0; i < workers; ++i) {
        counts.push_back(random.integer(0, 1000));
    }
    counts[workers / 2] += 1;
    return counts;
}

TYPED_TEST(reduce_test, kernels_equal_the_reference_for_any_number_of_workers) {
    for (const std::size_t workers : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 16U, 31U, 33U}) {
        expect_equals_reference<TypeParam>(workers, data_kind::spread, {});
    }
}

TYPED_TEST(reduce_test, kernels_equal_the_reference_with_counts) {
    for (const std::size_t workers : {1U, 2U, 3U, 6U, 8U, 11U}) {
        expect_equals_reference<TypeParam>(workers, data_kind::spread, make_counts<TypeParam>(workers));
    }
}

TYPED_TEST(reduce_test, kernels_equal_the_reference_on_special_and_tiny_numbers) {
    expect_equals_reference<TypeParam>(5, data_kind::special, {});
    expect_equals_reference<TypeParam>(5, data_kind::special, {1, 0, 7, 2, 2});
    expect_equals_reference<TypeParam>(6, data_kind::tiny, {});
}

/// Tensors of which a team takes tasks, one of them across the border of two tensors.
TYPED_TEST(reduce_test, teams_equal_the_reference) {
    for (const std::size_t workers : {1U, 3U, 5U}) {
        for (const data_kind kind : {data_kind::spread, data_kind::special}) {
            std::vector<worker_vectors<TypeParam>> tensors;
            for (const std::size_t size : {70001U, 0U, 3U, 40000U}) {
                tensors.push_back(make_workers<TypeParam>(workers + size, workers, size, kind));
            }
            for (const auto& counts : {std::vector<long long>{}, make_counts<TypeParam>(workers)}) {
                for (const accumulate_mode mode : every_mode) {
                    const auto want = run_mean(tensors, counts, reference_options(mode));
                    for_each_arch_and_threads(mode, [&](const bitstep::options& opts) {
                        EXPECT_TRUE(same_bits(run_mean(tensors, counts, opts), want)) << workers << " workers";
                        return want.size();
                    });
                }
            }
        }
    }
}

TYPED_TEST(reduce_test, the_reference_gives_the_bits_of_the_contract) {
    for (const std::size_t workers : {1U, 2U, 3U, 5U, 8U, 13U, 64U, 65U}) {
        const auto tensor = make_workers<TypeParam>(workers, workers, 57, data_kind::spread);
        const auto special = make_workers<TypeParam>(workers, workers, 57, data_kind::special);
        const auto native = reference_options(accumulate_mode::native);
        const auto wide = reference_options(accumulate_mode::wide);
        for (const auto& counts : {std::vector<long long>{}, make_counts<TypeParam>(workers)}) {
            SCOPED_TRACE(std::to_string(workers) + (counts.empty() ? " workers" : " workers with counts"));
            for (const auto* from : {&tensor, &special}) {
                EXPECT_TRUE(
                    same_bits(run_mean<TypeParam>({*from}, counts, native), contract::mean<TypeParam>(*from, counts)));
                EXPECT_TRUE(same_bits(run_mean<TypeParam>({*from}, counts, wide),
                                      contract::mean<contract::wide_sum<TypeParam>>(*from, counts)));
            }
        }
    }
}

TYPED_TEST(reduce_test, worked_examples) {
    for (const accumulate_mode mode : every_mode) {
        for_each_arch(mode, [&](const bitstep::options& opts) {
            EXPECT_TRUE(same_bits(run_mean<TypeParam>({{{1, 2}, {3, 4}}}, {}, opts), {2, 3}));
            EXPECT_TRUE(same_bits(run_mean<TypeParam>({{{2}, {6}}}, {1, 3}, opts), {5}));
            EXPECT_TRUE(same_bits(run_mean<TypeParam>({{{2}, {6}}}, {0, 9}, opts), {6}));
            return std::size_t{4};
        });
    }
}

TYPED_TEST(reduce_test, equal_counts_give_the_plain_mean) {
    const auto tensor = make_workers<TypeParam>(3, 7, 333, data_kind::spread);
    for (const accumulate_mode mode : every_mode) {
        const auto want = run_mean<TypeParam>({tensor}, {}, reference_options(mode));
        for (const long long count : {1LL, 2LL, 3LL, 1000003LL, LLONG_MAX / 7}) {
            for_each_arch(mode, [&](const bitstep::options& opts) {
                const std::vector<long long> counts(7, count);
                EXPECT_TRUE(same_bits(run_mean<TypeParam>({tensor}, counts, opts), want)) << "count " << count;
                return want.size();
            });
        }
    }
}

/// Counts with a common divisor give the bits of the divided ones.
TYPED_TEST(reduce_test, counts_are_divided_by_their_greatest_common_divisor) {
    const auto tensor = make_workers<TypeParam>(4, 4, 100, data_kind::spread);
    for (const accumulate_mode mode : every_mode) {
        const auto opts = reference_options(mode);
        const auto want = run_mean<TypeParam>({tensor}, {3, 0, 5, 9}, opts);
        EXPECT_TRUE(same_bits(run_mean<TypeParam>({tensor}, {21, 0, 35, 63}, opts), want));
        EXPECT_FALSE(same_bits(run_mean<TypeParam>({tensor}, {21, 1, 35, 63}, opts), want));
    }
}

/// Exact in any order: integers, and a total that is a power of two.
TYPED_TEST(reduce_test, exact_integers_give_exact_means) {
    const std::vector<long long> counts = {5, 0, 1, 12, 7, 3, 2, 2};
    const auto tensor = make_workers<TypeParam>(5, 8, 301, data_kind::integers);
    std::vector<TypeParam> plain(301);
    std::vector<TypeParam> weighted(301);
    for (std::size_t j = 0; j < 301; ++j) {
        long long sum = 0;
        long long weighted_sum = 0;
        for (std::size_t i = 0; i < 8; ++i) {
            sum += static_cast<long long>(tensor[i][j]);
            weighted_sum += counts[i] * static_cast<long long>(tensor[i][j]);
        }
        plain[j] = static_cast<TypeParam>(static_cast<double>(sum) / 8);
        weighted[j] = static_cast<TypeParam>(static_cast<double>(weighted_sum) / 32);
    }
    for (const accumulate_mode mode : every_mode) {
        for_each_arch(mode, [&](const bitstep::options& opts) {
            EXPECT_TRUE(same_bits(run_mean<TypeParam>({tensor}, {}, opts), plain));
            EXPECT_TRUE(same_bits(run_mean<TypeParam>({tensor}, counts, opts), weighted));
            return plain.size();
        });
    }
}

TYPED_TEST(reduce_test, an_output_may_be_any_of_its_own_inputs) {
    constexpr std::size_t size = elements_of_three_tasks;
    const auto tensor = make_workers<TypeParam>(6, 5, size, data_kind::spread);
    for (const accumulate_mode mode : every_mode) {
        const auto want = run_mean<TypeParam>({tensor}, {}, reference_options(mode));
        for (std::size_t target = 0; target < tensor.size(); ++target) {
            for_each_arch_and_threads(mode, [&](const bitstep::options& opts) {
                placed_workers<TypeParam> placed(tensor, target);
                const bitstep::worker_tensor<TypeParam> one{"w", placed.pointers(), placed.mutable_pointers()[target],
                                                            size};
                expect_ok(bitstep::allreduce_mean<TypeParam>(&one, 1, 5, nullptr, opts));
                EXPECT_TRUE(placed.marks_intact());
                for (std::size_t i = 0; i < tensor.size(); ++i) {
                    EXPECT_TRUE(same_bits(placed.values(i), i == target ? want : tensor[i])) << "worker " << i;
                }
                return want.size();
            });
        }
    }
}

TYPED_TEST(reduce_test, non_finite_values_propagate_where_they_stand) {
    using limits = std::numeric_limits<TypeParam>;
    auto tensor = make_workers<TypeParam>(7, 4, 100, data_kind::usual);
    tensor[0][3] = limits::quiet_NaN();
    tensor[3][50] = limits::infinity();
    tensor[1][99] = limits::infinity();
    tensor[2][99] = -limits::infinity();
    const std::vector<long long> counts = {0, 1, 1, 2}; // 0 times NaN is NaN
    for (const accumulate_mode mode : every_mode) {
        for_each_arch(mode, [&](const bitstep::options& opts) {
            for (const auto& by : {std::vector<long long>{}, counts}) {
                const auto mean = run_mean<TypeParam>({tensor}, by, opts);
                for (std::size_t j = 0; j < mean.size(); ++j) {
                    EXPECT_EQ(std::isnan(mean[j]), j == 3 || j == 99) << "element " << j;
                    EXPECT_EQ(mean[j] == limits::infinity(), j == 50) << "element " << j;
                }
            }
            return std::size_t{200};
        });
    }
}

TYPED_TEST(reduce_test, a_mean_is_never_minus_zero) {
    const worker_vectors<TypeParam> zeros(3, std::vector<TypeParam>(40, TypeParam(-0.0)));
    for (const accumulate_mode mode : every_mode) {
        for_each_arch(mode, [&](const bitstep::options& opts) {
            EXPECT_TRUE(same_bits(run_mean<TypeParam>({zeros}, {}, opts), std::vector<TypeParam>(40, TypeParam(0))));
            EXPECT_TRUE(same_bits(run_mean<TypeParam>({zeros}, {1, 2, 0}, opts), std::vector<TypeParam>(40, 0)));
            EXPECT_TRUE(same_bits(run_mean<TypeParam>({{zeros[0]}}, {}, opts), std::vector<TypeParam>(40, 0)));
            return std::size_t{120};
        });
    }
}

TYPED_TEST(reduce_test, nothing_to_do_is_fine) {
    expect_ok(bitstep::allreduce_mean<TypeParam>(nullptr, 0, 3));
    const bitstep::worker_tensor<TypeParam> empty{nullptr, nullptr, nullptr, 0};
    expect_ok(bitstep::allreduce_mean<TypeParam>(&empty, 1, 3));
}

/// The pointers of empty tensors are unused wherever they stand in the list.
TYPED_TEST(reduce_test, empty_tensors_without_pointers_stand_between_others) {
    const auto values = make_workers<TypeParam>(8, 8, 70, data_kind::spread);
    const auto want = run_mean<TypeParam>({values}, {}, reference_options(accumulate_mode::native));
    for_each_arch(accumulate_mode::native, [&](const bitstep::options& opts) {
        const placed_workers<TypeParam> from(values, 3);
        std::vector<TypeParam> first(70);
        std::vector<TypeParam> second(70);
        const bitstep::worker_tensor<TypeParam> empty{nullptr, nullptr, nullptr, 0};
        const bitstep::worker_tensor<TypeParam> list[] = {empty, {"a", from.pointers(), first.data(), 70},  empty,
                                                          empty, {"b", from.pointers(), second.data(), 70}, empty};
        expect_ok(bitstep::allreduce_mean<TypeParam>(list, 6, 8, nullptr, opts));
        EXPECT_TRUE(same_bits(first, want));
        EXPECT_TRUE(same_bits(second, want));
        return want.size();
    });
}

/// Kernels add the first +0 to worker 0 alone, the reference to everyone: seen where all or many are -0.
TYPED_TEST(reduce_test, kernels_equal_the_reference_on_zeros_of_both_signs) {
    split_mix64 random(9);
    for (std::size_t workers = 1; workers <= 20; ++workers) {
        worker_vectors<TypeParam> zeros(workers, std::vector<TypeParam>(133, TypeParam(-0.0)));
        for (std::vector<TypeParam>& each : zeros) {
            for (std::size_t j = 30; j < each.size(); ++j) {
                const long long draw = random.integer(0, 9);
                each[j] = draw < 7 ? TypeParam(-0.0) : draw < 9 ? TypeParam(0) : -std::numeric_limits<TypeParam>::min();
            }
        }
        for (const accumulate_mode mode : every_mode) {
            for (const auto& counts : {std::vector<long long>{}, make_counts<TypeParam>(workers)}) {
                const auto want = run_mean<TypeParam>({zeros}, counts, reference_options(mode));
                for_each_arch(mode, [&](const bitstep::options& opts) {
                    EXPECT_TRUE(same_bits(run_mean<TypeParam>({zeros}, counts, opts), want)) << workers << " workers";
                    return want.size();
                });
            }
        }
    }
}

/// Overlaps in random lists, against every pair looked at: inputs in the order of the outputs and not, near misses too.
TYPED_TEST(reduce_test, an_overlap_anywhere_in_a_list_is_refused_and_no_other) {
    constexpr std::size_t tensors = 12;
    split_mix64 random(11);
    std::vector<TypeParam> arena(4096);
    int refused = 0;
    for (int round = 0; round < 2000; ++round) {
        const std::size_t workers = round % 10 == 0 ? 70 : 3; // more workers than there are remembered places
        std::vector<const TypeParam*> inputs;
        std::vector<bitstep::worker_tensor<TypeParam>> list;
        for (std::size_t k = 0; k < tensors; ++k) {
            const bool in_order = random.integer(0, 9) != 0;
            const auto place =
                static_cast<std::size_t>(in_order ? static_cast<long long>(k) * 300 : random.integer(0, 3600));
            list.push_back({nullptr, nullptr, arena.data() + place, static_cast<std::size_t>(random.integer(0, 20))});
            for (std::size_t w = 0; w < workers; ++w) {
                const long long from = random.integer(0, 300) == 0
                                           ? random.integer(0, 3600)
                                           : static_cast<long long>(k * 300) + 20 + random.integer(0, 260);
                inputs.push_back(arena.data() + from);
            }
        }
        bool overlap = false;
        const auto meet = [](const TypeParam* a, std::size_t n, const TypeParam* b, std::size_t m) {
            return n != 0 && m != 0 && a < b + m && b < a + n;
        };
        for (std::size_t k = 0; k < tensors; ++k) {
            list[k].worker_grads = inputs.data() + k * workers;
            for (std::size_t i = 0; i < tensors; ++i) {
                overlap |= i != k && meet(list[k].mean, list[k].size, list[i].mean, list[i].size);
                for (std::size_t w = 0; w < workers; ++w) {
                    const TypeParam* input = inputs[k * workers + w];
                    overlap |=
                        meet(list[i].mean, list[i].size, input, list[k].size) && !(i == k && input == list[k].mean);
                }
            }
        }
        const auto result = bitstep::allreduce_mean<TypeParam>(list.data(), tensors, workers);
        ASSERT_EQ(result.code(), overlap ? bitstep::status_code::overlap : bitstep::status_code::ok)
            << "round " << round;
        refused += overlap ? 1 : 0;
    }
    EXPECT_GT(refused, 300);
    EXPECT_LT(refused, 1700);
}

/// A thousand tensors in one call: the whole team, equal bits.
TYPED_TEST(reduce_test, many_tensors_share_one_team) {
    std::vector<worker_vectors<TypeParam>> tensors;
    for (std::size_t i = 0; i < 1000; ++i) {
        tensors.push_back(make_workers<TypeParam>(i, 3, i % 67 == 0 ? 9000 : i % 67, data_kind::spread));
    }
    const auto want = run_mean(tensors, {}, reference_options(accumulate_mode::native));
    for_each_arch_and_threads(accumulate_mode::native, [&](const bitstep::options& opts) {
        EXPECT_TRUE(same_bits(run_mean(tensors, {}, opts), want));
        return want.size();
    });
}

} // namespace
} // namespace bitstep_test
