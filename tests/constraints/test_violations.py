"""Violations at many states beside one state after the other."""

import numpy as np
import pytest

import cotree as ct
from cotree.constraints.violations import position_violations, velocity_violations
from cotree.errors import NotFiniteError


@pytest.mark.parametrize("motion", [None, 0.5, lambda t: 0.5 * t])
def test_beside_single_states(motion):
    mech = ct.gallery.four_bar()
    if motion is not None:
        mech.drive("turn", "A", motion)
    system, rng = mech.compile(), np.random.default_rng(1)
    q, v, t = rng.normal(size=(4, system.nq)), rng.normal(size=(4, system.nv)), np.linspace(0.0, 1.0, 4)
    for k, found in enumerate(position_violations(system, q, t)):
        assert found == np.abs(ct.constraint_residual(system, q[k], t[k], regularized=False)).max()
    for k, found in enumerate(velocity_violations(system, q, v, t)):
        J = ct.constraint_jacobian(system, q[k], t[k], regularized=False)
        b = ct.theory.constraint_rate(system, q[k], t[k], regularized=False)
        assert found == pytest.approx(np.abs(J @ v[k] - b).max(), rel=1e-12)
    q[2, 0] = np.nan
    for call in (lambda: position_violations(system, q, t), lambda: velocity_violations(system, q, v, t)):
        with pytest.raises(NotFiniteError):
            call()
