"""A dynamics function for JAX: called back from compiled code, with its own derivatives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cotree.errors import ArgumentError
from cotree.io.native.texts import package

if TYPE_CHECKING:
    from cotree.studies.functions.dynamics import DynamicsFunction


def jax_function(f: DynamicsFunction) -> Any:
    """(t, x, u) -> x_dot; forward and reverse derivatives come from one Jacobian, so that all of JAX's transforms work."""
    jax = package("jax", "jax")
    jnp = jax.numpy
    n, m = len(f.states), len(f.inputs)
    if jnp.zeros(1).dtype != np.float64:
        raise ArgumentError('to_jax: JAX computes with 32 bits; call jax.config.update("jax_enable_x64", True) first')
    value = jax.ShapeDtypeStruct((n,), np.float64)
    slopes = tuple(jax.ShapeDtypeStruct(shape, np.float64) for shape in ((n,), (n, n), (n, m)))

    def call(t: Any, x: Any, u: Any) -> Any:
        return f(float(t), np.asarray(x), np.asarray(u))

    def differentiate(t: Any, x: Any, u: Any) -> Any:
        return tuple(f.jacobian(float(t), np.asarray(x), np.asarray(u)))

    @jax.custom_jvp  # type: ignore[untyped-decorator]
    def dynamics(t: Any, x: Any, u: Any) -> Any:
        return jax.pure_callback(call, value, t, x, u, vmap_method="sequential")

    @dynamics.defjvp  # type: ignore[untyped-decorator]
    def _along(given: Any, changes: Any) -> Any:
        dt, dx, du = jax.pure_callback(differentiate, slopes, *given, vmap_method="sequential")
        t_dot, x_dot, u_dot = changes
        return dynamics(*given), dt * t_dot + dx @ x_dot + du @ u_dot

    def plain(t: Any, x: Any, u: Any = None) -> Any:
        given = jnp.zeros(m) if u is None else jnp.asarray(u, dtype=np.float64)
        return dynamics(jnp.asarray(t, dtype=np.float64), jnp.asarray(x, dtype=np.float64), given)

    return plain
