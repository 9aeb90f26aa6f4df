// Threads and memory of the caller's own: bitstep starts no thread, allocates nothing, and gives the same bits.
#include <bitstep/bitstep.hpp>

#include <cstdio>
#include <thread>
#include <vector>

// Stands for an embedder's pool: runs every task once and returns when all have ended. Must not throw.
static void run_on_own_threads(void*, std::size_t n, void (*task)(std::size_t, void*), void* context) noexcept {
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < n; ++i) threads.emplace_back(task, i, context);
    task(0, context);
    for (std::thread& each : threads) each.join();
}

int main() {
    const std::size_t rows = 5000, features = 100;
    std::vector<float> x(rows * features, 0.5F), y(rows, 1.0F), w(features), grad(features);
    const bitstep::shard_view<float> shard{x.data(), y.data(), rows, features};
    float mse = 0;

    bitstep::run_report report;
    bitstep::options options;
    options.parallel_for = run_on_own_threads;
    options.threads = 4; // required with it: tasks that are worth running at once
    options.report = &report;

    std::size_t bytes = 0;
    if (!bitstep::gradient_workspace_bytes<float>(rows, features, options, bytes).ok()) return 1;
    std::vector<std::byte> memory(bytes); // once, for all calls of this size

    const auto run = [&](bitstep::workspace scratch) {
        return bitstep::gradient<float>({&shard, 1, features}, {w.data(), features}, {grad.data(), features}, &mse,
                                        options, scratch);
    };
    const bitstep::status refused = run({memory.data(), bytes / 2}); // a failure has written nothing
    std::printf("refused: %s\n", refused.message());
    const bitstep::status done = run({memory.data(), bytes});
    if (!done.ok()) return std::fprintf(stderr, "%s\n", done.message()), 1;
    std::printf("mean squared error %g, gradient %g, on %d threads of our own\n", static_cast<double>(mse),
                static_cast<double>(grad[0]), report.threads);
}
