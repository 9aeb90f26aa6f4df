// SPDX-License-Identifier: Apache-2.0
#include "program/train/plot_curves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bitstep::program {
namespace {

constexpr std::size_t stretches = 1000;  // two points each; a picture is 800 pixels wide
constexpr double log_from = 10;          // largest / smallest loss from which a logarithmic axis shows more
constexpr double squeezed = 5;           // whole range / range of the later half from which that is enlarged
constexpr double smallest_range = 1e-6;  // of the loss; below are float's rounding errors
constexpr double share_kept = 0.95;      // of the later half's losses are in the enlarged range's lower half at most
constexpr double largest = 1e300;        // drawn; gnuplot takes what is near double's end for undefined
constexpr std::size_t fewest_points = 6; // of a curve that is enlarged

bool can_be_drawn(double loss) { return std::abs(loss) <= largest; } // false for NaN

curve_point point_of(const history_row& row, double history_row::*loss) {
    const double value = row.*loss;
    if (!can_be_drawn(value)) {
        return {row.epoch, history_row::unknown};
    }
    return {row.epoch, std::abs(value) < 1 / largest ? 0 : value};
}

void add_extremes(std::vector<curve_point>& points, const std::vector<curve_point>& stretch) {
    auto lowest = stretch.end();
    auto highest = stretch.end();
    for (auto point = stretch.begin(); point != stretch.end(); ++point) {
        if (!std::isnan(point->loss)) {
            lowest = lowest == stretch.end() || point->loss < lowest->loss ? point : lowest;
            highest = highest == stretch.end() || point->loss > highest->loss ? point : highest;
        }
    }
    if (lowest == stretch.end()) {
        points.push_back(stretch.front()); // the gap
        return;
    }
    points.push_back(*std::min(lowest, highest));
    if (lowest != highest) {
        points.push_back(*std::max(lowest, highest));
    }
}

std::vector<curve_point> points_of(const std::vector<history_row>& rows, double history_row::*loss) {
    std::vector<curve_point> points;
    if (rows.size() <= 2 * stretches) {
        for (const history_row& row : rows) {
            points.push_back(point_of(row, loss));
        }
        return points;
    }
    // The first and the last row stand for themselves.
    points.push_back(point_of(rows.front(), loss));
    const std::size_t inner = rows.size() - 2;
    std::vector<curve_point> stretch;
    for (std::size_t i = 0; i + 1 < stretches; ++i) {
        const std::size_t begin = 1 + inner * i / (stretches - 1);
        const std::size_t end = 1 + inner * (i + 1) / (stretches - 1);
        stretch.clear();
        for (std::size_t r = begin; r < end; ++r) {
            stretch.push_back(point_of(rows[r], loss));
        }
        add_extremes(points, stretch);
    }
    points.push_back(point_of(rows.back(), loss));
    return points;
}

double last_known(const std::vector<history_row>& rows, double history_row::*loss) {
    const auto last =
        std::find_if(rows.rbegin(), rows.rend(), [loss](const history_row& row) { return !std::isnan(row.*loss); });
    return last == rows.rend() ? history_row::unknown : (*last).*loss;
}

struct span {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    double low_positive = std::numeric_limits<double>::infinity();

    void add(double loss) {
        low = std::min(low, loss);
        high = std::max(high, loss);
        low_positive = loss > 0 ? std::min(low_positive, loss) : low_positive;
    }
};

loss_axis axis_of(const span& losses) {
    if (losses.high / losses.low_positive > log_from) { // false where no loss is positive
        return {losses.low_positive, losses.high, true};
    }
    return {losses.low, losses.high, false};
}

// The axis with a little room, and never empty: gnuplot refuses an empty range.
loss_axis with_room(loss_axis axis) {
    constexpr double room = 0.05;
    if (axis.log) {
        const double factor = std::pow(axis.high / axis.low, room);
        return {std::max(axis.low / factor, 1 / (10 * largest)), std::min(axis.high * factor, 10 * largest), true};
    }
    const double size = std::max(std::abs(axis.low), std::abs(axis.high));
    if (axis.high - axis.low < smallest_range * size || size == 0) {
        const double half = size == 0 ? 1 : size / 20;
        return {size == 0 ? 0 : axis.low - half, axis.high + half, false};
    }
    const double more = (axis.high - axis.low) * room;
    return {axis.low - more, axis.high + more, false};
}

double length(const loss_axis& axis, bool log) { return log ? std::log(axis.high / axis.low) : axis.high - axis.low; }

// Of the curve's later half: all but single spikes and the end of a slow descent, and always where it ends.
void add_later_half(span& losses, const curve& one) {
    const double middle = (one.points.front().epoch + one.points.back().epoch) / 2;
    std::vector<double> later;
    for (const curve_point& point : one.points) {
        if (point.epoch >= middle && !std::isnan(point.loss)) {
            later.push_back(point.loss);
        }
    }
    if (later.empty()) {
        return;
    }
    losses.add(later.back());
    std::sort(later.begin(), later.end());
    const double most = later[static_cast<std::size_t>(static_cast<double>(later.size() - 1) * share_kept)];
    losses.add(later.front());
    losses.add(std::min(later.back(), most + (most - later.front())));
}

} // namespace

std::vector<curve> curves_of(const std::vector<history_row>& rows) {
    const struct {
        const char* name;
        bool averaged;
        bool test;
        double history_row::*loss;
    } kinds[] = {{"weights, training", false, false, &history_row::loss},
                 {"EMA weights, training", true, false, &history_row::ema_loss},
                 {"weights, test", false, true, &history_row::test_loss},
                 {"EMA weights, test", true, true, &history_row::ema_test_loss}};
    std::vector<curve> curves;
    for (const auto& kind : kinds) {
        if (std::any_of(rows.begin(), rows.end(),
                        [&kind](const history_row& row) { return can_be_drawn(row.*kind.loss); })) {
            curves.push_back(
                {kind.name, kind.averaged, kind.test, last_known(rows, kind.loss), points_of(rows, kind.loss)});
        }
    }
    return curves;
}

std::vector<loss_axis> loss_axes(const std::vector<curve>& curves) {
    span all;
    span later;
    std::size_t most_points = 0;
    for (const curve& one : curves) {
        for (const curve_point& point : one.points) {
            if (!std::isnan(point.loss)) {
                all.add(point.loss);
            }
        }
        add_later_half(later, one);
        most_points = std::max(most_points, one.points.size());
    }
    const loss_axis whole = axis_of(all);
    const loss_axis enlarged = axis_of(later);
    const bool worth_it = most_points >= fewest_points && enlarged.low > 0 &&
                          enlarged.high - enlarged.low > smallest_range * enlarged.high &&
                          length(whole, whole.log) > squeezed * length(enlarged, whole.log);
    if (worth_it) {
        return {with_room(whole), with_room(enlarged)};
    }
    return {with_room(whole)};
}

} // namespace bitstep::program
