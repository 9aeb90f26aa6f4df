// Serves a trained model: requests one by one, or many at once, with the same bits for each of them.
#include <bitstep/bitstep.hpp>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

constexpr std::size_t requests = 64, features = 100;

// Microseconds of one call, and its result in `out`. Predict keeps no state and never allocates.
double predict(const float* x, std::size_t rows, const std::vector<float>& weights, float* out) {
    bitstep::options here;
    here.threads = 1; // as many calls at a time as the server has threads, each on its own
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 1000; ++i) {
        const bitstep::status done =
            bitstep::predict<float>({x, rows, features, features}, {weights.data(), features}, {out, rows}, here);
        if (!done.ok()) std::fprintf(stderr, "%s\n", done.message());
    }
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / 1000;
}

int main() {
    std::vector<float> weights(features), x(requests * features), batch(requests), alone(requests);
    for (std::size_t j = 0; j < features; ++j) weights[j] = 1.0F / static_cast<float>(j + 1);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<float>(k * 37 % 101) - 50.5F;

    double one = 0;
    for (std::size_t i = 0; i < requests; ++i) one = predict(&x[i * features], 1, weights, &alone[i]);
    const double all = predict(x.data(), requests, weights, batch.data());

    std::printf("one request %.2f us, a batch of %zu %.2f us\n", one, requests, all);
    if (std::memcmp(alone.data(), batch.data(), requests * sizeof(float)) != 0) return 1;
    std::printf("y[63] = %a alone and in the batch, on every machine\n", static_cast<double>(batch[63]));
}
