#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the sample files of the tests of `bitstep compare` and `bitstep allreduce`, and prints their digests.

    pip install ml_dtypes numpy safetensors xxhash
    python3 make_compare_samples.py

The files are written by the safetensors package, the means by docs/numerics.md section 4 in plain NumPy, the digests by
the xxhash package: nothing here comes from bitstep. compare_*: two files that differ in every way that is told apart.
mean_0 ... mean_4: five workers; mean_*_expected: what `allreduce` must write for them.
"""

import fractions
import pathlib
import random
import struct

import ml_dtypes
import numpy as np
import safetensors.numpy
import xxhash

HERE = pathlib.Path(__file__).parent
WORKERS = 5
COUNTS = [6, 0, 2, 4, 12]  # greatest common divisor 2


def array_of_bits(dtype, integers):
    """Floats by their bits, because a conversion may change the payload of NaN."""
    return np.array(integers, "u4" if dtype == "f4" else "u8").view(dtype)


def save(name, tensors, metadata=None):
    safetensors.numpy.save_file(tensors, HERE / f"{name}.safetensors", metadata=metadata)


def bytes_of(values):
    return values.astype(values.dtype.newbyteorder("<")).tobytes()


def make_compared():
    weight = [0x3F800000, 0x80000000, 0x7FC00000, 0x7F800000, 0x3DCCCCCD, 0x00000001]  # 1, -0, NaN, inf, 0.1, 1e-45
    other_weight = [0x3F800001, 0x00000000, 0xFFC12345, 0x7F7FFFFF, 0x3DCCCCCD, 0x80000001]
    size = [0x3FF0000000000000, 0x7FF8000000000001, 0x7FEFFFFFFFFFFFFF]  # 1, NaN, the largest
    other_size = [0x3FF0000000000000, 0x4000000000000000, 0x7FEFFFFFFFFFFFFF]

    def tensors(weight_bits, size_bits, half, extra):
        return {
            "layer 1 weight": array_of_bits("f4", weight_bits).reshape(2, 3),
            "größe": array_of_bits("f8", size_bits),
            "empty": np.zeros((0, 4), np.float32),
            "scalar": np.array(2.5),
            "half": np.array(half, "u2").view(ml_dtypes.bfloat16),
            "steps": np.array([7, -7], np.int64),
            **extra,
        }

    save("compare_a", tensors(weight, size, [0x3F80, 0, 0x4000],
                                          {"only a": np.ones(2), "form": np.ones(2, np.float32)}))
    save("compare_b", tensors(other_weight, other_size, [0x3F80, 0, 0x4001],
                                          {"only b": np.ones(3), "form": np.ones((2, 1))}))
    nan_weight = list(weight)
    nan_weight[2] = 0x7F800001  # a signalling NaN
    nan_size = list(size)
    nan_size[1] = 0xFFFFFFFFFFFFFFFF
    save("compare_nan", tensors(nan_weight, nan_size, [0x3F80, 0, 0x4000],
                                            {"only a": np.ones(2), "form": np.ones(2, np.float32)}))


def make_states():
    state = {"weights": [1, 2], "ema_weights": [3, 4], "m": [5, 6], "v": [7, 8]}
    arrays = {name: np.array(values, np.float32) for name, values in state.items()}
    save("compare_state_1", arrays, {"bitstep_state": "1", "t": "300", "seed": "1"})
    save("compare_state_2", arrays, {"bitstep_state": "1", "t": "300", "seed": "2", "note": "again"})
    parts = [arrays[name].tobytes() for name in ("weights", "ema_weights", "m", "v")]
    print("state  ", xxhash.xxh3_128_hexdigest(b"".join(parts) + struct.pack("<Q", 300)))


def tree(leaves):
    """docs/numerics.md section 1: the tree over the first power of two below n, plus the tree over the rest."""
    if len(leaves) == 1:
        return leaves[0]
    half = 1
    while 2 * half < len(leaves):
        half *= 2
    return tree(leaves[:half]) + tree(leaves[half:])


def mean(arrays, counts=None):
    kind = arrays[0].dtype.type
    if counts is None:
        return tree([kind(0) + one for one in arrays]) / kind(len(arrays))
    divisor = np.gcd.reduce(counts)
    shares = [count // divisor for count in counts]
    return tree([kind(0) + kind(share) * one for share, one in zip(shares, arrays)]) / kind(sum(shares))


def wide_mean(arrays):
    if arrays[0].dtype == np.float32:
        return mean([one.astype(np.float64) for one in arrays]).astype(np.float32)
    exact = [sum(map(fractions.Fraction, map(float, column))) / len(arrays) for column in zip(*map(np.ravel, arrays))]
    return np.array([float(one) for one in exact]).reshape(arrays[0].shape)


def ring(arrays):
    """Each chunk starts at its own worker and is added to along the ring: own + received."""
    workers = len(arrays)
    flat = [one.ravel() for one in arrays]
    result = np.empty_like(flat[0])
    for chunk, place in enumerate(np.array_split(np.arange(flat[0].size), workers)):
        total = flat[chunk][place]
        for step in range(1, workers):
            total = flat[(chunk + step) % workers][place] + total
        result[place] = total / arrays[0].dtype.type(workers)
    return result.reshape(arrays[0].shape)


def place_in_order(value):
    bits = int(value.view("u4" if value.dtype == np.float32 else "u8"))
    sign = 1 << (8 * value.dtype.itemsize - 1)
    return sign - 1 - (bits - sign) if bits & sign else bits + sign


def make_means():
    numbers = random.Random(20)
    shapes = {"w 1": ((3, 4), np.float32), "bias": ((7,), np.float64), "none": ((2, 0), np.float64),
              "scale": ((), np.float32)}
    workers = [{name: np.array([numbers.gauss(0, 1) for _ in range(int(np.prod(shape)))], kind).reshape(shape)
                for name, (shape, kind) in shapes.items()} for _ in range(WORKERS)]
    for i, worker in enumerate(workers):
        save(f"mean_{i}", worker, {"format": "np", "worker": str(i)})
    of_all = {name: [worker[name] for worker in workers] for name in shapes}
    with_format = {"format": "np"}
    for label, rule in [("mean", mean), ("counts", lambda arrays: mean(arrays, COUNTS)), ("wide", wide_mean),
                        ("ring", ring)]:
        result = {name: np.asarray(rule(arrays)) for name, arrays in of_all.items()}
        save(f"mean_{label}_expected", result, with_format)
        print(f"{label:7}", xxhash.xxh3_128_hexdigest(b"".join(bytes_of(result[name]) for name in sorted(result))))
    for name, arrays in of_all.items():
        steps = [abs(place_in_order(a) - place_in_order(b))
                 for a, b in zip(np.asarray(ring(arrays)).ravel(), np.asarray(mean(arrays)).ravel())]
        print(f"ring against mean, {name}: {sum(step != 0 for step in steps)} differ, at most {max(steps, default=0)}")


make_compared()
make_states()
make_means()
