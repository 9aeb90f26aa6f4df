# SPDX-License-Identifier: Apache-2.0
# _Array stands for numpy.ndarray, torch.Tensor or jax.Array: one of them per call, and the same in results. It is known by
# what the three have in common, because stubs that import torch or JAX would need both installed.
from typing import Any, Dict, List, Literal, Optional, Protocol, Sequence, SupportsIndex, Tuple, TypedDict, TypeVar, Union, overload

import numpy as np
import numpy.typing as npt

class _AnyArray(Protocol):
    @property
    def shape(self) -> Any: ...
    @property
    def dtype(self) -> Any: ...

_Array = TypeVar("_Array", bound=_AnyArray)

class _Scalar(Protocol):  # of NumPy, or an array of no axes
    @property
    def ndim(self) -> int: ...
    def item(self) -> Any: ...

_Number = Union[float, _Scalar]  # no Decimal, no Fraction
_Counts = Union[Sequence[SupportsIndex], npt.NDArray[np.integer[Any]]]
_Accumulate = Literal["native", "wide"]
_RingEvent = Tuple[Literal["reduce_scatter", "all_gather"], int, int, int, int]

class _ArchInfo(TypedDict):
    name: str
    compiled: bool
    runnable: bool
    active: bool

class _PanelLengths(TypedDict):
    column_panel: int
    row_panel: int
    float_lanes: int
    double_lanes: int

class _Info(TypedDict):
    version: str
    numerics_version: int
    numerics_panels: _PanelLengths
    active_arch: str
    archs: List[_ArchInfo]
    threads: int
    openmp: bool

__version__: str
__all__ = [
    "adam_ema_update", "ddp_allreduce_average_grads", "distributed_step", "gradient", "info", "predict", "residual",
    "simulate_ring_allreduce",
]

def distributed_step(
    worker_xs: _Array, worker_ys: _Array, weights: _Array, ema_weights: _Array, m: _Array, v: _Array,
    lr: _Number, beta1: _Number, beta2: _Number, eps: _Number, decay: _Number, t: SupportsIndex,
    *, threads: Optional[SupportsIndex] = None, accumulate: _Accumulate = "native",
) -> _Array: ...
def ddp_allreduce_average_grads(
    worker_grads: Union[List[Dict[str, _Array]], Tuple[Dict[str, _Array], ...]],
    *, counts: Optional[_Counts] = None, threads: Optional[SupportsIndex] = None, accumulate: _Accumulate = "native",
) -> Dict[str, _Array]: ...
def predict(X: _Array, w: _Array, *, threads: Optional[SupportsIndex] = None, accumulate: _Accumulate = "native") -> _Array: ...
def residual(
    X: _Array, y: _Array, w: _Array, *, threads: Optional[SupportsIndex] = None, accumulate: _Accumulate = "native",
) -> _Array: ...
def gradient(
    X: _Array, y: _Array, w: _Array, *, threads: Optional[SupportsIndex] = None, accumulate: _Accumulate = "native",
) -> Tuple[_Array, float]: ...
def adam_ema_update(
    grad: _Array, weights: _Array, ema_weights: _Array, m: _Array, v: _Array,
    lr: _Number, beta1: _Number, beta2: _Number, eps: _Number, decay: _Number, t: SupportsIndex,
    *, threads: Optional[SupportsIndex] = None, check_state: bool = False,
) -> None: ...
@overload
def simulate_ring_allreduce(
    worker_vectors: Union[List[_Array], Tuple[_Array, ...]], op: Literal["mean", "sum"] = "mean",
    trace: Literal[False] = False,
) -> List[_Array]: ...
@overload
def simulate_ring_allreduce(
    worker_vectors: Union[List[_Array], Tuple[_Array, ...]], op: Literal["mean", "sum"] = "mean", *, trace: Literal[True],
) -> Tuple[List[_Array], List[_RingEvent]]: ...
@overload
def simulate_ring_allreduce(
    worker_vectors: Union[List[_Array], Tuple[_Array, ...]], op: Literal["mean", "sum"], trace: Literal[True],
) -> Tuple[List[_Array], List[_RingEvent]]: ...
def info() -> _Info: ...
