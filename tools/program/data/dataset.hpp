// SPDX-License-Identifier: Apache-2.0
// A CSV file made ready for training: csv_table -> split -> design -> design_matrix. Next: trainer.
#pragma once

#include "program/data/design.hpp"
#include "program/data/design_matrix.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace bitstep::program {

template <class T>
struct dataset {
    design by;
    design_matrix<T> training;
    design_matrix<T> test; ///< no rows where nothing is kept back
    double parse_seconds = 0;

    std::size_t rows() const { return training.rows + test.rows; }

    /// XXH3-128 over X and y of training, then of test: are these the numbers that a state was trained on?
    std::string digest() const;
};

/// Reads the file with `threads`, keeps back `test_fraction` of its rows, learns the scaling from the others.
template <class T>
dataset<T> load_dataset(const std::string& path, int threads, const design_choice& choice, double test_fraction,
                        std::uint64_t seed);

} // namespace bitstep::program
