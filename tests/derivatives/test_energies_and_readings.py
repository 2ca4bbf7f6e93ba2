"""Derivatives of energies and of what sensors read: against differences, and against what has closed forms."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ArgumentError, NotFiniteError, StudyError, UnknownNameError
from tests.derivatives.differences import along_q, along_v
from tests.derivatives.test_tree_derivatives import loaded
from tests.random_mechanisms import error


@pytest.mark.parametrize("seed", range(4))
def test_energies(seed):
    system, s = loaded(seed)
    found = ct.energy_derivatives(system, s.q, s.v)
    each = along_q(system, lambda q: np.array([ct.energy(system, q, s.v).kinetic, ct.energy(system, q).potential]), s.q)
    assert error(found.kinetic_dq, each[0]) < 1e-9
    assert error(found.potential_dq, each[1]) < 1e-9
    assert error(found.kinetic_dv, ct.mass_matrix(system, s.q) @ s.v) < 1e-12


def test_energies_of_registered_kinds():
    mech = ct.gallery.pendulum_chain(2)
    pull = [(-3.0, -15.0), (3.0, 15.0)]
    mech.nonlinear_spring("rubber", "ground", (0.3, 0, 0), list(mech.bodies)[-1], (0.2, 0, -0.5), pull, length=0.2)
    system = mech.compile()
    q = np.array([0.3, -0.2])
    expected = along_q(system, lambda x: np.array([ct.energy(system, x).potential]), q)[0]
    assert error(ct.energy_derivatives(system, q).potential_dq, expected) < 1e-9
    with pytest.raises(NotFiniteError):
        ct.energy_derivatives(system, [np.inf, 0.0])


def furnished():
    mech = ct.gallery.four_bar()
    mech.spring("coil", "crank", (0.6, 0.8, 0), "rocker", (2.5, 0, 0), 30.0, 1.0, 0.5)
    mech.motor("servo", "A", lambda t: 3.0 * np.sin(2.0 * t))
    mech.joint_damper("oil", "C", 0.3)
    return mech.compile()


def test_accelerations_are_those_of_forward_dynamics():
    system = furnished()
    v = ct.consistent_velocity(system, system.q0, [1.0, 0.0, 0.0])
    found = ct.reading_derivatives(system, system.q0, lambda s: s.v_dot, v, 0.3, ["coil.stiffness", "crank.mass"])
    exact = ct.forward_dynamics_derivatives(system, system.q0, v, t=0.3)
    by_number = ct.parameter_derivatives(system, system.q0, v, ["coil.stiffness", "crank.mass"], t=0.3)
    assert error(found.value, exact.v_dot) < 1e-12
    assert error(found.dv, exact.dv) < 1e-9
    assert error(found.dq, exact.dq) < 1e-9
    assert error(found.dparameters, by_number.v_dot) < 1e-9
    by_torque = exact.dtau @ np.eye(3)[system.v_index("A")] * 6.0 * np.cos(0.6)
    assert error(found.dt, by_torque) < 1e-9


def test_forces_of_elements_points_and_reactions():
    system = furnished()
    v = ct.consistent_velocity(system, system.q0, [1.0, 0.0, 0.0])
    for read in (
        lambda s: s.element("coil").force,
        lambda s: s.point("coupler", (1.5, 1.1, 0.0)).velocity,
        lambda s: s.reaction("D").force,
    ):
        found = ct.reading_derivatives(system, system.q0, read, v)

        def value(q, v, read=read):
            return np.ravel(read(ct.measure(system, q, v)))

        assert error(found.dq, along_q(system, lambda q, v=v: value(q, v), system.q0)) < 1e-8
        assert error(found.dv, along_v(lambda u: value(system.q0, u), v)) < 1e-8


def test_refusals():
    system = furnished()
    with pytest.raises(ArgumentError, match="give a function of sensors"):
        ct.reading_derivatives(system, system.q0, "A")
    with pytest.raises(ZeroDivisionError) as found:
        ct.reading_derivatives(system, system.q0, lambda s: 1 / 0)
    assert found.value.__notes__ == ["in the function that is differentiated at t = 0"]
    with pytest.raises(StudyError, match="must return numbers"):
        ct.reading_derivatives(system, system.q0, lambda s: "fast")
    for wrong in (
        lambda s: np.nan,
        lambda s: 1 / (0.0 * s.joint("A").angle),
        lambda s: float(s.joint("A").angle) * np.inf,
    ):
        with (
            np.errstate(all="ignore"),
            pytest.raises(NotFiniteError, match="differentiated or next to it; give a function"),
        ):
            ct.reading_derivatives(system, system.q0, wrong)
    q = ct.assemble(system, {"A": 0.0})
    with np.errstate(all="ignore"), pytest.raises(NotFiniteError, match="next to it"):  # sqrt has no slope at zero
        ct.reading_derivatives(system, q, lambda s: np.sqrt(s.joint("A").angle))
    with pytest.raises(StudyError, match=r"'B.point.x' moves a joint"):
        ct.reading_derivatives(system, system.q0, lambda s: float(s.v_dot[0, 0]), parameters=["B.point.x"])
    with pytest.raises(UnknownNameError, match=r"coil\.stifness"):
        ct.reading_derivatives(system, system.q0, lambda s: s.v_dot, parameters=["coil.stifness"])
