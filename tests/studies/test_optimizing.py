"""`ct.optimize` with a function that builds the mechanism."""

import pytest

import cotree as ct


def _rod(length):
    mech = ct.Mechanism("rod")
    mech.body("rod", shape=ct.Rod((0, 0, 0), (length, 0, 0), 0.01), density=7850)
    mech.joint("A", "ground", "rod", ct.Revolute((0, 0, 0), "y"))
    return mech


def test_a_function_that_builds_is_optimized():
    """The length of a rod of which the mass is asked for; the same as number of a mechanism, from another beginning."""
    found = ct.optimize(_rod, lambda m: (m.bodies["rod"].properties.mass - 2.0) ** 2, {"length": 1.0})
    mass = ct.optimize(_rod(1.0), lambda m: (m.bodies["rod"].properties.mass - 2.0) ** 2, {"rod.mass": 1.0})
    assert found.values["length"] == pytest.approx(2.0 / _rod(1.0).bodies["rod"].properties.mass, rel=1e-4)
    assert mass.begin == 1.0
    assert mass.values["rod.mass"] == pytest.approx(2.0, rel=1e-4)


def test_a_function_that_builds_needs_values_to_begin_with():
    with pytest.raises(ct.errors.ArgumentError, match="a dict of its arguments with the values to begin with"):
        ct.optimize(_rod, lambda m: 0.0, ["length"])
