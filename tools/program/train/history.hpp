// SPDX-License-Identifier: Apache-2.0
// The course of a training as rows, in memory for the picture (plot) and in a CSV file for everybody else (--history).
#pragma once

#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

namespace bitstep::program {

struct history_row {
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN(); ///< an empty field in the file

    std::uint64_t step = 0;         ///< updates done; 0 is the start
    double epoch = 0;               ///< passes over the training rows done, with fraction
    double loss = unknown;          ///< mean squared error of the weights over the training rows
    double test_loss = unknown;     ///< ... over the test rows, where there are any
    double gradient_norm = unknown; ///< Euclidean norm of the last step's gradient, ridge term included; none at step 0
    double lr = unknown;            ///< learning rate of the last step
    double seconds = 0;             ///< of training, over all runs
    double ema_loss = unknown;      ///< mean squared error of the averaged weights over the training rows
    double ema_test_loss = unknown; ///< ... over the test rows
};

class history {
public:
    /// Rows in memory only.
    history() = default;

    /// input_error where begin() or resume() would refuse the file for what it is, or the folder takes no file. Changes
    /// nothing.
    static void check(const std::string& path);

    /// Rows in memory and in the file at `path`, which is begun anew. input_error where that fails, and where there is
    /// a file that is no history: a mistyped --history costs nobody their data.
    static history begin(const std::string& path);

    /// Goes on with a file that an earlier run wrote: keeps its rows up to `step`, drops those after it and a last line
    /// that was cut off. Where there is no file, begins one. input_error, with the place, where a file is no history.
    static history resume(const std::string& path, std::uint64_t step);

    /// Also writes the row through to the file, so that a killed run loses at most the line being written. input_error
    /// where the disk takes no more; std::logic_error where `row.step` is not above the last row's.
    void add(const history_row& row);

    const std::vector<history_row>& rows() const { return rows_; }

private:
    std::string path_;
    std::vector<history_row> rows_;
};

} // namespace bitstep::program
