// SPDX-License-Identifier: Apache-2.0
// The work behind `bitstep allreduce`: the same file whatever the block, kernels and threads; the same as Python's.
#include "files.hpp"
#include "program/tensors/allreduce_run.hpp"

#include <gtest/gtest.h>

namespace bitstep_test {
namespace {

using namespace bitstep::program;

allreduce_plan plan_for(const std::string& out) {
    allreduce_plan plan;
    plan.out = out;
    for (const char* name : {"mean_0", "mean_1", "mean_2", "mean_3", "mean_4"}) {
        plan.inputs.push_back(sample(name));
    }
    return plan;
}

// What the file holds that the plan writes.
std::string written_by(allreduce_plan plan) {
    const temporary_folder folder;
    plan.out = folder / "out.safetensors";
    run_allreduce(plan);
    return content_of(plan.out);
}

TEST(allreduce_run_test, the_block_decides_no_bit) {
    for (const std::size_t block : {1u, 2u, 3u, 5u, 12u, 100u}) {
        allreduce_plan plan = plan_for("");
        plan.block = block;
        EXPECT_EQ(written_by(plan), content_of(sample("mean_mean_expected"))) << "block " << block;
        plan.counts = {6, 0, 2, 4, 12};
        EXPECT_EQ(written_by(plan), content_of(sample("mean_counts_expected"))) << "block " << block;
    }
}

TEST(allreduce_run_test, kernels_and_threads_decide_no_bit) {
    for (const bitstep::arch which : {bitstep::arch::reference, bitstep::arch::baseline, bitstep::arch::automatic}) {
        if (which != bitstep::arch::automatic && !bitstep::arch_runnable(which)) {
            continue; // of another processor, or not compiled
        }
        for (const int threads : {1, 3}) {
            allreduce_plan plan = plan_for("");
            plan.library.arch = which;
            plan.library.threads = threads;
            plan.library.serial_below_bytes = 0;
            plan.block = 5;
            EXPECT_EQ(written_by(plan), content_of(sample("mean_mean_expected")));
            plan.library.accumulate = bitstep::accumulate_mode::wide;
            EXPECT_EQ(written_by(plan), content_of(sample("mean_wide_expected")));
        }
    }
}

TEST(allreduce_run_test, the_ring_and_how_it_differs) {
    const temporary_file folder("", "folder");
    allreduce_plan plan = plan_for(folder.path() + ".safetensors");
    plan.ring = true;
    const allreduce_outcome outcome = run_allreduce(plan);
    EXPECT_EQ(content_of(plan.out), content_of(sample("mean_ring_expected")));
    // Counted by make_compare_samples.py.
    const std::vector<std::pair<std::uint64_t, std::uint64_t>> expected = {{3, 2}, {0, 0}, {1, 2}, {7, 2}};
    ASSERT_EQ(outcome.ring.size(), expected.size()); // bias, none, scale, w 1
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(outcome.ring[i].difference.differing, expected[i].first) << outcome.ring[i].tensor.name;
        EXPECT_EQ(outcome.ring[i].difference.largest_distance, expected[i].second) << outcome.ring[i].tensor.name;
    }
}

} // namespace
} // namespace bitstep_test
