// SPDX-License-Identifier: Apache-2.0
// Stage 1 for the data: shards and dense batches.
#include "message.hpp"
#include "validate.hpp"

#include <cstdint>

namespace bitstep::internal {
namespace {

/// "worker_xs", or "shards[3].x".
class data_name {
public:
    data_name(data_naming naming, std::size_t shard, const char* dense, const char* member) noexcept {
        if (naming == data_naming::dense) {
            text_ << dense;
        } else {
            text_ << "shards[" << shard << "]." << member;
        }
        result_ = text_ << status_code::ok;
    }
    operator const char*() const noexcept { return result_.message(); }

private:
    message text_;
    status result_;
};

template <class T>
data_name x_name(const row_data<T>& d, std::size_t i) noexcept {
    return {d.naming, i, "worker_xs", "x"};
}
template <class T>
data_name y_name(const row_data<T>& d, std::size_t i) noexcept {
    return {d.naming, i, "worker_ys", "y"};
}

template <class T>
std::size_t x_bytes(const shard_view<T>& s, std::size_t features) noexcept {
    return ((s.rows - 1) * s.row_stride + features) * sizeof(T);
}

template <class T>
checks& shard_rules(checks& c, const row_data<T>& data, std::size_t i) noexcept {
    const shard_view<T>& s = data.rows.shards[i];
    if (!c.ok() || s.rows == 0) return c;
    // The usual case is decided without building a name.
    const bool plain = s.x != nullptr && s.y != nullptr && s.row_stride >= data.rows.features &&
                       checks().fits("", s.rows, s.row_stride, data.rows.features, sizeof(T)).ok();
    if (plain) [[likely]]
        return c;
    return c.pointer(x_name(data, i), s.x)
        .pointer(y_name(data, i), s.y)
        .at_least(data_name(data.naming, i, "row_stride", "row_stride"), s.row_stride, "features", data.rows.features)
        .fits(x_name(data, i), s.rows, s.row_stride, data.rows.features, sizeof(T));
}

template <class T>
bool is_finite(T value) noexcept {
    return value - value == 0;
}

} // namespace

template <class T>
checks& row_rules(checks& c, row_data<T>& data) noexcept {
    c.extent("features", data.rows.features);
    if (data.rows.shard_count != 0) c.pointer("shards", data.rows.shards);
    data.total = 0;
    for (std::size_t i = 0; c.ok() && i < data.rows.shard_count; ++i) {
        shard_rules(c, data, i);
        if (__builtin_add_overflow(data.total, data.rows.shards[i].rows, &data.total)) {
            c.add(message() << "shards: the sum of their rows must fit size_t, got more at shard " << i
                            << status_code::invalid_shape);
        }
    }
    return c.extent("rows (over all shards)", data.total);
}

template <class T>
checks& disjoint_from_rows(checks& c, const memory_span& output, const row_data<T>& data) noexcept {
    if (data.naming == data_naming::shards) {
        c.disjoint(output, {"shards", data.rows.shards, data.rows.shard_count * sizeof(shard_view<T>)});
    }
    for (std::size_t i = 0; c.ok() && i < data.rows.shard_count; ++i) {
        const shard_view<T>& s = data.rows.shards[i];
        if (s.rows == 0) continue;
        const std::size_t x_size = x_bytes(s, data.rows.features);
        const memory_span y{"", s.y, s.rows * sizeof(T)};
        if (!output.overlaps({"", s.x, x_size}) && !output.overlaps(y)) [[likely]]
            continue;
        c.disjoint(output, {x_name(data, i), s.x, x_size}).disjoint(output, {y_name(data, i), s.y, s.rows * sizeof(T)});
    }
    return c;
}

template <class T>
status non_finite_gradient(const row_data<T>& data, const char* w_name, const T* w) noexcept {
    const std::size_t d = data.rows.features;
    for (std::size_t j = 0; j < d; ++j) {
        if (is_finite(w[j])) continue;
        return message() << w_name << " must be finite, got " << w[j] << " at element " << j << status_code::non_finite;
    }
    for (std::size_t i = 0; i < data.rows.shard_count; ++i) {
        const shard_view<T>& s = data.rows.shards[i];
        for (std::size_t row = 0; row < s.rows; ++row) {
            const T* x = s.x + row * s.row_stride;
            if (!is_finite(s.y[row])) {
                return message() << y_name(data, i) << " must be finite, got " << s.y[row] << " at row " << row
                                 << status_code::non_finite;
            }
            for (std::size_t j = 0; j < d; ++j) {
                if (is_finite(x[j])) continue;
                return message() << x_name(data, i) << " must be finite, got " << x[j] << " at row " << row
                                 << ", feature " << j << status_code::non_finite;
            }
        }
    }
    return message() << "gradient must be finite, got an overflow of " << (sizeof(T) == 4 ? "float" : "double")
                     << " from finite data" << status_code::gradient_overflow;
}

template checks& row_rules(checks&, row_data<float>&) noexcept;
template checks& row_rules(checks&, row_data<double>&) noexcept;
template checks& disjoint_from_rows(checks&, const memory_span&, const row_data<float>&) noexcept;
template checks& disjoint_from_rows(checks&, const memory_span&, const row_data<double>&) noexcept;
template status non_finite_gradient(const row_data<float>&, const char*, const float*) noexcept;
template status non_finite_gradient(const row_data<double>&, const char*, const double*) noexcept;

} // namespace bitstep::internal
