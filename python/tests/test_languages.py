# SPDX-License-Identifier: Apache-2.0
"""Python gives the bits of C++ and C: the lines of tests/languages/expected.txt, a hash per shape, type, mode and verb. How
inputs are made and what is hashed: tests/languages/shapes.txt; the same in C++: tests/languages/languages.cpp."""
import pathlib

import numpy as np
import pytest

import bitstep

FOLDER = pathlib.Path(__file__).parents[2] / "tests" / "languages"
HYPER = dict(lr=0.01, beta1=0.9, beta2=0.999, eps=1e-8, decay=0.995, t=3)
TYPES = {"float": (np.float32, "<u4", 24), "double": (np.float64, "<u8", 53)}


def split_mix64(seed, count):
    """The first `count` numbers, in unsigned integers that wrap around."""
    u = np.uint64
    z = u(seed) + np.arange(1, count + 1, dtype=u) * u(0x9E3779B97F4A7C15)
    z = (z ^ (z >> u(30))) * u(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> u(27))) * u(0x94D049BB133111EB)
    return z ^ (z >> u(31))


def values(seed, count, dtype, digits):
    z = split_mix64(seed, 2 * count)
    whole = (z[::2] >> np.uint64(64 - digits)).astype(np.int64) - (1 << (digits - 1))
    power = np.array([2.0**e for e in range(-6, 7)], dtype)[(z[1::2] % np.uint64(13)).astype(np.intp)]
    return whole.astype(dtype) / dtype(1 << (digits - 1)) * power


def fnv1a(data):
    hashed = 0xCBF29CE484222325
    for byte in data:
        hashed = (hashed ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return hashed


def test_generator_and_hash():
    assert [int(z) for z in split_mix64(1234567, 2)] == [6457827717110365317, 3203168211198807973]
    assert [fnv1a(text) for text in (b"", b"foobar")] == [0xCBF29CE484222325, 0x85944171F73967E8]


class Problem:
    def __init__(self, number, extents, dtype, digits):
        *shape, d, gap = extents
        N = int(np.prod(shape))
        drawn = values(number, N * d + N + 5 * d + 3 * (d + N), dtype, digits)
        X, self.y, state, self.grad, *workers = np.split(drawn, np.cumsum([N * d, N, 4 * d, d] + [d, N] * 3)[:-1])
        self.state = np.split(state, 4)
        self.state[3] = abs(self.state[3])
        buffer = np.full((N, d + gap), np.nan, dtype)  # whoever reads between rows meets NaN
        buffer[:, :d] = X.reshape(N, d)
        self.X, self.xs, self.ys = buffer[:, :d], buffer.reshape(*shape, d + gap)[..., :d], self.y.reshape(shape)
        self.workers = [{"small": a, "large": b} for a, b in zip(workers[::2], workers[1::2])]

    def results(self, mode, threads):
        w, how = self.state[0], dict(accumulate=mode, threads=threads)
        yield "predict", [bitstep.predict(self.X, w, **how)]
        yield "residual", [bitstep.residual(self.X, self.y, w, **how)]
        g, mse = bitstep.gradient(self.X, self.y, w, **how)
        assert type(mse) is float and (g.dtype == np.float64 or np.float32(mse) == mse)
        yield "gradient", [g, np.array([mse], g.dtype)]
        yield "step", [bitstep.distributed_step(self.xs, self.ys, *self.state, **HYPER, **how)]
        for verb, counts in (("mean", None), ("weighted_mean", [3, 0, 5])):
            yield verb, bitstep.ddp_allreduce_average_grads(self.workers, counts=counts, **how).values()

    def results_of_one_mode(self, threads):
        state = [each.copy() for each in self.state]
        bitstep.adam_ema_update(self.grad, *state, **HYPER, threads=threads)
        yield "update", state
        for op in ("mean", "sum"):
            yield f"ring_{op}", bitstep.simulate_ring_allreduce([each["large"] for each in self.workers], op=op)


def lines(number, extents, name, threads):
    dtype, bits, digits = TYPES[name]
    made = Problem(number, extents, dtype, digits)
    for mode in ("native", "wide", "-"):
        for verb, arrays in made.results(mode, threads) if mode != "-" else made.results_of_one_mode(threads):
            arrays = list(arrays)
            assert all(each.dtype == dtype for each in arrays)
            data = b"".join(each.view(bits[1:]).astype(bits).tobytes() for each in arrays)
            yield "{}x{}x{}x{}+{} {} {} {} {:016x}".format(*extents, name, mode, verb, fnv1a(data))


def shapes():
    """(number, [W, A, B, d, gap]), as the table says."""
    rows = [line for line in (FOLDER / "shapes.txt").read_text("utf-8").splitlines() if line[:1].isdigit()]
    return [(number, [int(word) for word in line.split()[:5]]) for number, line in enumerate(rows)]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", TYPES)
def test_every_verb_gives_the_bits_of_cpp_and_c(name, threads):
    expected = (FOLDER / "expected.txt").read_text("utf-8").splitlines()
    got = [line for number, extents in shapes() for line in lines(number, extents, name, threads)]
    assert got and got == [line for line in expected if line.split()[1] == name]
