"""Angles that are written in degrees, and the units of coordinates."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ShapeError


def test_degrees_become_radians():
    assert ct.degrees(180) == np.pi
    assert ct.degrees({"A": 90.0}) == {"A": 0.5 * np.pi}
    np.testing.assert_allclose(ct.degrees([0, 45]), [0, 0.25 * np.pi])
    run = ct.simulate(ct.gallery.four_bar(), 0.01, q=ct.degrees({"A": 30}), output=2)
    assert run.joint("A").degrees[0] == pytest.approx(30.0, abs=1e-12)
    for wrong in ("30", {"A": "x"}, np.nan):
        with pytest.raises(ShapeError, match="degrees takes finite numbers"):
            ct.degrees(wrong)


def test_units_of_coordinates():
    mech = ct.Mechanism("m")
    mech.body("a", 1.0, (0, 0, 0), inertia=(1, 1, 1))
    mech.body("b", 1.0, (0, 0, 0), inertia=(1, 1, 1))
    mech.joint("F", "ground", "a", ct.Free())
    mech.joint("P", "a", "b", ct.Prismatic(axis=(1, 0, 0)))
    system = mech.compile()
    assert dict(zip(system.q_names, system.q_units, strict=True))["P"] == "m"
    assert system.q_units[system.q_index("F.qw")] == "1"
    assert system.q_units[system.q_index("F.x")] == "m"
    assert system.v_units[system.v_index("F.wx")] == "rad/s"
    assert system.v_units[system.v_index("P")] == "m/s"
