"""Gradient of a simulated motion by JAX: Runge-Kutta steps of a four-bar inside `lax.scan`, differentiated backwards.

python examples/with_jax.py
"""

from __future__ import annotations

import jax
import numpy as np

import cotree as ct

jax.config.update("jax_enable_x64", True)
STEPS, STEP = 50, 0.01


def last_angle(f, x0, torque):
    """Crank angle after half a second under a constant torque."""

    def step(x, _):
        k1 = f(0.0, x, torque)
        k2 = f(0.0, x + 0.5 * STEP * k1, torque)
        k3 = f(0.0, x + 0.5 * STEP * k2, torque)
        k4 = f(0.0, x + STEP * k3, torque)
        return x + STEP / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), None

    return jax.lax.scan(step, x0, length=STEPS)[0][0]


def main() -> None:
    dynamics = ct.dynamics_function(ct.gallery.four_bar(), inputs=["A"])
    f, x0 = dynamics.to_jax(), jax.numpy.asarray(dynamics.x0)
    gradient = jax.jit(jax.grad(lambda u: last_angle(f, x0, u)))(np.array([5.0]))
    h = 1e-4
    differences = (last_angle(f, x0, np.array([5.0 + h])) - last_angle(f, x0, np.array([5.0 - h]))) / (2.0 * h)
    print(f"by JAX {gradient[0]:.9f} rad/(N m), by differences {differences:.9f}")


if __name__ == "__main__":
    main()
