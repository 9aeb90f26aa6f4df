# SPDX-License-Identifier: Apache-2.0
"""docs/training.md carried out a second time, in plain Python and NumPy, beside `bitstep train`.

usage: reproduce_training.py BITSTEP DATA.csv TARGET

Trains with test rows, ridge term and cosine rate in double, and demands of the state file: the same split, scaling and
steps bit for bit, weights, ema_weights, m, v within 1e-12 (the sums of a gradient have another order here; numerics.md
has the one that gives the same bits). Exit code 0: equal; 1: not; 77: no NumPy.
"""
import json
import math
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: no NumPy")
    sys.exit(77)

MASK = (1 << 64) - 1
SEED, EPOCHS, TEST_FRACTION, L2, LR, ROWS_PER_STEP = 5, 3, 0.3, 0.2, 0.02, 256


class SplitMix64:
    def __init__(self, state):
        self.state = state & MASK

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, bound):
        draw = self.next()
        while draw < (1 << 64) % bound:
            draw = self.next()
        return draw % bound


def first(state):
    return SplitMix64(state).next()


def shuffle(count, seed, epoch):
    generator = SplitMix64(first((first(seed) + epoch) & MASK))
    order = list(range(count))
    for i in range(count - 1, 0, -1):
        j = generator.below(i + 1)
        order[i], order[j] = order[j], order[i]
    return order


def learning_rate(t, updates):
    x = (t - 1) / updates
    a = 1.5707963267948966 * x
    z = a * a
    c = 1.0
    for k in range(26, 0, -2):
        c = 1 - (z / (k * (k - 1))) * c
    return (LR * c) * c


def scale(column):
    total = 0.0
    for value in column:
        total += value
    mean = total / len(column)
    squares = 0.0
    for value in column:
        squares += (value - mean) * (value - mean)
    return mean, math.sqrt(squares / len(column))


def train(x, y):
    d = x.shape[1]
    w, e, m, v = np.zeros(d), np.zeros(d), np.zeros(d), np.zeros(d)
    updates = EPOCHS * -(-len(y) // ROWS_PER_STEP)
    t = 0
    for epoch in range(EPOCHS):
        order = shuffle(len(y), SEED, epoch)
        for begin in range(0, len(y), ROWS_PER_STEP):
            rows = order[begin : begin + ROWS_PER_STEP]
            g = 2 / len(rows) * (x[rows].T @ (x[rows] @ w - y[rows]))
            g[:-1] += (2 * L2) * w[:-1]
            t += 1
            m = 0.9 * m + (1 - 0.9) * g
            v = 0.999 * v + (1 - 0.999) * g * g
            w = w - learning_rate(t, updates) * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
            e = 0.999 * e + (1 - 0.999) * w
    return {"weights": w, "ema_weights": e, "m": m, "v": v}, t


def read_safetensors(path):
    with open(path, "rb") as file:
        content = file.read()
    begin = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:begin])
    metadata = header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        first_byte, end = entry["data_offsets"]
        tensors[name] = np.frombuffer(content[begin + first_byte : begin + end], dtype="<f8")
    return metadata, tensors


def main():
    program, path, target = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        state = os.path.join(folder, "s.safetensors")
        subprocess.run(
            [program, "train", path, "--target", target, "--dtype", "f64", "--test-fraction", str(TEST_FRACTION)]
            + ["--epochs", str(EPOCHS), "--l2", str(L2), "--lr", str(LR), "--lr-schedule", "cosine"]
            + ["--seed", str(SEED), "--save", state, "--quiet"],
            check=True,
        )
        metadata, tensors = read_safetensors(state)

    with open(path, encoding="utf-8") as file:
        names = file.readline().strip().split(",")
        table = np.array([[float(field) for field in line.split(",")] for line in file])
    k = names.index(target)
    test = set(shuffle(len(table), SEED, MASK)[: int(TEST_FRACTION * len(table))])
    training = [row for row in range(len(table)) if row not in test]
    features = np.delete(table, k, 1)[training]
    scales = [scale(column) for column in features.T]
    x = np.hstack([(features - [s[0] for s in scales]) / [s[1] for s in scales], np.ones((len(training), 1))])
    expected, t = train(x, table[training, k])

    failures = []
    if json.loads(metadata["features"]) != names[:k] + names[k + 1 :]:
        failures.append("features")
    if json.loads(metadata["feature_mean"]) != [s[0] for s in scales]:
        failures.append("feature_mean")
    if json.loads(metadata["feature_deviation"]) != [s[1] for s in scales]:
        failures.append("feature_deviation")
    if metadata["t"] != str(t):
        failures.append("t")
    for name, values in expected.items():
        error = np.max(np.abs(tensors[name] - values) / np.max(np.abs(values)))
        print(f"{name}: largest difference {error:.1e} of the largest element")
        if not error <= 1e-12:
            failures.append(name)
    print("differs: " + ", ".join(failures) if failures else "equal")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
