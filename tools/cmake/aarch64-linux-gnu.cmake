# Cross-builds for AArch64 on Debian's g++-aarch64-linux-gnu and runs what was built under qemu (preset `aarch64`). The
# header-only packages are those installed for the build machine, through links in the build directory: /usr/include itself
# would put the build machine's C headers before the target's, and a second dpkg architecture is asked of nobody.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L /usr/aarch64-linux-gnu)

get_property(bitstep_in_try_compile GLOBAL PROPERTY IN_TRY_COMPILE)
if(bitstep_in_try_compile)
    return()
endif()

set(bitstep_cross_root ${CMAKE_BINARY_DIR}/cross_root)
file(MAKE_DIRECTORY ${bitstep_cross_root}/include)
foreach(name IN ITEMS xsimd boost CLI fmt nlohmann xxhash.h xxh3.h)
    if(EXISTS /usr/include/${name})
        file(CREATE_LINK /usr/include/${name} ${bitstep_cross_root}/include/${name} SYMBOLIC)
    endif()
endforeach()

# Nothing of the build machine's but programs. Its packages' CMake files count as its libraries do.
set(CMAKE_FIND_ROOT_PATH ${bitstep_cross_root} /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

set(BITSTEP_XSIMD_INCLUDE_DIR ${bitstep_cross_root}/include CACHE PATH "directory that holds xsimd/xsimd.hpp")
set(BITSTEP_GTEST_SOURCE_DIR /usr/src/googletest CACHE PATH "sources of GoogleTest, to build it from")
