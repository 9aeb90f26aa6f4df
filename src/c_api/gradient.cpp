// SPDX-License-Identifier: Apache-2.0
// bitstep_gradient_* and its workspace query.
#include "data.hpp"

namespace bitstep::c_api {
namespace {

template <class T>
bitstep_status gradient(const c_rows<T>* rows, const T* w, T* grad, T* mse, const bitstep_options* given,
                        const bitstep_workspace* scratch) noexcept {
    call c(given);
    if (!c.needs("rows", rows).ok()) return c.refused();
    const std::size_t d = rows->features;
    return c.done(
        bitstep::gradient<T>(twin_of_rows<T>(*rows), {w, d}, {grad, d}, mse, c.opts(), given_workspace(scratch)));
}

} // namespace
} // namespace bitstep::c_api

extern "C" {

bitstep_status bitstep_gradient_f32(const bitstep_row_sequence_f32* rows, const float* w, float* grad, float* mse,
                                    const bitstep_options* options, const bitstep_workspace* workspace) {
    return bitstep::c_api::gradient<float>(rows, w, grad, mse, options, workspace);
}

bitstep_status bitstep_gradient_f64(const bitstep_row_sequence_f64* rows, const double* w, double* grad, double* mse,
                                    const bitstep_options* options, const bitstep_workspace* workspace) {
    return bitstep::c_api::gradient<double>(rows, w, grad, mse, options, workspace);
}

bitstep_status bitstep_gradient_workspace_bytes_f32(size_t rows, size_t features, const bitstep_options* options,
                                                    size_t* bytes) {
    return bitstep::c_api::workspace_query(options, bytes, [=](const bitstep::options& opts) {
        return bitstep::gradient_workspace_bytes<float>(rows, features, opts, *bytes);
    });
}

bitstep_status bitstep_gradient_workspace_bytes_f64(size_t rows, size_t features, const bitstep_options* options,
                                                    size_t* bytes) {
    return bitstep::c_api::workspace_query(options, bytes, [=](const bitstep::options& opts) {
        return bitstep::gradient_workspace_bytes<double>(rows, features, opts, *bytes);
    });
}

} // extern "C"
