# What is compiled once per instruction set for the tables: rivals in source form, and the price of the fixed order.

# The rivals in source form: every flag that may help them, so fused multiply-add and the widest registers, too.
set(rival_flags_plain "")
set(rival_flags_avx2 -mavx2 -mfma)
set(rival_flags_avx512 -mavx2 -mfma -mavx512f -mavx512cd -mavx512dq -mavx512bw -mavx512vl -mprefer-vector-width=512)
set(rival_sets plain)
if(bitstep_x86)
    list(APPEND rival_sets avx2 avx512)
endif()
find_package(Eigen3 3.3 QUIET NO_MODULE)
foreach(set IN LISTS rival_sets)
    bitstep_object(naive_${set} support/naive.cpp bitstep_bench_table OPTIONS -fopenmp-simd ${rival_flags_${set}}
        DEFINITIONS BITSTEP_RIVAL_SET=naive_${set})
    if(TARGET Eigen3::Eigen)
        bitstep_object(eigen_${set} support/eigen.cpp bitstep_bench_table OPTIONS ${rival_flags_${set}}
            DEFINITIONS BITSTEP_RIVAL_SET=eigen_${set} BITSTEP_EIGEN=Eigen_${set})
        get_target_property(eigen_include Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
        target_include_directories(bitstep_eigen_${set} SYSTEM PRIVATE ${eigen_include})
        if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
            # GCC 12 takes the deliberate "undefined" operand of AVX-512 intrinsics for an uninitialized value.
            target_compile_options(bitstep_eigen_${set} PRIVATE -Wno-maybe-uninitialized -Wno-uninitialized)
        endif()
    endif()
endforeach()
if(TARGET Eigen3::Eigen)
    target_compile_definitions(bitstep_bench_table PRIVATE BITSTEP_BENCH_EIGEN="${Eigen3_VERSION}")
else()
    message(STATUS "bitstep: no Eigen (Debian: libeigen3-dev): the benchmarks are built without that rival")
endif()

# bitstep's own kernel in free order, for price_bench.cpp: the flags of tools/cmake/archs.cmake, and -mfma.
function(bitstep_free_order set arch)
    bitstep_object(free_order_${set} support/free_order.cpp bitstep_price_bench OPTIONS -ffp-contract=off ${ARGN}
        DEFINITIONS BITSTEP_FREE_SET=free_order_${set} BITSTEP_FREE_ARCH=${arch} BITSTEP_CONTRACTION_OFF)
    target_include_directories(bitstep_free_order_${set} SYSTEM PRIVATE
        $<TARGET_PROPERTY:bitstep,INCLUDE_DIRECTORIES>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(bitstep_free_order_${set} PRIVATE -Wno-maybe-uninitialized -Wno-uninitialized)
    endif()
    set(bench_targets ${bench_targets} PARENT_SCOPE)
endfunction()
if(bitstep_x86 OR CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
    add_executable(bitstep_price_bench price_bench.cpp)
    target_include_directories(bitstep_price_bench PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(bitstep_price_bench PRIVATE bitstep_bench_table)
    list(APPEND bench_targets bitstep_price_bench)
    if(bitstep_x86)
        bitstep_free_order(avx2 xsimd::avx2 -mavx2 -mfma)
        bitstep_free_order(avx512 xsimd::avx512bw -mfma -mavx512f -mavx512cd -mavx512dq -mavx512bw -mavx512vl)
    else()
        bitstep_free_order(neon64 xsimd::neon64)
    endif()
endif()
