// SPDX-License-Identifier: Apache-2.0
// The workspace of allreduce_mean, and what counts as an empty one: a workspace that overlaps an argument is refused before
// anything is put into it, the queried size is enough, and a null pointer means empty whatever its size says.
#include "support/refusal.hpp"
#include "support/typed.hpp"

#include <cstdint>
#include <numeric>

namespace bitstep_test {
namespace {

template <class T>
class mean_workspace_test : public testing::Test {
protected:
    /// Two tensors of 32 whose outputs descend (so an index is needed), three workers.
    void SetUp() override {
        for (std::vector<T>& each : grads) {
            each.assign(64, T(1));
        }
        std::iota(grads[2].begin(), grads[2].end(), T(0));
        tensors[0] = {"first", first, out.data() + 32, 32};
        tensors[1] = {"second", second, out.data(), 32};
        memory.watch("out", out.data(), out.size());
        for (const std::vector<T>& each : grads) {
            memory.watch("grads", each.data(), each.size());
        }
    }
    bitstep::status run(bitstep::workspace space) {
        return bitstep::allreduce_mean<T>(tensors, 2, 3, counts, {}, space);
    }

    std::vector<T> grads[3] = {std::vector<T>(64), std::vector<T>(64), std::vector<T>(64)};
    std::vector<T> out = std::vector<T>(64, T(7));
    const T* first[3] = {grads[0].data(), grads[1].data(), grads[2].data()};
    const T* second[3] = {grads[0].data() + 32, grads[1].data() + 32, grads[2].data() + 32};
    long long counts[3] = {1, 2, 5};
    bitstep::worker_tensor<T> tensors[2];
    watched_memory memory;
};
TYPED_TEST_SUITE(mean_workspace_test, element_types, element_names);

TYPED_TEST(mean_workspace_test, an_overlap_is_refused_and_nothing_changes) {
    const refusal wanted{bitstep::status_code::overlap, {"workspace", "must not overlap"}};
    const auto bytes = 64 * sizeof(TypeParam);
    expect_refused(
        "an input",
        [&] {
            return this->run({this->grads[1].data(), bytes});
        },
        wanted, this->memory);
    expect_refused(
        "an output",
        [&] {
            return this->run({this->out.data(), bytes});
        },
        wanted, this->memory);
    this->memory.watch("counts", this->counts, 3);
    const struct {
        const char* what;
        void* start;
    } lists[] = {{"counts", this->counts}, {"tensors", this->tensors}, {"worker_grads", this->second}};
    for (const auto& each : lists) {
        expect_refused(
            each.what,
            [&] {
                return this->run({each.start, 8});
            },
            {bitstep::status_code::overlap, {"workspace", each.what}}, this->memory);
    }
    expect_refused(
        "a size that wraps",
        [&] {
            return this->run({this->out.data(), SIZE_MAX});
        },
        wanted, this->memory);
}

TYPED_TEST(mean_workspace_test, the_queried_size_gives_the_same_bits) {
    std::size_t bytes = 0;
    ASSERT_TRUE(bitstep::allreduce_mean_workspace_bytes<TypeParam>(2, 3, bytes).ok());
    ASSERT_TRUE(this->run({}).ok());
    const std::vector<TypeParam> want = this->out;
    EXPECT_EQ(want[1], (TypeParam(3) + 5 * TypeParam(33)) / 8);
    this->out.assign(64, TypeParam(7));
    std::vector<unsigned char> space(bytes + 1);
    ASSERT_TRUE(this->run({space.data() + 1, bytes}).ok());
    EXPECT_EQ(this->out, want);
    this->out.assign(64, TypeParam(7));
    expect_refused(
        "too small",
        [&] {
            return this->run({space.data(), 8});
        },
        {bitstep::status_code::workspace_too_small, {"workspace must hold", "got 8"}}, this->memory);
}

/// Null data with a size is a failed allocation that was handed on, not "none given": the call must not allocate then.
TYPED_TEST(mean_workspace_test, a_null_workspace_with_a_size_is_refused) {
    expect_refused(
        "workspace",
        [&] {
            return this->run({nullptr, SIZE_MAX});
        },
        {bitstep::status_code::null_pointer, {"workspace.data", "null"}}, this->memory);
    EXPECT_TRUE(this->run({nullptr, 0}).ok());
}

TYPED_TEST(mean_workspace_test, a_long_name_does_not_hide_the_rule) {
    const std::string name = std::string(300, 'n') + "\n";
    this->tensors[0].name = name.c_str();
    this->tensors[0].mean = nullptr;
    expect_refused(
        "name", [&] { return this->run({}); },
        {bitstep::status_code::null_pointer, {"tensors[0]", "nnn...\"", ".mean must not be null"}}, this->memory);
}

} // namespace
} // namespace bitstep_test
