"""Functions for JAX: called back from compiled code, with their own derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cotree.errors import ArgumentError
from cotree.io.native.texts import package


def jax_function(
    value: Callable[..., Any], slopes: Callable[..., tuple[Any, ...]], sizes: Sequence[int], rows: int
) -> Any:
    """A function of time and vectors of these sizes, zeros where the last are left out; its value has so many rows. slopes: the
    derivatives by each of them. Forward and reverse derivatives come from them, so that all of JAX's transforms work."""
    jax = package("jax", "jax")
    jnp = jax.numpy
    if jnp.zeros(1).dtype != np.float64:
        raise ArgumentError('to_jax: JAX computes with 32 bits; call jax.config.update("jax_enable_x64", True) first')
    shape = jax.ShapeDtypeStruct((rows,), np.float64)
    shapes = tuple(jax.ShapeDtypeStruct((rows, *size), np.float64) for size in ((), *((n,) for n in sizes)))

    def call(t: Any, *given: Any) -> Any:
        return value(float(t), *(np.asarray(x) for x in given))

    def differentiate(t: Any, *given: Any) -> Any:
        return tuple(slopes(float(t), *(np.asarray(x) for x in given)))

    @jax.custom_jvp  # type: ignore[untyped-decorator]
    def function(*given: Any) -> Any:
        return jax.pure_callback(call, shape, *given, vmap_method="sequential")

    @function.defjvp  # type: ignore[untyped-decorator]
    def _along(given: Any, changes: Any) -> Any:
        by_time, *others = jax.pure_callback(differentiate, shapes, *given, vmap_method="sequential")
        along = by_time * changes[0]
        for slope, change in zip(others, changes[1:], strict=True):
            along = along + slope @ change
        return function(*given), along

    def plain(t: Any, *given: Any) -> Any:
        some = (*given, *(None for _ in sizes[len(given) :]))
        filled = (np.zeros(n) if x is None else x for n, x in zip(sizes, some, strict=True))
        return function(*(jnp.asarray(x, dtype=np.float64) for x in (t, *filled)))

    return plain
