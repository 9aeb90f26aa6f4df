// SPDX-License-Identifier: Apache-2.0
// The part of DLPack 1.3's binary interface that is used here: a library of tensors hangs a table of C functions on its
// tensor type (`__dlpack_c_exchange_api__`; torch from 2.10 on), which describe a tensor without making an object of it.
#pragma once

#include <cstdint>

namespace bitstep::python::dlpack {

constexpr const char* table_attribute = "__dlpack_c_exchange_api__";
constexpr const char* table_capsule = "dlpack_exchange_api";
constexpr std::uint32_t major_version = 1; ///< another one may lay everything out differently

enum : std::int32_t { device_cpu = 1 };
enum : std::uint8_t { code_float = 2 };

struct tensor {
    void* data;
    std::int32_t device_type;
    std::int32_t device_id;
    std::int32_t dimensions;
    std::uint8_t code;
    std::uint8_t bits;
    std::uint16_t lanes;
    std::int64_t* shape;
    std::int64_t* strides; ///< in elements
    std::uint64_t byte_offset;
};

struct exchange_table {
    std::uint32_t major;
    std::uint32_t minor;
    const void* previous;
    void (*allocate)();
    void (*from_object)();
    void (*to_object)();
    int (*view)(void* object, tensor* out); ///< may be null; 0, or -1 with a Python exception set. Borrows everything
    void (*current_stream)();
};

} // namespace bitstep::python::dlpack
