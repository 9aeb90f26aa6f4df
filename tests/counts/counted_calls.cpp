// SPDX-License-Identifier: Apache-2.0
// What check_counts counts: counted_calls CASE makes one call of the library after one that is not counted (the first
// one chooses the arch and binds symbols); without an argument it lists the cases. One thread, workspaces of the caller's.
#include <bitstep/bitstep.hpp>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

namespace {

/// callgrind collects while a function of this name runs.
extern "C" __attribute__((noinline)) bool bitstep_counted_call(const std::function<bool()>& call) { return call(); }

bitstep::options one_thread(bitstep::accumulate_mode mode = bitstep::accumulate_mode::native) {
    bitstep::options opts;
    opts.threads = 1;
    opts.accumulate = mode;
    return opts;
}

bool once_and_counted(const std::function<bool()>& call) { return call() && bitstep_counted_call(call); }

template <class T>
bool run_step(std::size_t rows, std::size_t d) {
    const std::vector<T> data(rows * d + rows, T(0.5));
    const std::vector<T> state(4 * d, T(0.25));
    std::vector<T> out(4 * d);
    bitstep::hyper_parameters hyper;
    hyper.t = 1000;
    std::size_t bytes = 0;
    if (!bitstep::distributed_step_workspace_bytes<T>(rows, d, one_thread(), bytes).ok()) return false;
    std::vector<char> scratch(bytes);
    return once_and_counted([&] {
        const T* s = state.data();
        return bitstep::distributed_step<T>({data.data(), data.data() + rows * d, 1, 1, rows, d},
                                            bitstep::state_view<const T>{s, s + d, s + 2 * d, s + 3 * d, d}, hyper,
                                            {out.data(), 4 * d}, one_thread(), {scratch.data(), bytes})
            .ok();
    });
}

template <class T>
bool run_gradient(std::size_t rows, std::size_t d, bitstep::accumulate_mode mode) {
    const std::vector<T> data(rows * d + rows, T(0.5));
    std::vector<T> grad(d);
    std::size_t bytes = 0;
    if (!bitstep::gradient_workspace_bytes<T>(rows, d, one_thread(mode), bytes).ok()) return false;
    std::vector<char> scratch(bytes);
    const bitstep::shard_view<T> shard{data.data(), data.data() + rows * d, rows, d};
    return once_and_counted([&] {
        return bitstep::gradient<T>({&shard, 1, d}, {data.data(), d}, {grad.data(), d}, nullptr, one_thread(mode),
                                    {scratch.data(), bytes})
            .ok();
    });
}

template <class T>
bool run_update(std::size_t d) {
    std::vector<T> state(4 * d, T(0.25));
    const std::vector<T> grad(d, T(0.5));
    return once_and_counted([&] {
        T* s = state.data();
        return bitstep::adam_ema_update<T>({grad.data(), d}, {s, s + d, s + 2 * d, s + 3 * d, d}, {}, one_thread())
            .ok();
    });
}

template <class T>
bool run_mean(std::size_t tensor_count, std::size_t size) {
    constexpr std::size_t workers = 8;
    const std::vector<T> gradient(size, T(0.5));
    const std::vector<const T*> of_workers(workers, gradient.data());
    std::vector<T> means(tensor_count * size);
    std::vector<bitstep::worker_tensor<T>> tensors(tensor_count);
    for (std::size_t k = 0; k < tensor_count; ++k) {
        tensors[k].worker_grads = of_workers.data();
        tensors[k].size = size;
        tensors[k].mean = means.data() + k * size;
    }
    return once_and_counted(
        [&] { return bitstep::allreduce_mean<T>(tensors.data(), tensor_count, workers, nullptr, one_thread()).ok(); });
}

constexpr auto native = bitstep::accumulate_mode::native;
constexpr auto wide = bitstep::accumulate_mode::wide;
const struct {
    const char* name;
    std::function<bool()> run;
} cases[] = {
    {"step_f32_8x8", [] { return run_step<float>(8, 8); }},
    {"step_f32_1x512", [] { return run_step<float>(1, 512); }},
    {"step_f64_8x8", [] { return run_step<double>(8, 8); }},
    {"step_f64_8x128", [] { return run_step<double>(8, 128); }},
    {"gradient_f32_256x8", [] { return run_gradient<float>(256, 8, native); }},
    {"gradient_f32_1024x8", [] { return run_gradient<float>(1024, 8, native); }},
    {"gradient_f32_8192x64", [] { return run_gradient<float>(8192, 64, native); }},
    {"gradient_f32_512x1024", [] { return run_gradient<float>(512, 1024, native); }},
    {"gradient_f32_128x64", [] { return run_gradient<float>(128, 64, native); }},
    {"gradient_f32_64x1024", [] { return run_gradient<float>(64, 1024, native); }},
    {"gradient_f64_64x1024", [] { return run_gradient<double>(64, 1024, native); }},
    {"gradient_f32_wide_64x1024", [] { return run_gradient<float>(64, 1024, wide); }},
    {"adam_ema_f32_4096", [] { return run_update<float>(4096); }},
    {"adam_ema_f64_4096", [] { return run_update<double>(4096); }},
    {"mean_f32_1x8192", [] { return run_mean<float>(1, 8192); }},
    {"mean_f32_100x64", [] { return run_mean<float>(100, 64); }},
};

} // namespace

int main(int argc, char** argv) {
    for (const auto& each : cases) {
        if (argc < 2) {
            std::puts(each.name);
        } else if (std::strcmp(argv[1], each.name) == 0) {
            return each.run() ? 0 : 1;
        }
    }
    return argc < 2 ? 0 : 2;
}
