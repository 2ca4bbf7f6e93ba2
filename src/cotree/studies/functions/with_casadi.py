"""Functions for CasADi: callbacks with exact first derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.io.native.texts import package

Array = NDArray[np.float64]


def casadi_function(
    name: str, value: Callable[..., Any], slopes: Callable[..., tuple[Any, ...]], sizes: dict[str, int], out: str
) -> Any:
    """A function of time t and of vectors, by name and size, whose value has the size of the first of them, x; slopes: its
    derivatives by t and by each of them."""
    return callback(
        name, {"t": 1, **sizes}, (out, sizes["x"]), lambda t, *given: value(float(t[0]), *given),
        lambda t, *given: tuple(slopes(float(t[0]), *given)),
    )  # fmt: skip


def callback(
    name: str,
    sizes: dict[str, int],
    out: tuple[str, int],
    value: Callable[..., Any],
    slopes: Callable[..., tuple[Any, ...]],
) -> Any:
    """`casadi.Callback`, which is a Function, of vectors of these sizes; keep it as long as expressions use it. slopes: the
    derivatives by each of them."""
    casadi = package("casadi", "casadi")
    count, rows = list(sizes.values()), out[1]

    class Base(casadi.Callback):  # type: ignore[misc, name-defined]
        def __init__(self, name: str, names: tuple[list[str], list[str]], shapes: Any, call: Any, options: Any) -> None:
            casadi.Callback.__init__(self)
            self.names, self.shapes, self.call_back = names, shapes, call
            self.slopes: Any = None
            self.construct(name, options)

        def get_n_in(self) -> int:
            return len(self.names[0])

        def get_n_out(self) -> int:
            return len(self.names[1])

        def get_name_in(self, i: int) -> str:
            return self.names[0][i]

        def get_name_out(self, i: int) -> str:
            return self.names[1][i]

        def get_sparsity_in(self, i: int) -> Any:
            return casadi.Sparsity.dense((*count, rows)[i], 1)

        def get_sparsity_out(self, i: int) -> Any:
            return casadi.Sparsity.dense(rows, self.shapes[i])

        def eval(self, given: Any) -> Any:
            found = self.call_back(*(np.asarray(x, dtype=float).reshape(-1) for x in given[: len(count)]))
            return [casadi.DM(np.reshape(y, (rows, n))) for y, n in zip(found, self.shapes, strict=True)]

    class Function(Base):
        def has_jacobian(self) -> bool:
            return True

        def get_jacobian(self, name: str, inputs: Any, outputs: Any, options: Any) -> Any:
            """Its last input is the value, which is not needed."""
            self.slopes = Base(name, (list(inputs), list(outputs)), count, slopes, options)
            return self.slopes

    return Function(name, (list(sizes), [out[0]]), [1], lambda *given: (value(*given),), {})
