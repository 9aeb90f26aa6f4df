// SPDX-License-Identifier: Apache-2.0
// Stage 1 for allreduce_mean, see validate_tensors.hpp.
#include "validate_tensors.hpp"

#include "inline.hpp"
#include "message.hpp"
#include "validate.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace bitstep::internal {
namespace {

/// tensors[3] "layer1.weight"; a long name is cut so that the rule still fits, control characters become '?'.
message& name_tensor(message& m, const char* name, std::size_t k) noexcept {
    m << "tensors[" << k << "]";
    if (name == nullptr) return m;
    char shown[64];
    std::size_t length = 0;
    for (; name[length] != '\0' && length + 1 < sizeof shown; ++length) {
        const auto byte = static_cast<unsigned char>(name[length]);
        shown[length] = byte < 0x20 || byte == 0x7F ? '?' : name[length];
    }
    shown[length] = '\0';
    return m << " \"" << static_cast<const char*>(shown) << (name[length] != '\0' ? "...\"" : "\"");
}

/// Cheap, for every tensor: no status, whose text has 232 bytes, unless one is wanted.
template <class T>
bool usable(const worker_tensor<T>& t, std::size_t workers) noexcept {
    if (t.size > SIZE_MAX / 2 / sizeof(T) || t.worker_grads == nullptr || t.mean == nullptr) return false;
    bool missing = false;
    for (std::size_t w = 0; w < workers; ++w) missing |= t.worker_grads[w] == nullptr;
    return !missing;
}

/// Why a tensor is not usable.
template <class T>
status pointers_and_size(const worker_tensor<T>& t, std::size_t k, std::size_t workers) noexcept {
    message m;
    if (t.size > SIZE_MAX / 2 / sizeof(T)) {
        return name_tensor(m, t.name, k) << ".size must be below 2^63 bytes, got " << t.size
                                         << status_code::invalid_shape;
    }
    if (t.worker_grads == nullptr) {
        return name_tensor(m, t.name, k) << ".worker_grads must not be null" << status_code::null_pointer;
    }
    if (t.mean == nullptr) {
        return name_tensor(m, t.name, k) << ".mean must not be null" << status_code::null_pointer;
    }
    for (std::size_t w = 0; w < workers; ++w) {
        if (t.worker_grads[w] != nullptr) continue;
        return name_tensor(m, t.name, k) << ".worker_grads[" << w << "] must not be null" << status_code::null_pointer;
    }
    return {};
}

template <class T>
std::uintptr_t begin_of(const T* p) noexcept {
    return reinterpret_cast<std::uintptr_t>(p);
}
template <class T>
std::uintptr_t end_of(const T* p, std::size_t size) noexcept {
    return begin_of(p) + size * sizeof(T);
}

/// The tensors that have elements, by ascending address of their output.
template <class T>
class output_order {
public:
    output_order(const worker_tensor<T>* tensors, std::size_t tensor_count, std::size_t* index) noexcept
        : tensors_(tensors), index_(index), count_(tensor_count) {
        if (index == nullptr) return;
        count_ = 0;
        for (std::size_t k = 0; k < tensor_count; ++k) {
            if (tensors[k].size != 0) index[count_++] = k;
        }
        std::sort(index, index + count_, [tensors](std::size_t a, std::size_t b) {
            return begin_of(tensors[a].mean) < begin_of(tensors[b].mean);
        });
    }

    std::size_t size() const noexcept { return count_; }
    std::size_t operator[](std::size_t i) const noexcept { return index_ == nullptr ? i : index_[i]; }

    /// The tensor whose output overlaps [begin, end), or SIZE_MAX. Outputs are disjoint. `gap`, any number at first: how
    /// many outputs end at or before `begin`; where a worker's tensors lie in the order of the outputs, the next one's is
    /// the same or one more, and no search is needed.
    /// Inlined: the loop over all inputs takes it for each of them.
    BITSTEP_INLINE std::size_t find(std::uintptr_t begin, std::uintptr_t end, std::size_t& gap) const noexcept {
        if (outside(begin, end)) return SIZE_MAX;
        if (fits_gap(gap, begin, end)) return SIZE_MAX;
        if (fits_gap(gap + 1, begin, end)) {
            ++gap;
            return SIZE_MAX;
        }
        std::size_t low = 0;
        std::size_t high = count_; // the first output that ends behind `begin`
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            if (end_at(middle) <= begin) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        gap = low;
        return low < count_ && begin_at(low) < end ? (*this)[low] : SIZE_MAX;
    }

    /// No output can overlap [begin, end).
    bool outside(std::uintptr_t begin, std::uintptr_t end) const noexcept { return end <= low_ || begin >= high_; }
    /// find, but never inlined.
    __attribute__((noinline)) std::size_t find_far(std::uintptr_t begin, std::uintptr_t end,
                                                   std::size_t& gap) const noexcept {
        return find(begin, end, gap);
    }

    /// After the outputs were found to be in order.
    void set_bounds() noexcept {
        if (count_ == 0) return;
        low_ = begin_at(0);
        high_ = end_at(count_ - 1);
    }

private:
    std::uintptr_t begin_at(std::size_t i) const noexcept { return begin_of(tensors_[(*this)[i]].mean); }
    std::uintptr_t end_at(std::size_t i) const noexcept {
        const worker_tensor<T>& t = tensors_[(*this)[i]];
        return end_of(t.mean, t.size);
    }
    bool fits_gap(std::size_t gap, std::uintptr_t begin, std::uintptr_t end) const noexcept {
        return gap <= count_ && (gap == 0 || end_at(gap - 1) <= begin) && (gap == count_ || begin_at(gap) >= end);
    }

    const worker_tensor<T>* tensors_;
    const std::size_t* index_;
    std::size_t count_;
    std::uintptr_t low_ = 0; ///< no output lies outside [low_, high_)
    std::uintptr_t high_ = 0;
};

} // namespace

template <class T>
bool needs_index(const worker_tensor<T>* tensors, std::size_t tensor_count) noexcept {
    for (std::size_t k = 0; k < tensor_count; ++k) {
        if (tensors[k].size == 0) return true;
        if (k != 0 && begin_of(tensors[k - 1].mean) >= begin_of(tensors[k].mean)) return true;
    }
    return false;
}

template <class T>
status workspace_rules(const worker_tensor<T>* tensors, std::size_t tensor_count, std::size_t workers,
                       const long long* counts, const workspace& given) noexcept {
    const memory_span space{"workspace", given.data, given.bytes};
    checks c;
    if (given.data == nullptr) return c.result();
    c.disjoint(space, {"tensors", tensors, tensor_count * sizeof(worker_tensor<T>)});
    if (counts != nullptr) c.disjoint(space, {"counts", counts, workers * sizeof(long long)});
    for (std::size_t k = 0; c.ok() && k < tensor_count; ++k) {
        const std::size_t bytes = tensors[k].size * sizeof(T);
        if (bytes == 0) continue;
        c.disjoint(space, {"a tensor's list of worker_grads", tensors[k].worker_grads, workers * sizeof(const T*)});
        c.disjoint(space, {"a tensor's mean", tensors[k].mean, bytes});
        for (std::size_t w = 0; w < workers; ++w) {
            c.disjoint(space, {"a tensor's worker_grads", tensors[k].worker_grads[w], bytes});
        }
    }
    return c.result();
}

namespace {

/// Outputs against what the call reads besides the tensors. The lists are looked at one by one only where outputs lie among
/// them: for each of 1000 tensors that was 5 % of a mean of 64 elements each.
template <class T>
status lists_rules(const output_order<T>& order, const worker_tensor<T>* tensors, std::size_t tensor_count,
                   std::size_t workers, const memory_span (&others)[4], const memory_span& lists) noexcept {
    const auto refused = [tensors](std::size_t hit, const char* other) {
        message m;
        return name_tensor(m, tensors[hit].name, hit) << ".mean must not overlap " << other << status_code::overlap;
    };
    std::size_t gap = 0;
    for (const memory_span& other : others) {
        if (other.begin == nullptr || other.bytes == 0) continue;
        const std::size_t hit = order.find_far(other.start(), other.end(), gap);
        if (hit != SIZE_MAX) return refused(hit, other.name);
    }
    if (order.find_far(lists.start(), lists.end(), gap) == SIZE_MAX) return {};
    for (std::size_t k = 0; k < tensor_count; ++k) {
        const T* const* list = tensors[k].worker_grads;
        if (tensors[k].size == 0) continue;
        const std::size_t hit = order.find_far(begin_of(list), end_of(list, workers), gap);
        if (hit != SIZE_MAX) return refused(hit, "a tensor's list of worker_grads");
    }
    return {};
}

} // namespace

template <class T>
status overlap_rules(const worker_tensor<T>* tensors, std::size_t tensor_count, std::size_t workers,
                     const memory_span (&others)[4], const memory_span& lists, std::size_t* index) noexcept {
    output_order<T> order(tensors, tensor_count, index);
    for (std::size_t i = 1; i < order.size(); ++i) {
        const worker_tensor<T>& before = tensors[order[i - 1]];
        const worker_tensor<T>& after = tensors[order[i]];
        if (end_of(before.mean, before.size) <= begin_of(after.mean)) continue;
        message m;
        name_tensor(m, after.name, order[i]) << ".mean must not overlap the output of ";
        return name_tensor(m, before.name, order[i - 1]) << status_code::overlap;
    }
    order.set_bounds();
    const status over_list = lists_rules(order, tensors, tensor_count, workers, others, lists);
    if (!over_list.ok()) return over_list;
    constexpr std::size_t cursors = 64; // beyond as many workers they are shared, and searched for more often
    std::size_t gaps[cursors] = {};
    for (std::size_t k = 0; k < tensor_count; ++k) {
        const worker_tensor<T>& t = tensors[k];
        for (std::size_t w = 0; t.size != 0 && w < workers; ++w) {
            const T* input = t.worker_grads[w];
            if (input == t.mean) continue;
            const std::size_t hit = order.find(begin_of(input), end_of(input, t.size), gaps[w % cursors]);
            if (hit == SIZE_MAX) continue;
            message m;
            name_tensor(m, tensors[hit].name, hit) << ".mean must not overlap ";
            return name_tensor(m, t.name, k)
                   << ".worker_grads[" << w << "] (only an exact alias of its own input)" << status_code::overlap;
        }
    }
    return {};
}

template <class T>
status tensor_rules(const worker_tensor<T>* tensors, std::size_t tensor_count, std::size_t workers, std::size_t& total,
                    memory_span& lists) noexcept {
    checks c;
    c.extent("workers", workers);
    if (tensor_count != 0) c.pointer("tensors", tensors);
    total = 0;
    std::uintptr_t low = UINTPTR_MAX;
    std::uintptr_t high = 0;
    for (std::size_t k = 0; c.ok() && k < tensor_count; ++k) {
        if (tensors[k].size == 0) continue;
        const std::uintptr_t list = begin_of(tensors[k].worker_grads);
        low = list < low ? list : low;
        high = list > high ? list : high;
        if (!usable(tensors[k], workers)) c.add(pointers_and_size(tensors[k], k, workers));
        if (c.ok() && __builtin_add_overflow(total, tensors[k].size, &total)) {
            c.add(message() << "tensors: their elements together must fit size_t, got more at tensor " << k
                            << status_code::invalid_shape);
        }
    }
    if (low <= high) {
        lists.begin = reinterpret_cast<const void*>(low);
        lists.bytes = high - low + workers * sizeof(const T*);
    }
    return c.result();
}

status count_rules(const long long* counts, std::size_t workers, long long& total, long long& divisor) noexcept {
    total = 0;
    divisor = 0;
    for (std::size_t w = 0; w < workers; ++w) {
        if (counts[w] < 0) {
            return message() << "counts must be >= 0, got " << counts[w] << " at worker " << w
                             << status_code::invalid_argument;
        }
        if (__builtin_add_overflow(total, counts[w], &total)) {
            return message() << "counts: their total must be below 2^63, got more at worker " << w
                             << status_code::invalid_argument;
        }
        divisor = std::gcd(divisor, counts[w]);
    }
    if (total == 0) return {status_code::invalid_argument, "counts must have a total > 0, got 0"};
    return {};
}

template status tensor_rules(const worker_tensor<float>*, std::size_t, std::size_t, std::size_t&,
                             memory_span&) noexcept;
template status workspace_rules(const worker_tensor<float>*, std::size_t, std::size_t, const long long*,
                                const workspace&) noexcept;
template bool needs_index(const worker_tensor<float>*, std::size_t) noexcept;
template status overlap_rules(const worker_tensor<float>*, std::size_t, std::size_t, const memory_span (&)[4],
                              const memory_span&, std::size_t*) noexcept;
template status tensor_rules(const worker_tensor<double>*, std::size_t, std::size_t, std::size_t&,
                             memory_span&) noexcept;
template status workspace_rules(const worker_tensor<double>*, std::size_t, std::size_t, const long long*,
                                const workspace&) noexcept;
template bool needs_index(const worker_tensor<double>*, std::size_t) noexcept;
template status overlap_rules(const worker_tensor<double>*, std::size_t, std::size_t, const memory_span (&)[4],
                              const memory_span&, std::size_t*) noexcept;

} // namespace bitstep::internal
