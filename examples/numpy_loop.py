"""Trains a linear model on NumPy arrays: four workers, two micro-batches of 32 examples each."""
import bitstep
import numpy as np

workers, micro_batches, examples, features = 4, 2, 32, 100
xs = np.full((workers, micro_batches, examples, features), 0.5, np.float32)  # (W, A, B, d)
ys = np.ones((workers, micro_batches, examples), np.float32)  # (W, A, B)
weights, ema, m, v = np.zeros((4, features), np.float32)

for t in range(1, 101):
    out = bitstep.distributed_step(xs, ys, weights, ema, m, v, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, decay=0.999, t=t)
    weights, ema, m, v = np.split(out, 4)

# The number that examples/training_step.cpp prints, too: the same bits in every language.
print("w[0] =", float(weights[0]).hex(), "after 100 steps, on every machine")
assert float(weights[0]).hex() == "0x1.490f5a0000000p-6"
