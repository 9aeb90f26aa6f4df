#include <bitstep/bitstep.hpp>

#include <cstdio>
#include <vector>

int main() {
    const std::size_t workers = 4, micro_batches = 2, examples = 32, features = 100;
    std::vector<float> xs(workers * micro_batches * examples * features, 0.5F); // (W, A, B, d)
    std::vector<float> ys(workers * micro_batches * examples, 1.0F);            // (W, A, B)
    std::vector<float> weights(features), ema(features), m(features), v(features);
    const bitstep::worker_batches<float> batches{xs.data(), ys.data(), workers, micro_batches, examples, features};
    const bitstep::state_view<float> state{weights.data(), ema.data(), m.data(), v.data(), features};

    bitstep::hyper_parameters hyper; // lr 1e-3, betas 0.9 and 0.999, eps 1e-8, decay 0.999
    for (hyper.t = 1; hyper.t <= 100; ++hyper.t) {
        const bitstep::status done = bitstep::distributed_step(batches, state, hyper);
        if (!done.ok()) return std::fprintf(stderr, "%s\n", done.message()), 1;
    }
    std::printf("w[0] = %a after 100 steps, on every machine\n", static_cast<double>(weights[0]));
}
