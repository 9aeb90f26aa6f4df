// SPDX-License-Identifier: Apache-2.0
// bitstep_distributed_step_*: four forms for two types, and the workspace query.
#include "data.hpp"

namespace bitstep::c_api {
namespace {

/// `data`: C++'s batches or rows, once the pointer to the C struct is known to be there.
template <class T, class Twin, class Data>
bitstep_status step(const char* name, const Data* data, Twin twin, const state_view<const T>& state,
                    const bitstep_hyper_parameters* hyper, T* out, const bitstep_options* given,
                    const bitstep_workspace* scratch) noexcept {
    call c(given);
    if (!c.needs(name, data).needs_hyper(hyper).ok()) return c.refused();
    state_view<const T> in = state;
    in.features = data->features;
    return c.done(bitstep::distributed_step<T>(twin(*data), in, c.hyper(), vector_view<T>{out, 4 * in.features},
                                               c.opts(), given_workspace(scratch)));
}

template <class T, class Twin, class Data>
bitstep_status step_in_place(const char* name, const Data* data, Twin twin, const state_view<T>& state,
                             const bitstep_hyper_parameters* hyper, const bitstep_options* given,
                             const bitstep_workspace* scratch) noexcept {
    call c(given);
    if (!c.needs(name, data).needs_hyper(hyper).ok()) return c.refused();
    state_view<T> in = state;
    in.features = data->features;
    return c.done(bitstep::distributed_step<T>(twin(*data), in, c.hyper(), c.opts(), given_workspace(scratch)));
}

} // namespace
} // namespace bitstep::c_api

extern "C" {

bitstep_status bitstep_distributed_step_f32(const bitstep_worker_batches_f32* batches, const float* weights,
                                            const float* ema_weights, const float* m, const float* v,
                                            const bitstep_hyper_parameters* hyper, float* out,
                                            const bitstep_options* options, const bitstep_workspace* workspace) {
    return bitstep::c_api::step<float>("batches", batches, bitstep::c_api::twin_of_batches<float>,
                                       {weights, ema_weights, m, v, 0}, hyper, out, options, workspace);
}

bitstep_status bitstep_distributed_step_f64(const bitstep_worker_batches_f64* batches, const double* weights,
                                            const double* ema_weights, const double* m, const double* v,
                                            const bitstep_hyper_parameters* hyper, double* out,
                                            const bitstep_options* options, const bitstep_workspace* workspace) {
    return bitstep::c_api::step<double>("batches", batches, bitstep::c_api::twin_of_batches<double>,
                                        {weights, ema_weights, m, v, 0}, hyper, out, options, workspace);
}

bitstep_status bitstep_distributed_step_rows_f32(const bitstep_row_sequence_f32* rows, const float* weights,
                                                 const float* ema_weights, const float* m, const float* v,
                                                 const bitstep_hyper_parameters* hyper, float* out,
                                                 const bitstep_options* options, const bitstep_workspace* workspace) {
    return bitstep::c_api::step<float>("rows", rows, bitstep::c_api::twin_of_rows<float>,
                                       {weights, ema_weights, m, v, 0}, hyper, out, options, workspace);
}

bitstep_status bitstep_distributed_step_rows_f64(const bitstep_row_sequence_f64* rows, const double* weights,
                                                 const double* ema_weights, const double* m, const double* v,
                                                 const bitstep_hyper_parameters* hyper, double* out,
                                                 const bitstep_options* options, const bitstep_workspace* workspace) {
    return bitstep::c_api::step<double>("rows", rows, bitstep::c_api::twin_of_rows<double>,
                                        {weights, ema_weights, m, v, 0}, hyper, out, options, workspace);
}

bitstep_status bitstep_distributed_step_in_place_f32(const bitstep_worker_batches_f32* batches, float* weights,
                                                     float* ema_weights, float* m, float* v,
                                                     const bitstep_hyper_parameters* hyper,
                                                     const bitstep_options* options,
                                                     const bitstep_workspace* workspace) {
    return bitstep::c_api::step_in_place<float>("batches", batches, bitstep::c_api::twin_of_batches<float>,
                                                {weights, ema_weights, m, v, 0}, hyper, options, workspace);
}

bitstep_status bitstep_distributed_step_in_place_f64(const bitstep_worker_batches_f64* batches, double* weights,
                                                     double* ema_weights, double* m, double* v,
                                                     const bitstep_hyper_parameters* hyper,
                                                     const bitstep_options* options,
                                                     const bitstep_workspace* workspace) {
    return bitstep::c_api::step_in_place<double>("batches", batches, bitstep::c_api::twin_of_batches<double>,
                                                 {weights, ema_weights, m, v, 0}, hyper, options, workspace);
}

bitstep_status bitstep_distributed_step_rows_in_place_f32(const bitstep_row_sequence_f32* rows, float* weights,
                                                          float* ema_weights, float* m, float* v,
                                                          const bitstep_hyper_parameters* hyper,
                                                          const bitstep_options* options,
                                                          const bitstep_workspace* workspace) {
    return bitstep::c_api::step_in_place<float>("rows", rows, bitstep::c_api::twin_of_rows<float>,
                                                {weights, ema_weights, m, v, 0}, hyper, options, workspace);
}

bitstep_status bitstep_distributed_step_rows_in_place_f64(const bitstep_row_sequence_f64* rows, double* weights,
                                                          double* ema_weights, double* m, double* v,
                                                          const bitstep_hyper_parameters* hyper,
                                                          const bitstep_options* options,
                                                          const bitstep_workspace* workspace) {
    return bitstep::c_api::step_in_place<double>("rows", rows, bitstep::c_api::twin_of_rows<double>,
                                                 {weights, ema_weights, m, v, 0}, hyper, options, workspace);
}

bitstep_status bitstep_distributed_step_workspace_bytes_f32(size_t rows, size_t features,
                                                            const bitstep_options* options, size_t* bytes) {
    return bitstep::c_api::workspace_query(options, bytes, [=](const bitstep::options& opts) {
        return bitstep::distributed_step_workspace_bytes<float>(rows, features, opts, *bytes);
    });
}

bitstep_status bitstep_distributed_step_workspace_bytes_f64(size_t rows, size_t features,
                                                            const bitstep_options* options, size_t* bytes) {
    return bitstep::c_api::workspace_query(options, bytes, [=](const bitstep::options& opts) {
        return bitstep::distributed_step_workspace_bytes<double>(rows, features, opts, *bytes);
    });
}

} // extern "C"
