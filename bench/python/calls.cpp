// SPDX-License-Identifier: Apache-2.0
// A small C door to the C++ API, for the benchmarks in Python alone: a call is prepared once and then run as often as a
// sample needs, inside C, as a C++ caller would. What ctypes and NumPy would add per call is thereby left out.
#include <bitstep/bitstep.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

struct prepared {
    std::function<bitstep::status()> run;
};

/// lr, beta1, beta2, eps, decay; t is 1 as everywhere in these benchmarks.
bitstep::hyper_parameters hyper_from(const double* five) {
    bitstep::hyper_parameters hyper;
    hyper.lr = five[0];
    hyper.beta1 = five[1];
    hyper.beta2 = five[2];
    hyper.eps = five[3];
    hyper.decay = five[4];
    return hyper;
}

bitstep::options with_threads(int threads) {
    bitstep::options opts;
    opts.threads = threads;
    return opts;
}

/// extents: W, A, B, d. arrays: X, y, weights, ema_weights, m, v, and out of 4 d elements.
template <class T>
prepared* prepare_step(void* const* arrays, const std::size_t* extents, const double* hyper, int threads) {
    const auto in = [arrays](int i) { return static_cast<const T*>(arrays[i]); };
    const std::size_t d = extents[3];
    const bitstep::worker_batches<T> batches{in(0), in(1), extents[0], extents[1], extents[2], d};
    const bitstep::state_view<const T> state{in(2), in(3), in(4), in(5), d};
    const bitstep::vector_view<T> out{static_cast<T*>(arrays[6]), 4 * d};
    const bitstep::options opts = with_threads(threads);
    std::size_t bytes = 0;
    if (!bitstep::distributed_step_workspace_bytes<T>(extents[0] * extents[1] * extents[2], d, opts, bytes).ok()) {
        return nullptr;
    }
    const auto scratch = std::make_shared<std::vector<std::byte>>(bytes);
    return new prepared{[=, scalars = hyper_from(hyper)] {
        return bitstep::distributed_step<T>(batches, state, scalars, out, opts, {scratch->data(), scratch->size()});
    }};
}

/// arrays: grad, weights, ema_weights, m, v of `size` elements each.
template <class T>
prepared* prepare_adam_ema(void* const* arrays, std::size_t size, const double* hyper, int threads) {
    const auto part = [arrays](int i) { return static_cast<T*>(arrays[i]); };
    const bitstep::vector_view<const T> grad{part(0), size};
    const bitstep::state_view<T> state{part(1), part(2), part(3), part(4), size};
    return new prepared{[=, scalars = hyper_from(hyper), opts = with_threads(threads)] {
        return bitstep::adam_ema_update<T>(grad, state, scalars, opts);
    }};
}

/// arrays: for each tensor its W inputs and then its output, all of `size` elements.
template <class T>
prepared* prepare_mean(void* const* arrays, const std::size_t* extents, int threads) {
    const std::size_t count = extents[0];
    const std::size_t workers = extents[1];
    const auto grads = std::make_shared<std::vector<const T*>>();
    const auto tensors = std::make_shared<std::vector<bitstep::worker_tensor<T>>>();
    grads->reserve(count * workers); // pointers into it are kept
    for (std::size_t tensor = 0; tensor < count; ++tensor) {
        void* const* const own = arrays + tensor * (workers + 1);
        tensors->push_back({nullptr, grads->data() + grads->size(), static_cast<T*>(own[workers]), extents[2]});
        for (std::size_t worker = 0; worker < workers; ++worker) {
            grads->push_back(static_cast<const T*>(own[worker]));
        }
    }
    return new prepared{[=, opts = with_threads(threads)] {
        (void)grads; // kept alive
        return bitstep::allreduce_mean<T>(tensors->data(), count, workers, nullptr, opts);
    }};
}

} // namespace

#define BITSTEP_BENCH_CALL extern "C" __attribute__((visibility("default")))

/// Element size 4 or 8 picks the type, in all of them. Null: the shape was refused.
BITSTEP_BENCH_CALL void* bench_step(int element, void* const* arrays, const std::size_t* extents, const double* hyper,
                                    int threads) {
    return element == 4 ? prepare_step<float>(arrays, extents, hyper, threads)
                        : prepare_step<double>(arrays, extents, hyper, threads);
}

BITSTEP_BENCH_CALL void* bench_adam_ema(int element, void* const* arrays, const std::size_t* extents,
                                        const double* hyper, int threads) {
    return element == 4 ? prepare_adam_ema<float>(arrays, extents[0], hyper, threads)
                        : prepare_adam_ema<double>(arrays, extents[0], hyper, threads);
}

BITSTEP_BENCH_CALL void* bench_mean(int element, void* const* arrays, const std::size_t* extents, const double*,
                                    int threads) {
    return element == 4 ? prepare_mean<float>(arrays, extents, threads)
                        : prepare_mean<double>(arrays, extents, threads);
}

/// Null on success, else what went wrong; the text is valid until the thread's next call.
BITSTEP_BENCH_CALL const char* bench_run(void* call, long repeats) {
    static thread_local std::string text;
    for (long i = 0; i < repeats; ++i) {
        const bitstep::status done = static_cast<prepared*>(call)->run();
        if (!done.ok()) {
            text = done.message();
            return text.c_str();
        }
    }
    return nullptr;
}

BITSTEP_BENCH_CALL void bench_free(void* call) { delete static_cast<prepared*>(call); }

BITSTEP_BENCH_CALL const char* bench_about() {
    static const std::string text = [] {
        bitstep::arch active = bitstep::arch::automatic;
        const bitstep::status found = bitstep::active_arch(active);
        return std::string(bitstep::version()) + ", numerics version " + std::to_string(bitstep::numerics_version()) +
               ", arch " + (found.ok() ? bitstep::arch_name(active) : found.message());
    }();
    return text.c_str();
}
