// SPDX-License-Identifier: Apache-2.0
#include "program/train/plot_script.hpp"

#include "program/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <iterator>

namespace bitstep::program {
namespace {

// In pixels. Whatever is placed is placed by these, so that the frames of two panels align.
constexpr int width = 900;
constexpr int left = 100; // tick labels and the axis' name
constexpr int right = 25;
constexpr int above = 74; // title and a line of legend
constexpr int line = 18;
constexpr int below = 62;
constexpr int gap = 26; // between two panels

constexpr std::size_t longest_title = 90; // bytes: as much as fits over the picture

constexpr const char* weights_colour = "#0072b2"; // blue and vermilion, told apart by every kind of eye
constexpr const char* average_colour = "#d55e00";

// Between single quotes gnuplot knows no escapes, variables or commands; a quote is written twice. Text that is not
// UTF-8 would spoil an SVG, and nlohmann-json mends it.
std::string quoted(const std::string& text) {
    const auto mended = nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    std::string result = "'";
    for (const char c : nlohmann::json::parse(mended).get<std::string>()) {
        result += c == '\'' ? "''" : std::string(1, is_control(c) ? '?' : c);
    }
    return result + '\'';
}

std::string terminal(picture_format format, int height) {
    const std::string size = fmt::format("noenhanced size {},{}", width, height);
    if (format == picture_format::svg) {
        return fmt::format("set terminal svg {} font 'sans-serif,14' background rgb 'white'\n", size);
    }
    return fmt::format("if (strstrt(GPVAL_TERMINALS, 'pngcairo')) {{\n"
                       "set terminal pngcairo {0} font 'Sans,11' background rgb 'white'\n"
                       "}} else {{\nset terminal png {0}\n}}\n",
                       size);
}

// A point without a neighbour draws no line; few points are worth seeing each.
bool needs_marks(const curve& one) {
    constexpr std::size_t few = 30;
    const auto is_gap = [&one](std::size_t i) { return i >= one.points.size() || std::isnan(one.points[i].loss); };
    bool lonely = false;
    for (std::size_t i = 0; i < one.points.size(); ++i) {
        lonely = lonely || (!is_gap(i) && is_gap(i + 1) && (i == 0 || is_gap(i - 1)));
    }
    return lonely || one.points.size() <= few;
}

std::string data(const std::vector<curve>& curves) {
    std::string text;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        text += fmt::format("$curve{} << END\n", i);
        for (const curve_point& point : curves[i].points) {
            text += std::isnan(point.loss) ? "\n" : fmt::format("{} {}\n", point.epoch, point.loss);
        }
        text += "END\n";
    }
    return text;
}

// The columns are then training and test, where there are both.
int legend_lines(const std::vector<curve>& curves) { return curves.size() > 2 ? 2 : 1; }

std::string axes(const std::vector<curve>& curves, int height) {
    double first = curves.front().points.front().epoch;
    double last = curves.front().points.back().epoch;
    const double epochs = last - first;
    const bool count_each = epochs <= 0 || (epochs >= 2 && epochs <= 12); // "2.5" is no epoch one looks for
    if (epochs <= 0) {
        first -= 0.5;
        last += 0.5;
    }
    return fmt::format("set encoding utf8\n"
                       "set border 3 linecolor rgb '#666666'\n"
                       "set tics nomirror textcolor rgb '#333333'\n"
                       "set xtics {}\nset format x '%g'\n"
                       "set mxtics 1\n"
                       "set grid xtics ytics linetype 1 linewidth 1 linecolor rgb '#e4e4e4'\n"
                       "set xrange [{}:{}]\n"
                       "set lmargin at screen {}\n"
                       "set rmargin at screen {}\n"
                       "set key at screen {},{} left top vertical Left reverse maxrows {} samplen 3 width 2\n",
                       count_each ? "1" : "autofreq", first, last, static_cast<double>(left) / width,
                       1 - static_cast<double>(right) / width, static_cast<double>(left - 12) / width,
                       1 - 38.0 / height, legend_lines(curves));
}

std::string plot_command(const std::vector<curve>& curves, bool with_legend) {
    std::string command = "plot";
    for (std::size_t i = 0; i < curves.size(); ++i) {
        const curve& one = curves[i];
        command += fmt::format(
            "{} $curve{} using 1:2 with {} linetype 1 linewidth {} dashtype {} linecolor rgb '{}'{} {}",
            i == 0 ? "" : ",", i, needs_marks(one) ? "linespoints" : "lines", one.averaged ? 2.2 : 1.5,
            one.test ? "(9,5)" : "1", one.averaged ? average_colour : weights_colour,
            needs_marks(one) ? fmt::format(" pointtype {} pointsize {}", one.test ? 6 : 7, one.test ? 0.7 : 0.5) : "",
            with_legend ? fmt::format("title '{}   {:#.6g}'", one.name, one.last) : "notitle");
    }
    return command + '\n';
}

// Fractions of the picture's height.
std::string panel(const loss_axis& axis, const std::string& name, double bottom, double top) {
    return fmt::format("set bmargin at screen {}\nset tmargin at screen {}\n"
                       "{}set yrange [{}:{}]\nset format y '%.8g'\n"
                       "set ylabel '{}{}'\n",
                       bottom, top, axis.log ? "set logscale y\n" : "unset logscale y\n", axis.low, axis.high, name,
                       axis.log ? " (log scale)" : "");
}

} // namespace

std::string plot_script(picture_format format, const std::string& title, const std::vector<curve>& curves) {
    const std::vector<loss_axis> panels = loss_axes(curves);
    const int height = panels.size() == 1 ? 560 : 680;
    const double top = 1 - static_cast<double>(above + line * (legend_lines(curves) - 1)) / height;
    const double bottom = static_cast<double>(below) / height;
    const double middle = (top + bottom) / 2;
    const double half_gap = gap / 2.0 / height;
    const std::string x_name = "set xlabel 'epoch (passes over the training data)'\n";

    std::string script = data(curves) + terminal(format, height) + axes(curves, height);
    script +=
        fmt::format("set label 1 {} at screen 0.5,{} center font ',{}'\n", quoted(shortened(title, longest_title)),
                    1 - 20.0 / height, format == picture_format::svg ? 17 : 13);
    script += "set multiplot\n";
    if (panels.size() == 1) {
        script += x_name + panel(panels[0], "mean squared error", bottom, top) + plot_command(curves, true);
    } else {
        script += "set format x ''\n" + panel(panels[0], "mean squared error", middle + half_gap, top) +
                  plot_command(curves, true) + "unset label 1\nset format x '%g'\n" + x_name +
                  panel(panels[1], "the same, enlarged", bottom, middle - half_gap) + plot_command(curves, false);
    }
    return script + "unset multiplot\nset output\n";
}

} // namespace bitstep::program
