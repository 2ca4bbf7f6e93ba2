"""Gears, racks and screws: joint coordinates coupled by ratios."""

import numpy as np
import pytest

import cotree as ct
from tests.constraints.rigs import acceleration, arm, check_rows, random_state, same_in_absolute, to_absolute


def shafts(*axes):
    """Rotors on ground, each about an axis of its own, with polar inertia 1, 2, ..."""
    mech = ct.Mechanism("shafts", gravity=(0, 0, 0))
    for k, axis in enumerate(axes):
        mech.body(f"rotor{k}", 1.0, (k, 0, 0), (k + 1.0,) * 3)
        mech.joint(f"s{k}", "ground", f"rotor{k}", ct.Revolute(point=(k, 0, 0), axis=axis))
    return mech


def test_gear_ratio():
    """q_0 = ratio q_1: seen from shaft 0 the inertia is I_0 + I_1 / ratio^2."""
    mech, ratio = shafts((0, 0, 1), (1, 0, 0)), -2.5
    mech.gear("bevel", "s0", "s1", ratio)
    mech.motor("m", "s0", 3.0)
    system = mech.compile()
    a = acceleration(system, system.q0, np.zeros(2))
    assert a[0] == pytest.approx(3.0 / (1.0 + 2.0 / ratio**2), rel=1e-12)
    assert a[1] == pytest.approx(a[0] / ratio, rel=1e-12)
    assert ct.constraint_residual(system, [ratio * 0.3, 0.3]) == pytest.approx([0.0], abs=1e-15)


def test_rack_and_pinion():
    mech, r = shafts((0, 0, 1)), 0.2
    mech.body("rack", 5.0, (0, 1, 0), (1, 1, 1))
    mech.joint("slide", "ground", "rack", ct.Prismatic(axis=(1, 0, 0)))
    mech.coupling("teeth", {"slide": 1.0, "s0": -r})
    mech.motor("m", "s0", 2.0)
    system = mech.compile()
    turn, slide = (acceleration(system, system.q0, np.zeros(2))[system.velocity_index(n)] for n in ("s0", "slide"))
    assert turn == pytest.approx(2.0 / (1.0 + 5.0 * r**2), rel=1e-12)
    assert slide == pytest.approx(r * turn, rel=1e-12)


def test_screw_as_a_coupling_is_a_helical_joint():
    pitch, where = 0.03, {"point": (0.5, 0.2, 0.1), "axis": (1, 2, -1)}
    base = ct.Revolute(axis=(0, 1, 2))
    coupled, screw = arm(base, ct.Cylindrical(**where)), arm(base, ct.Helical(**where, pitch=pitch))
    coupled.coupling("thread", {("j1", "vz"): 1.0, ("j1", "wz"): -pitch})
    a, b = coupled.compile(), screw.compile()
    v_dot = acceleration(a, [0.4, 0.6, 0.6 * pitch], [0.7, -1.3, -1.3 * pitch])
    expected = acceleration(b, [0.4, 0.6], [0.7, -1.3])
    assert v_dot == pytest.approx([*expected, expected[1] * pitch], rel=1e-9)


def test_rows_of_a_coupling_with_an_offset_of_time():
    mech = shafts((0, 0, 1), (1, 0, 0), (0, 1, 0))
    mech.coupling("sum", {"s0": 2.0, "s1": -1.0, "s2": 0.5}, offset=lambda t: 0.1 * t**3)
    system = mech.compile()
    q, v = random_state(system, 3)
    check_rows(system, q, v, 1.3)
    assert ct.constraint_residual(system, q, 1.3) == pytest.approx([q @ [2.0, -1.0, 0.5] - 0.1 * 1.3**3])


@pytest.mark.parametrize("turn", [0.3, 40.0, -123.0])
@pytest.mark.parametrize("teeth", [(1, 1), (1, 2), (20, 41), (3, -2)])
def test_gears_in_absolute_coordinates_know_no_turns(teeth, turn):
    mech = shafts((0, 0, 1), (0, 1, 1))
    mech.coupling("gear", {"s0": teeth[0], "s1": -teeth[1]})
    q, v = turn * np.array([teeth[1], teeth[0]]), np.array([teeth[1], teeth[0]]) * 0.3
    same_in_absolute(mech, q, v)
    relative, absolute = mech.compile(), mech.compile("absolute")
    x, u = to_absolute(relative, absolute, q + np.array([0.01, 0.0]), v)  # a small error is seen as such
    assert ct.constraint_residual(absolute, x)[-1] == pytest.approx(0.01 * teeth[0], abs=1e-9)
    check_rows(absolute, x, u, rows=[-1])


def test_coupling_on_moving_axes_in_absolute_coordinates():
    mech = arm(
        ct.Revolute(axis=(0, 1, 2)), ct.Revolute(point=(0.5, 0, 0), axis=(1, 0, 1)), ct.Prismatic(axis=(1, 1, 0))
    )
    mech.coupling("mix", {"j0": 1.0, "j1": -0.5, "j2": 2.0}, offset=lambda t: 0.1 * np.cos(t))
    q, v = np.array([0.4, 0.6, 0.0]), np.array([0.9, 0.3, 0.0])
    q[2] = (0.1 * np.cos(0.2) - q[0] + 0.5 * q[1]) / 2
    v[2] = (-0.1 * np.sin(0.2) - v[0] + 0.5 * v[1]) / 2
    same_in_absolute(mech, q, v, 0.2)


def test_ratios_that_are_no_fractions_need_the_tree():
    mech = shafts((0, 0, 1), (0, 1, 1))
    mech.gear("odd", "s0", "s1", np.sqrt(2.0))
    mech.compile()
    with pytest.raises(
        ct.errors.ConstraintError, match=r"gear 'odd': joints 's0', 's1' are cut.*not a simple fraction.*relative"
    ):
        mech.compile("absolute")
