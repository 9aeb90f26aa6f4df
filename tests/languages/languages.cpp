// SPDX-License-Identifier: Apache-2.0
// One line per shape, type, mode and verb with a hash of the result's bits; C (languages.c) and Python
// (python/tests/test_languages.py) write the same lines, and expected.txt holds them. What is computed: shapes.txt.
//     languages_cpp shapes.txt THREADS
#include "support/generator.hpp"

#include <bitstep/bitstep.hpp>

#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using bitstep_test::data_kind;
using bitstep_test::split_mix64;

struct shape {
    std::size_t workers, micro_batches, examples, features, gap;
    std::size_t rows() const { return workers * micro_batches * examples; }
};

template <class T>
std::uint64_t hash(const std::vector<T>& values) {
    std::uint64_t all = 0xCBF29CE484222325U;
    for (const T value : values) {
        const auto bits = std::bit_cast<bitstep_test::bits_of<T>>(value);
        for (unsigned at = 0; at < 8 * sizeof(T); at += 8) {
            all = (all ^ ((bits >> at) & 0xFFU)) * 0x100000001B3U;
        }
    }
    return all;
}

void require(const bitstep::status& done) {
    if (!done.ok()) {
        std::fprintf(stderr, "%s\n", done.message());
        std::exit(2);
    }
}

template <class T>
struct problem {
    shape of;
    std::vector<T> x, y, state, grad;
    std::array<std::vector<T>, 3> small, large; ///< of each worker: d and N elements

    problem(const shape& given, std::uint64_t number) : of(given) {
        split_mix64 random(number);
        const auto draw = [&](std::size_t count) {
            return bitstep_test::draw_many<T>(random, count, data_kind::usual);
        };
        const std::size_t d = of.features;
        const std::size_t stride = d + of.gap;
        x.assign(of.rows() * stride, std::numeric_limits<T>::quiet_NaN()); // whoever reads between rows meets NaN
        for (std::size_t i = 0; i < of.rows(); ++i) {
            const std::vector<T> row = draw(d);
            std::copy(row.begin(), row.end(), x.data() + i * stride);
        }
        y = draw(of.rows());
        state = draw(4 * d);
        for (std::size_t j = 3 * d; j < 4 * d; ++j) state[j] = state[j] < 0 ? -state[j] : state[j];
        grad = draw(d);
        for (std::size_t i = 0; i < 3; ++i) {
            small[i] = draw(d);
            large[i] = draw(of.rows());
        }
    }
};

const bitstep::hyper_parameters hyper{0.01, 0.9, 0.999, 1e-8, 0.995, 3};

template <class T>
class results {
public:
    results(const problem<T>& of, const bitstep::options& options) : p_(of), options_(options) {}

    std::vector<T> predict() {
        std::vector<T> out(rows_);
        require(bitstep::predict<T>(x_, w_, {out.data(), rows_}, options_));
        return out;
    }
    std::vector<T> residual() {
        std::vector<T> out(rows_);
        require(bitstep::residual<T>(x_, {p_.y.data(), rows_}, w_, {out.data(), rows_}, options_));
        return out;
    }
    std::vector<T> gradient() {
        std::vector<T> out(d_ + 1);
        require(bitstep::gradient<T>({&shard_, 1, d_}, w_, {out.data(), d_}, &out[d_], options_));
        return out;
    }
    std::vector<T> step() {
        std::vector<T> out(4 * d_);
        const T* s = p_.state.data();
        const bitstep::state_view<const T> state{s, s + d_, s + 2 * d_, s + 3 * d_, d_};
        const bitstep::vector_view<T> to{out.data(), out.size()};
        if (p_.of.gap > 0) {
            require(bitstep::distributed_step<T>(bitstep::row_sequence<T>{&shard_, 1, d_}, state, hyper, to, options_));
        } else {
            const bitstep::worker_batches<T> batches{p_.x.data(),         p_.y.data(),    p_.of.workers,
                                                     p_.of.micro_batches, p_.of.examples, d_};
            require(bitstep::distributed_step<T>(batches, state, hyper, to, options_));
        }
        return out;
    }
    std::vector<T> update() {
        std::vector<T> out = p_.state;
        T* s = out.data();
        require(bitstep::adam_ema_update<T>({p_.grad.data(), d_}, {s, s + d_, s + 2 * d_, s + 3 * d_, d_}, hyper,
                                            options_));
        return out;
    }
    std::vector<T> mean(const long long* counts) {
        std::vector<T> out(d_ + rows_);
        const T* const small[] = {p_.small[0].data(), p_.small[1].data(), p_.small[2].data()};
        const T* const large[] = {p_.large[0].data(), p_.large[1].data(), p_.large[2].data()};
        const bitstep::worker_tensor<T> tensors[] = {{"small", small, out.data(), d_},
                                                     {"large", large, out.data() + d_, rows_}};
        require(bitstep::allreduce_mean<T>(tensors, 2, 3, counts, options_));
        return out;
    }
    std::vector<T> ring(bitstep::ring_op op) {
        std::vector<T> out(3 * rows_);
        const T* const from[] = {p_.large[0].data(), p_.large[1].data(), p_.large[2].data()};
        T* const to[] = {out.data(), out.data() + rows_, out.data() + 2 * rows_};
        require(bitstep::simulate_ring_allreduce<T>(from, 3, rows_, op, to));
        return out;
    }

private:
    const problem<T>& p_;
    bitstep::options options_;
    std::size_t rows_ = p_.of.rows();
    std::size_t d_ = p_.of.features;
    bitstep::matrix_view<const T> x_{p_.x.data(), rows_, d_, d_ + p_.of.gap};
    bitstep::vector_view<const T> w_{p_.state.data(), d_};
    bitstep::shard_view<T> shard_{p_.x.data(), p_.y.data(), rows_, d_ + p_.of.gap};
};

template <class T>
void write_lines(const problem<T>& of, const char* type, int threads) {
    const long long counts[] = {3, 0, 5};
    bitstep::options options;
    options.threads = threads;
    options.serial_below_bytes = 0; // the smallest shapes, too, go to threads
    const char* mode = "native";
    const auto line = [&](const char* verb, const std::vector<T>& result) {
        std::printf("%zux%zux%zux%zu+%zu %s %s %s %016llx\n", of.of.workers, of.of.micro_batches, of.of.examples,
                    of.of.features, of.of.gap, type, mode, verb, static_cast<unsigned long long>(hash(result)));
    };
    for (const auto accumulate : {bitstep::accumulate_mode::native, bitstep::accumulate_mode::wide}) {
        options.accumulate = accumulate;
        mode = accumulate == bitstep::accumulate_mode::native ? "native" : "wide";
        results<T> all(of, options);
        line("predict", all.predict());
        line("residual", all.residual());
        line("gradient", all.gradient());
        line("step", all.step());
        line("mean", all.mean(nullptr));
        line("weighted_mean", all.mean(counts));
    }
    mode = "-"; // these have but one
    results<T> all(of, options);
    line("update", all.update());
    line("ring_mean", all.ring(bitstep::ring_op::mean));
    line("ring_sum", all.ring(bitstep::ring_op::sum));
}

} // namespace

int main(int count, char** arguments) {
    std::FILE* file = count == 3 ? std::fopen(arguments[1], "r") : nullptr;
    if (file == nullptr) return std::fprintf(stderr, "usage: %s shapes.txt THREADS\n", arguments[0]), 2;
    char text[512];
    for (std::uint64_t number = 0; std::fgets(text, sizeof text, file) != nullptr;) {
        shape of{};
        if (std::sscanf(text, "%zu %zu %zu %zu %zu", &of.workers, &of.micro_batches, &of.examples, &of.features,
                        &of.gap) != 5) {
            continue;
        }
        write_lines(problem<float>(of, number), "float", std::atoi(arguments[2]));
        write_lines(problem<double>(of, number), "double", std::atoi(arguments[2]));
        ++number;
    }
    return std::fclose(file);
}
