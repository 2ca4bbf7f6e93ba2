"""MuJoCo's settings for closed loops, as stiff as they go; needs MuJoCo alone."""

from __future__ import annotations

from typing import Any

import mujoco

STIFF = (0.9999, 0.9999, 0.001, 0.5, 2.0)


def set_stiff(model: Any, h: float, constant: float = 2.0) -> None:
    """RK4 of step h; impedance at its limit, time constant in steps; constraint solver run until it is exact."""
    option = model.opt
    option.integrator, option.timestep = mujoco.mjtIntegrator.mjINT_RK4, h
    option.tolerance, option.iterations = 1e-15, 100
    option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_REFSAFE) if constant < 2.0 else 0
    model.eq_solref[:] = (constant * h, 1.0)
    model.eq_solimp[:] = STIFF
