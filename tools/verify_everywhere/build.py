# SPDX-License-Identifier: Apache-2.0
"""Builds one Variant, in a folder of its own with a log. Next: run.py."""
import glob
import os
import shutil
import subprocess
import tempfile

from variants import CLANG_16

SOURCE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))


class Failed(Exception):
    """A step that failed, in words for the table; the log has the rest."""


def run_logged(command, log, **options):
    with open(log, "ab") as out:
        out.write(f"$ {' '.join(command)}\n".encode())
        out.flush()
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, check=False,
                              **options).returncode


def libomp_16(folder):
    return os.path.join(folder, "libomp-16", "usr", "lib", "llvm-16", "lib")


def fetch_libomp_16(folder):
    """Clang 16's OpenMP, unpacked beside the builds: its Debian package and Clang 14's shut each other out."""
    if os.path.exists(os.path.join(libomp_16(folder), "libomp.so")):
        return
    log = os.path.join(folder, "libomp-16.log")
    packages = ["libomp-16-dev", "libomp5-16"]
    with tempfile.TemporaryDirectory(dir=folder) as unfinished:
        download = ["apt-get", "download", *packages]
        # apt may have no lists of packages yet, where everything else was installed already.
        if run_logged(download, log, cwd=unfinished) != 0 and (
                run_logged(["apt-get", "update"], log) != 0 or run_logged(download, log, cwd=unfinished) != 0):
            raise Failed(f"{' '.join(download)} failed, see {log}")
        for package in glob.glob(unfinished + "/*.deb"):
            if run_logged(["dpkg", "-x", package, unfinished + "/libomp-16"], log) != 0:
                raise Failed(f"dpkg -x {package} failed, see {log}")
        shutil.rmtree(os.path.join(folder, "libomp-16"), ignore_errors=True)
        os.rename(unfinished + "/libomp-16", os.path.join(folder, "libomp-16"))


def compiler_settings(variant, folder):
    if variant.target == "aarch64":
        return [f"-DCMAKE_TOOLCHAIN_FILE={SOURCE}/tools/cmake/aarch64-linux-gnu.cmake"]
    # CMake would take the llvm-ar of another Clang, which cannot read this one's LTO objects; those are linked from no
    # archive.
    settings = [f"-DCMAKE_CXX_COMPILER={variant.compiler}", f"-DCMAKE_AR={shutil.which('ar')}"]
    if variant.compiler == CLANG_16:
        libraries = libomp_16(folder)
        settings += [f"-DOpenMP_CXX_FLAGS=-fopenmp=libomp -isystem '{libraries}/clang/16/include'",
                     "-DOpenMP_CXX_LIB_NAMES=libomp", f"-DOpenMP_libomp_LIBRARY={libraries}/libomp.so"]
    return settings


def build(variant, folder):
    """The folder with the executables. `Debug` is the one configuration to which the project adds no -O of its own."""
    made = os.path.join(folder, variant.name)
    os.makedirs(made, exist_ok=True)
    log = os.path.join(made, "build.log")
    if os.path.exists(log):
        os.remove(log)
    configure = ["cmake", "-S", SOURCE, "-B", made, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                 "-DCMAKE_CXX_FLAGS=", f"-DCMAKE_CXX_FLAGS_DEBUG={variant.flags}", "-DBUILD_SHARED_LIBS=OFF",
                 f"-DBITSTEP_BUILD_TESTS={'ON' if variant.checks_races else 'OFF'}",
                 # Not while building: a sanitized test may run under run.unrandomized alone.
                 "-DCMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE=PRE_TEST",
                 "-DBITSTEP_BUILD_BENCH=OFF", "-DBITSTEP_BUILD_TRAIN=OFF", "-DBITSTEP_BUILD_TOOLS=ON"]
    if run_logged(configure + compiler_settings(variant, folder), log) != 0:
        raise Failed(f"CMake failed, see {log}")
    targets = ["bitstep_verify_lines"] + (["bitstep_seeded_race", "openmp_test"] if variant.checks_races else [])
    if run_logged(["cmake", "--build", made, "--parallel", "1", "--target"] + targets, log) != 0:
        raise Failed(f"the build failed, see {log}")
    return os.path.join(made, "tools", "verify_everywhere")
