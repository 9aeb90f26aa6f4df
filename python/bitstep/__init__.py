# SPDX-License-Identifier: Apache-2.0
"""CPU kernels for one data-parallel training step of a linear model, with the same bits on every machine.

Arrays are NumPy arrays, torch tensors or JAX arrays in the memory of the CPU, of float32 or float64, with at most 16 axes.
Within a call all are of one kind and one dtype; of ddp_allreduce_average_grads, all arrays of one name are. Results are new
arrays of that kind and dtype, but for adam_ema_update, which works in place. Nothing is converted: anything else is a
TypeError (wrong type, dtype, device) or a ValueError (wrong shape, wrong number, not finite) that names the argument, and
then nothing has been changed. A tensor that requires grad is taken as its values; no result is part of a graph. A number is
Python's, NumPy's or an array of no axes; True and False are no numbers.

Inputs that are only read are used where they lie if they are contiguous and aligned; X and worker_xs also if only their rows
are and these have one stride. Any other layout is copied once, with the same bits of the result; a negated view of torch is
resolved by torch. The GIL is released while a call
copies and computes: no other thread may change its arrays meanwhile.

`threads`, where a function takes it, is None for as many as the work is worth (BITSTEP_NUM_THREADS, then OpenMP, sets the
most), or 1 to 1024; it cannot change a bit. `accumulate`, where a function takes it, is "native" (sums in the dtype) or
"wide" (float32 sums in float64, float64 sums in pairs of float64).

Raised besides: MemoryError where memory for a copy, a result or scratch cannot be had (it names the argument to copy),
RuntimeError where BITSTEP_ARCH names no kernels that run here, or where JAX would round a float64 result because its
jax_enable_x64 is off. What else an argument's own code raises (KeyboardInterrupt, a dictionary key's __hash__) goes through.
"""
from . import _core

__all__ = [
    "adam_ema_update", "ddp_allreduce_average_grads", "distributed_step", "gradient", "info", "predict", "residual",
    "simulate_ring_allreduce",
]


def distributed_step(worker_xs, worker_ys, weights, ema_weights, m, v, lr, beta1, beta2, eps, decay, t, *, threads=None,
                     accumulate="native"):
    """One training step: the gradient over all workers' micro-batches, one Adam update, one update of the average.

        g  = 2/N sum_i (x_i w - y_i) x_i, N = W A B      the mean over micro-batches and workers
        m' = beta1 m + (1 - beta1) g
        v' = beta2 v + (1 - beta2) g g
        w' = w - lr (m' / (1 - beta1^t)) / (sqrt(v' / (1 - beta2^t)) + eps)
        e' = decay e + (1 - decay) w'

    worker_xs: (W, A, B, d), the features of W workers with A micro-batches of B examples each; all at least 1.
    worker_ys: (W, A, B), the targets.
    weights, ema_weights, m, v: (d,), finite, v >= 0; m and v are the raw moments, without bias correction.
    lr: >= 0. beta1, beta2: in [0, 1). eps: > 0, added outside the square root. decay: in [0, 1].
    t: integer >= 1, the number of this update, used as given.

    Returns one new array (4 d,): w', e', m', v' one after another. The inputs stay as they are.
    Order: rows in the order of worker_xs, in a fixed tree over panels of 64 rows (docs/numerics.md); how they are split
    into W, A and B changes no bit. Equal to gradient() followed by adam_ema_update(), bit for bit.
    Raises TypeError, ValueError (also for NaN or infinity anywhere, with its index, and where finite data overflow the
    gradient).
    Cost: X is read from memory once; 4 N d flops.

    >>> import numpy as np
    >>> one, zero = np.ones(1), np.zeros(1)
    >>> distributed_step(np.ones((1, 1, 1, 1)), np.ones((1, 1, 1)), zero, one, zero, zero,
    ...                  lr=0.2, beta1=0.0, beta2=0.0, eps=2.0, decay=0.5, t=1)
    array([ 0.1 ,  0.55, -2.  ,  4.  ])
    """
    return _core.distributed_step(worker_xs, worker_ys, weights, ema_weights, m, v, lr, beta1, beta2, eps, decay, t,
                                  threads, accumulate)


def ddp_allreduce_average_grads(worker_grads, *, counts=None, threads=None, accumulate="native"):
    """The mean over workers of named gradients, as an all-reduce of distributed data-parallel training gives it.

        mean = 1/W sum_i g_i        with counts: sum_i c_i g_i / sum_i c_i

    worker_grads: a list over workers of dicts {name: array}, the same names in each. For each name the shape (any), the
    dtype and the kind are the same with every worker.
    counts: None, or one integer >= 0 per worker with a total > 0: the examples behind each worker's gradient.

    Returns one new dict, names in the order in which worker_grads[0] gives them.
    Order: a fixed tree over workers, then one division; equal counts give the bits of the plain mean. NaN and infinity
    propagate.
    Raises TypeError, ValueError.
    Cost: each gradient is read once, all names share one team of threads. One that is not contiguous is copied first.

    >>> import numpy as np
    >>> ddp_allreduce_average_grads([{"w": np.array([1.0, 2.0])}, {"w": np.array([3.0, 4.0])}])
    {'w': array([2., 3.])}
    >>> ddp_allreduce_average_grads([{"w": np.array([2.0])}, {"w": np.array([6.0])}], counts=[1, 3])
    {'w': array([5.])}
    """
    return _core.ddp_allreduce_average_grads(worker_grads, counts, threads, accumulate)


def predict(X, w, *, threads=None, accumulate="native"):
    """X w, the predictions of a linear model.

    X: (N, d). w: (d,). Returns a new array (N,).
    Order: fixed lanes and a fixed tree per row (docs/numerics.md). NaN and infinity propagate.
    Raises TypeError, ValueError.
    Cost: X is read once; 2 N d flops.

    >>> import numpy as np
    >>> predict(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([10.0, 1.0]))
    array([12., 34.])
    """
    return _core.predict(X, w, threads, accumulate)


def residual(X, y, w, *, threads=None, accumulate="native"):
    """X w - y, the errors of a linear model.

    X: (N, d). y: (N,). w: (d,). Returns a new array (N,).
    Order: as predict, then one subtraction: with accumulate="native" it equals predict(X, w) - y bit for bit.
    Raises TypeError, ValueError.
    Cost: X is read once; 2 N d flops.

    >>> import numpy as np
    >>> residual(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([12.0, 30.0]), np.array([10.0, 1.0]))
    array([0., 4.])
    """
    return _core.residual(X, y, w, threads, accumulate)


def gradient(X, y, w, *, threads=None, accumulate="native"):
    """The gradient of the mean squared error of a linear model, and the mean squared error.

        2/N X^T (X w - y),  1/N sum (X w - y)^2

    X: (N, d). y: (N,). w: (d,). Returns (a new array (d,), a Python float that holds a value of the dtype).
    Order: as distributed_step.
    Raises TypeError, ValueError (also for NaN or infinity anywhere, and where finite data overflow the gradient; the
    mean squared error may be infinite).
    Cost: X is read from memory once; 4 N d flops.

    >>> import numpy as np
    >>> gradient(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([12.0, 30.0]), np.array([10.0, 1.0]))
    (array([12., 16.]), 8.0)
    """
    return _core.gradient(X, y, w, threads, accumulate)


def adam_ema_update(grad, weights, ema_weights, m, v, lr, beta1, beta2, eps, decay, t, *, threads=None, check_state=False):
    """One Adam update and one update of the average, in place; the formulas and numbers are those of distributed_step.

    grad: (d,), only read. weights, ema_weights, m, v: (d,), written to: contiguous, writable, none of them overlapping
    another. What would have to be copied is refused, because the update would be lost; so is a JAX array.
    check_state: True checks first that the state is finite and v >= 0, which reads it once more.

    Returns None.
    Order: per element as written, left to right; given the same grad it equals plain NumPy in the same dtype bit for bit
    where Python's beta ** t is the correctly rounded power.
    Raises TypeError, ValueError. Without check_state NaN and infinity give what IEEE 754 says.
    Cost: one pass over the state, 36 d bytes in float32.

    >>> import numpy as np
    >>> w, e, m, v = np.zeros(1), np.ones(1), np.zeros(1), np.zeros(1)
    >>> adam_ema_update(np.array([-2.0]), w, e, m, v, lr=0.2, beta1=0.0, beta2=0.0, eps=2.0, decay=0.5, t=1)
    >>> w, e, m, v
    (array([0.1]), array([0.55]), array([-2.]), array([4.]))
    """
    return _core.adam_ema_update(grad, weights, ema_weights, m, v, lr, beta1, beta2, eps, decay, t, threads, check_state)


def simulate_ring_allreduce(worker_vectors, op="mean", trace=False):
    """The bits that a ring all-reduce of N workers would produce; they differ from those of ddp_allreduce_average_grads.

    worker_vectors: a list with one vector (n,) per worker. op: "mean" or "sum".
    trace: True returns also the messages, as a list of (phase, round, sender, receiver, chunk) in their order; phase is
    "reduce_scatter" or "all_gather".

    Returns a list of N new vectors (n,), all with the same bits; with trace (that list, the messages).
    Order: vectors are cut into N chunks, the first n mod N of them one element longer; worker i sends to i + 1 mod N, the
    receiver adds what it gets to its own; a mean divides each finished chunk by N. NaN and infinity propagate.
    Raises TypeError, ValueError.
    Cost: one thread, 2 (N - 1) n additions or copies: for teaching and tests.

    >>> import numpy as np
    >>> simulate_ring_allreduce([np.array([1.0, 2.0]), np.array([3.0, 6.0])])
    [array([2., 4.]), array([2., 4.])]
    >>> simulate_ring_allreduce([np.array([1.0]), np.array([3.0])], op="sum", trace=True)[1][:2]
    [('reduce_scatter', 0, 0, 1, 0), ('reduce_scatter', 0, 1, 0, 1)]
    """
    return _core.simulate_ring_allreduce(worker_vectors, op, trace)


def info():
    """Versions, which kernels and how many threads would run here, and how long sums are cut, as a dict.

    Raises ValueError or RuntimeError where BITSTEP_NUM_THREADS or BITSTEP_ARCH holds what bitstep cannot run.

    >>> sorted(info())
    ['active_arch', 'archs', 'numerics_panels', 'numerics_version', 'openmp', 'threads', 'version']
    """
    return _core.info()


__version__ = _core.version()
