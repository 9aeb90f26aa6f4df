# SPDX-License-Identifier: Apache-2.0
# Array stands for numpy.ndarray, torch.Tensor or jax.Array: one of them per call, and the same in results. It is a free
# type variable, because stubs that import torch or JAX would need both installed.
from typing import Dict, List, Literal, Optional, Sequence, SupportsFloat, SupportsIndex, Tuple, TypedDict, TypeVar, Union, overload

Array = TypeVar("Array")
Number = SupportsFloat
Accumulate = Literal["native", "wide"]
RingEvent = Tuple[Literal["reduce_scatter", "all_gather"], int, int, int, int]

class ArchInfo(TypedDict):
    name: str
    compiled: bool
    runnable: bool
    active: bool

class Info(TypedDict):
    version: str
    numerics_version: int
    active_arch: str
    archs: List[ArchInfo]
    threads: int
    openmp: bool

__version__: str
__all__: List[str]

def distributed_step(
    worker_xs: Array, worker_ys: Array, weights: Array, ema_weights: Array, m: Array, v: Array,
    lr: Number, beta1: Number, beta2: Number, eps: Number, decay: Number, t: SupportsIndex,
    *, threads: Optional[int] = None, accumulate: Accumulate = "native",
) -> Array: ...
def ddp_allreduce_average_grads(
    worker_grads: Union[List[Dict[str, Array]], Tuple[Dict[str, Array], ...]],
    *, counts: Optional[Sequence[SupportsIndex]] = None, threads: Optional[int] = None, accumulate: Accumulate = "native",
) -> Dict[str, Array]: ...
def predict(X: Array, w: Array, *, threads: Optional[int] = None, accumulate: Accumulate = "native") -> Array: ...
def residual(
    X: Array, y: Array, w: Array, *, threads: Optional[int] = None, accumulate: Accumulate = "native",
) -> Array: ...
def gradient(
    X: Array, y: Array, w: Array, *, threads: Optional[int] = None, accumulate: Accumulate = "native",
) -> Tuple[Array, float]: ...
def adam_ema_update(
    grad: Array, weights: Array, ema_weights: Array, m: Array, v: Array,
    lr: Number, beta1: Number, beta2: Number, eps: Number, decay: Number, t: SupportsIndex,
    *, threads: Optional[int] = None, check_state: bool = False,
) -> None: ...
@overload
def simulate_ring_allreduce(
    worker_vectors: Union[List[Array], Tuple[Array, ...]], op: Literal["mean", "sum"] = "mean",
    trace: Literal[False] = False,
) -> List[Array]: ...
@overload
def simulate_ring_allreduce(
    worker_vectors: Union[List[Array], Tuple[Array, ...]], op: Literal["mean", "sum"] = "mean", *, trace: Literal[True],
) -> Tuple[List[Array], List[RingEvent]]: ...
@overload
def simulate_ring_allreduce(
    worker_vectors: Union[List[Array], Tuple[Array, ...]], op: Literal["mean", "sum"], trace: Literal[True],
) -> Tuple[List[Array], List[RingEvent]]: ...
def info() -> Info: ...
