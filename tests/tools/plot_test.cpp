// SPDX-License-Identifier: Apache-2.0
// The picture of a training: which curves and axes it has, that nothing in a title or a path is a command, and that
// whatever goes wrong is one line and leaves no file.
#include "files.hpp"
#include "program/train/plot.hpp"
#include "program/train/plot_curves.hpp"
#include "refusal.hpp"
#include "run_program.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

namespace bitstep_test {
namespace {

namespace fs = std::filesystem;
using bitstep::program::curve;
using bitstep::program::curves_of;
using bitstep::program::draw_plot;
using bitstep::program::history_row;
using bitstep::program::loss_axes;

bool gnuplot_is_installed() { return std::system("gnuplot --version >/dev/null 2>&1") == 0; }

#define NEEDS_GNUPLOT()                                                                                                \
    if (!gnuplot_is_installed()) GTEST_SKIP() << "gnuplot is not installed (Debian: gnuplot-nox)"

// A PATH in which there is only what `path` holds, as long as the object lives.
class path_variable {
public:
    explicit path_variable(const std::string& path) : old_(getenv("PATH")) { setenv("PATH", path.c_str(), 1); }
    ~path_variable() { setenv("PATH", old_.c_str(), 1); }
    path_variable(const path_variable&) = delete;
    path_variable& operator=(const path_variable&) = delete;

private:
    std::string old_;
};

// Falls from `start` to 19 within the first epochs, and then trembles.
std::vector<history_row> falling(std::size_t epochs, double start = 28) {
    std::vector<history_row> rows(epochs + 1);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].step = i;
        rows[i].epoch = static_cast<double>(i);
        rows[i].loss = 19 + (start - 19) * std::exp(-rows[i].epoch) + 0.01 * static_cast<double>(i % 3);
    }
    return rows;
}

std::vector<std::string> names(const std::vector<curve>& curves) {
    std::vector<std::string> result;
    for (const curve& one : curves) {
        result.push_back(one.name);
    }
    return result;
}

TEST(plot_test, only_curves_with_data) {
    using list = std::vector<std::string>;
    std::vector<history_row> rows = falling(3);
    EXPECT_EQ(names(curves_of(rows)), (list{"weights, training"}));
    rows[1].ema_test_loss = 20;
    EXPECT_EQ(names(curves_of(rows)), (list{"weights, training", "EMA weights, test"}));
    rows[2].ema_loss = rows[2].test_loss = 20;
    EXPECT_EQ(names(curves_of(rows)),
              (list{"weights, training", "EMA weights, training", "weights, test", "EMA weights, test"}));
    for (history_row& row : rows) {
        row.loss = std::numeric_limits<double>::infinity();
    }
    EXPECT_EQ(curves_of(rows).size(), 3u);
    EXPECT_TRUE(curves_of({}).empty());
}

TEST(plot_test, unknown_and_infinite_losses_are_gaps) {
    std::vector<history_row> rows = falling(3);
    rows[1].loss = history_row::unknown;
    rows[3].loss = std::numeric_limits<double>::infinity();
    const std::vector<curve> curves = curves_of(rows);
    ASSERT_EQ(curves.size(), 1u);
    ASSERT_EQ(curves[0].points.size(), 4u);
    EXPECT_EQ(curves[0].points[0].loss, 28);
    EXPECT_TRUE(std::isnan(curves[0].points[1].loss));
    EXPECT_TRUE(std::isnan(curves[0].points[3].loss));
    EXPECT_EQ(curves[0].last, std::numeric_limits<double>::infinity());
}

TEST(plot_test, many_rows_are_thinned_but_no_spike_is_lost) {
    std::vector<history_row> rows = falling(1000000);
    rows[123456].loss = 1000;
    rows[654321].loss = 1;
    rows.back().loss = 7;
    const std::vector<curve> curves = curves_of(rows);
    ASSERT_EQ(curves.size(), 1u);
    const auto& points = curves[0].points;
    EXPECT_LE(points.size(), 2000u);
    EXPECT_GE(points.size(), 1000u);
    EXPECT_EQ(points.front().loss, 28);
    EXPECT_EQ(points.back().loss, 7);
    std::size_t spikes = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        spikes += points[i].loss == 1000 || points[i].loss == 1 ? 1 : 0;
        EXPECT_TRUE(i == 0 || points[i - 1].epoch < points[i].epoch) << i;
    }
    EXPECT_EQ(spikes, 2u);
}

TEST(plot_test, axes_show_what_there_is_to_see) {
    std::vector<history_row> slow = falling(20);
    for (history_row& row : slow) {
        row.loss = 28 - row.epoch / 10;
    }
    std::vector<history_row> diverging = falling(20);
    diverging[20].loss = 1e30;
    std::vector<history_row> constant = falling(20);
    for (history_row& row : constant) {
        row.loss = 19;
    }
    const struct {
        const char* what;
        std::vector<history_row> rows;
        std::size_t panels;
        bool log;
    } cases[] = {{"one row", falling(0), 1, false},
                 {"two rows", falling(1), 1, false},
                 {"the start squeezes the rest", falling(100), 2, false},
                 {"a steady fall", slow, 1, false},
                 {"orders of magnitude, then the same again", falling(100, 1e6), 2, true},
                 {"a divergence", diverging, 1, true},
                 {"constant", constant, 1, false}};
    for (const auto& one : cases) {
        const auto panels = loss_axes(curves_of(one.rows));
        ASSERT_EQ(panels.size(), one.panels) << one.what;
        EXPECT_EQ(panels[0].log, one.log) << one.what;
        for (const auto& axis : panels) {
            EXPECT_LT(axis.low, axis.high) << one.what;
            EXPECT_TRUE(!axis.log || axis.low > 0) << one.what;
        }
        for (const history_row& row : one.rows) {
            EXPECT_TRUE(panels[0].low < row.loss && row.loss < panels[0].high) << one.what << ": " << row.loss;
        }
        EXPECT_LE(panels.back().low, one.rows.back().loss) << one.what;
        EXPECT_GE(panels.back().high, one.rows.back().loss) << one.what;
    }
}

TEST(plot_test, an_svg_names_title_axes_and_curves) {
    NEEDS_GNUPLOT();
    const temporary_folder place;
    std::vector<history_row> rows = falling(100);
    rows.back().loss = 18.89;
    EXPECT_EQ(draw_plot({place / "h.svg", "randhie.csv: mdvis, 20190 rows"}, rows), "");
    const std::string picture = content_of(place / "h.svg");
    for (const char* part : {"<?xml", "randhie.csv: mdvis, 20190 rows", "epoch (passes over the training data)",
                             ">mean squared error<", ">the same, enlarged<", "weights, training   18.8900", "</svg>"}) {
        EXPECT_EQ(count_of(picture, part), 1u) << part;
    }
    EXPECT_EQ(count_of(picture, "EMA weights"), 0u);
    EXPECT_EQ(count_of(picture, ", test"), 0u);
    EXPECT_EQ(place.entries(), 1u);
}

TEST(plot_test, an_svg_has_all_four_curves_and_a_log_scale) {
    NEEDS_GNUPLOT();
    const temporary_folder place;
    std::vector<history_row> rows = falling(3, 1000);
    for (history_row& row : rows) {
        row.test_loss = row.ema_loss = row.ema_test_loss = row.loss;
    }
    EXPECT_EQ(draw_plot({place / "h.svg", "all"}, rows), "");
    const std::string picture = content_of(place / "h.svg");
    for (const char* part : {">weights, training ", ">EMA weights, training ", ">weights, test ", ">EMA weights, test ",
                             ">mean squared error (log scale)<"}) {
        EXPECT_EQ(count_of(picture, part), 1u) << part;
    }
}

TEST(plot_test, a_png_is_a_png_whatever_the_case_of_its_name) {
    NEEDS_GNUPLOT();
    const temporary_folder place;
    EXPECT_EQ(draw_plot({place / "h.PnG", "t"}, falling(5)), "");
    EXPECT_EQ(content_of(place / "h.PnG").substr(0, 8), "\x89PNG\r\n\x1a\n");
}

TEST(plot_test, nothing_in_a_title_or_a_path_is_a_command) {
    NEEDS_GNUPLOT();
    const temporary_folder place;
    const std::string target = place / "made";
    const std::string name = place / "it's a \"path\"; $(touch made) `touch made`.svg";
    const std::string title =
        "it's '.system('touch " + target + "').' `x` $y @z {/Bold <b>} & \\n \"\n\xff\x01 \xc3\xbc";
    EXPECT_EQ(draw_plot({name, title}, falling(5)), "");
    EXPECT_EQ(place.entries(), 1u);
    EXPECT_FALSE(fs::exists(target));
    const std::string picture = content_of(name);
    EXPECT_EQ(count_of(picture, "').' `x` $y @z {/Bold &lt;b>} &amp; \\n \"?\xef\xbf\xbd? \xc3\xbc<"), 1u) << picture;
}

TEST(plot_test, a_hopeless_history_is_told_of_and_leaves_the_old_picture) {
    const temporary_file old("old", "h.svg");
    std::vector<history_row> rows(3);
    EXPECT_EQ(draw_plot({old.path(), "t"}, {}), "there is no finite loss to draw");
    EXPECT_EQ(draw_plot({old.path(), "t"}, rows), "there is no finite loss to draw");
    rows[1].loss = std::numeric_limits<double>::infinity();
    EXPECT_EQ(draw_plot({old.path(), "t"}, rows), "there is no finite loss to draw");
    EXPECT_EQ(content_of(old.path()), "old");
}

TEST(plot_test, extreme_histories_are_drawn) {
    NEEDS_GNUPLOT();
    const temporary_folder place;
    for (const double value : {0.0, 5e-324, 1e-300, 1e300, 1e308}) {
        std::vector<history_row> rows = falling(20);
        rows[19].loss = rows[20].loss = value;
        EXPECT_EQ(draw_plot({place / "h.svg", "t"}, rows), "") << value;
        for (history_row& row : rows) {
            row.loss = value;
        }
        EXPECT_EQ(draw_plot({place / "h.svg", "t"}, rows), value > 1e300 ? "there is no finite loss to draw" : "")
            << value;
    }
    EXPECT_EQ(draw_plot({place / "h.svg", "t"}, falling(0)), "");
    EXPECT_EQ(draw_plot({place / "h.svg", ""}, falling(1)), "");
}

TEST(plot_test, a_missing_gnuplot_is_told_of_and_leaves_no_file) {
    const temporary_folder place;
    const temporary_folder nothing;
    const path_variable only(nothing.path().string());
    EXPECT_EQ(draw_plot({place / "h.svg", "t"}, falling(5)), "gnuplot is not installed (Debian: gnuplot-nox)");
    EXPECT_EQ(place.entries(), 0u);
}

TEST(plot_test, a_failing_gnuplot_is_told_of_and_leaves_the_old_picture) {
    const struct {
        const char* script;
        const char* reason;
    } cases[] = {
        {"echo half a picture; echo first >&2; echo '   line 0: unknown terminal type  ' >&2; echo >&2; exit 1",
         "gnuplot: line 0: unknown terminal type"},
        {"exit 3", "gnuplot failed with exit code 3"},
        {"kill -9 $$", "gnuplot failed with exit code 137"},
        {"exit 0", "gnuplot drew nothing"}};
    for (const auto& one : cases) {
        const temporary_folder place;
        std::ofstream(place / "h.svg") << "old";
        const temporary_file fake(std::string("#!/bin/sh\n") + one.script + '\n', "gnuplot");
        fs::permissions(fake.path(), fs::perms::owner_all);
        const path_variable only(fs::path(fake.path()).parent_path().string());
        EXPECT_EQ(draw_plot({place / "h.svg", "t"}, falling(5)), one.reason);
        EXPECT_EQ(content_of(place / "h.svg"), "old");
        EXPECT_EQ(place.entries(), 1u);
    }
}

TEST(plot_test, a_gnuplot_that_reads_nothing_harms_nobody) {
    const temporary_folder place;
    const temporary_file fake("#!/bin/sh\nexec <&-; echo picture\n", "gnuplot");
    fs::permissions(fake.path(), fs::perms::owner_all);
    const path_variable only(fs::path(fake.path()).parent_path().string());
    EXPECT_EQ(draw_plot({place / "h.svg", "t"}, falling(100000)), ""); // no SIGPIPE
    EXPECT_EQ(content_of(place / "h.svg"), "picture\n");
}

TEST(plot_test, a_folder_that_takes_no_file_is_told_of) {
    const std::string reason = draw_plot({"/proc/h.svg", "t"}, falling(5)); // also root cannot write there
    EXPECT_EQ(reason.substr(0, 13), "/proc/h.svg: ") << reason;
    EXPECT_EQ(reason.find('\n'), std::string::npos);
    EXPECT_EQ(draw_plot({"/no/h.svg", "t"}, falling(5)), "/no/h.svg: there is no folder /no");
}

TEST(plot_test, checks_the_path_before_training) {
    const temporary_folder place;
    const auto said = [](const std::string& path) {
        return refusal_of([&] { bitstep::program::check_plot_path(path); });
    };
    for (const char* good : {"h.svg", "h.PNG", "h.x.SvG", "./a b.svg", "/tmp/h.png"}) {
        EXPECT_EQ(said(good), "") << good;
    }
    for (const char* bad : {"h", "h.pdf", "h.svg.gz", "svg", ".svg", "", "h.svg/", "/tmp/", "h.sv"}) {
        EXPECT_EQ(said(bad), std::string(bad) + ": a picture ends in .svg or .png");
    }
    EXPECT_EQ(said("/no/folder/h.svg"), "/no/folder/h.svg: there is no folder /no/folder");
    fs::create_directory(place / "d.svg");
    EXPECT_NE(said(place / "d.svg").find("is a directory"), std::string::npos);
    fs::remove(place / "d.svg");
}

} // namespace
} // namespace bitstep_test
