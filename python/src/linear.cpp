// SPDX-License-Identifier: Apache-2.0
// The stages before the update: X w, X w - y, and the gradient of the mean squared error.
#include "gil.hpp"
#include "results.hpp"
#include "scalars.hpp"
#include "verbs.hpp"

#include <bitstep/bitstep.hpp>

namespace bitstep::python {
namespace {

/// X (N, d), w (d,) and, where asked for, y (N,).
struct linear_arrays {
    array x, y, w;

    linear_arrays(nb::handle X, const nb::handle* targets, nb::handle weights) {
        take(X, {"X"}, x);
        expect_dimensions(x, 2, "(N, d)");
        if (targets != nullptr) {
            take_like(*targets, {"y"}, x, y);
            expect_vector(y, x.extent(0), "of X's rows");
        }
        take_like(weights, {"w"}, x, w);
        expect_vector(w, x.extent(1), "of X's columns");
    }
};

} // namespace

nb::object predict(nb::handle X, nb::handle w, nb::handle threads, nb::handle accumulate) {
    const options opts = read_options(threads, accumulate);
    linear_arrays in(X, nullptr, w);
    return with_type(in.x.is_double, [&]<class T>(T) {
        const output result(in.x, in.x.extent(0), output::runs_code(in.x));
        expect_still({&in.x, &in.w}, result);
        status done;
        {
            const without_gil released;
            done = bitstep::predict<T>(matrix<T>(in.x), vector<T>(in.w), {result.data<T>(), in.x.extent(0)}, opts);
        }
        raise_unless_ok(done);
        return result.finish();
    });
}

nb::object residual(nb::handle X, nb::handle y, nb::handle w, nb::handle threads, nb::handle accumulate) {
    const options opts = read_options(threads, accumulate);
    linear_arrays in(X, &y, w);
    return with_type(in.x.is_double, [&]<class T>(T) {
        const output result(in.x, in.x.extent(0), output::runs_code(in.x));
        expect_still({&in.x, &in.y, &in.w}, result);
        status done;
        {
            const without_gil released;
            done = bitstep::residual<T>(matrix<T>(in.x), vector<T>(in.y), vector<T>(in.w),
                                        {result.data<T>(), in.x.extent(0)}, opts);
        }
        raise_unless_ok(done);
        return result.finish();
    });
}

nb::object gradient(nb::handle X, nb::handle y, nb::handle w, nb::handle threads, nb::handle accumulate) {
    const options opts = read_options(threads, accumulate);
    linear_arrays in(X, &y, w);
    return with_type(in.x.is_double, [&]<class T>(T) {
        const std::size_t d = in.x.extent(1);
        const output result(in.x, d, output::runs_code(in.x));
        expect_still({&in.x, &in.y, &in.w}, result);
        T mse = 0;
        status done;
        {
            const without_gil released;
            const matrix_view<const T> x = matrix<T>(in.x);
            const shard_view<T> shard{x.data, dense<T>(in.y), x.rows, x.row_stride};
            done =
                bitstep::gradient<T>(row_sequence<T>{&shard, 1, d}, vector<T>(in.w), {result.data<T>(), d}, &mse, opts);
        }
        raise_unless_ok(done, in.x, in.y);
        return nb::object(nb::make_tuple(result.finish(), static_cast<double>(mse)));
    });
}

} // namespace bitstep::python
