# SPDX-License-Identifier: Apache-2.0
"""What a type checker says of a user's code (test_typing.py runs mypy --strict over this file, nothing runs it). A line that
ends in `wrong` must be an error: the ignore that nothing needs would be one itself."""
from decimal import Decimal
from fractions import Fraction
from typing import Any, Dict, List, Tuple

import bitstep
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


def step(xs: Floats, ys: Floats, state: Floats, t: int) -> Floats:
    w, e, m, v = state
    return bitstep.distributed_step(xs, ys, w, e, m, v, 1e-3, 0.9, 0.999, np.float64(1e-8), 1, t, threads=2,
                                    accumulate="wide")


def mean(grads: List[Dict[str, Floats]]) -> Dict[str, Floats]:
    by_array = bitstep.ddp_allreduce_average_grads(grads, counts=np.array([1] * len(grads)), threads=np.int64(2))
    return bitstep.ddp_allreduce_average_grads([by_array], counts=[1])


def linear(X: Floats, y: Floats, w: Floats) -> Tuple[Floats, float]:
    p: Floats = bitstep.predict(X, w) - bitstep.residual(X, y, w, threads=None)
    g, mse = bitstep.gradient(X, p, w)
    bitstep.adam_ema_update(g, w, w, w, w, 1, 0, 0, 1, 1, np.int64(1), check_state=True)
    return g, mse


def ring(vectors: List[Floats]) -> List[Floats]:
    finals, messages = bitstep.simulate_ring_allreduce(vectors, trace=True)
    phase, number, *_ = messages[0]
    text: str = phase + str(number)
    return finals + bitstep.simulate_ring_allreduce(tuple(vectors), "sum") if text else []


def facts() -> bool:
    rows: int = bitstep.info()["numerics_panels"]["row_panel"]
    return bitstep.info()["archs"][0]["runnable"] and rows > 0 and bitstep.__version__ != ""


def mistakes(X: Floats, w: Floats) -> Any:
    bitstep.predict(X)  # type: ignore[call-arg]  # wrong
    bitstep.predict(X, w, accumulate="double")  # type: ignore[arg-type]  # wrong
    bitstep.predict(X, [1.0, 2.0])  # type: ignore[type-var]  # wrong
    bitstep.predict(X, w, threads="2")  # type: ignore[arg-type]  # wrong
    bitstep.adam_ema_update(w, w, w, w, w, "1", 0, 0, 1, 1, 1)  # type: ignore[arg-type]  # wrong
    bitstep.adam_ema_update(w, w, w, w, w, 1, 0, 0, 1, 1, 1.0)  # type: ignore[arg-type]  # wrong
    bitstep.adam_ema_update(w, w, w, w, w, Decimal(1), 0, 0, 1, 1, 1)  # type: ignore[arg-type]  # wrong
    bitstep.adam_ema_update(w, w, w, w, w, 1, Fraction(0), 0, 1, 1, 1)  # type: ignore[arg-type]  # wrong
    bitstep.adam_ema_update(w, w, w, w, w, np.array(1.0), np.float32(0), 0, 1, 1, np.array(1))
    return bitstep.info()["arch"]  # type: ignore[typeddict-item]  # wrong
