// SPDX-License-Identifier: Apache-2.0
#include "program/data/dataset.hpp"

#include "program/data/csv_table.hpp"
#include "program/data/split.hpp"
#include "program/digest.hpp"

#include <chrono>

namespace bitstep::program {

template <class T>
std::string dataset<T>::digest() const {
    program::digest numbers;
    for (const design_matrix<T>* part : {&training, &test}) {
        numbers.add(part->x);
        numbers.add(part->y);
    }
    return numbers.hex();
}

template <class T>
dataset<T> load_dataset(const std::string& path, int threads, const design_choice& choice, double test_fraction,
                        std::uint64_t seed) {
    using clock = std::chrono::steady_clock;
    const clock::time_point begin = clock::now();
    csv_reading how;
    how.threads = static_cast<std::size_t>(threads);
    const csv_table table = read_csv_table(path, how);
    dataset<T> data;
    data.parse_seconds = std::chrono::duration<double>(clock::now() - begin).count();
    const row_split split = split_rows(table.rows(), test_fraction, seed);
    data.by = learn_design(table, choice, split.training);
    data.training = make_design_matrix<T>(table, data.by, split.training);
    data.test = make_design_matrix<T>(table, data.by, split.test);
    return data;
}

template struct dataset<float>;
template struct dataset<double>;
template dataset<float> load_dataset(const std::string&, int, const design_choice&, double, std::uint64_t);
template dataset<double> load_dataset(const std::string&, int, const design_choice&, double, std::uint64_t);

} // namespace bitstep::program
