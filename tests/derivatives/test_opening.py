"""Parameters that open loops are named: those with which, changed a little, the mechanism has fewer degrees of freedom."""

import warnings

import numpy as np
import pytest

import cotree as ct
from cotree.derivatives.parameters.opening import opening

CHANGE = 3e-3
CHOICES = ({}, {"regularize": False}, {"coordinates": "absolute"}, {"coordinates": "absolute", "group": "SO3xR3"})


def places(mech):
    return [name for name in ct.parameters(mech) if ".point." in name or ".axis" in name]


def loses_freedom(mech, name):
    changed = ct.with_parameters(mech, {name: ct.parameters(mech)[name] + CHANGE})
    return ct.mobility(changed, tolerance=0.0).local < ct.mobility(mech).local


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "bennett", "stewart"])
def test_those_that_take_freedom_away(name):
    mech = getattr(ct.gallery, name)()
    names = places(mech)[:24]
    expected = tuple(x for x in names if loses_freedom(mech, x))
    for choice in CHOICES:
        system = mech.compile(**choice)
        assert opening(system, system.q0, names) == expected


def test_away_from_the_reference_assembly():
    mech = ct.gallery.four_bar()
    system = mech.compile()
    q = ct.assemble(system, {"A": 0.7})
    assert opening(system, q, places(mech)) == tuple(x for x in places(mech) if x[2:] in ("axis.x", "axis.y"))


def test_numbers_that_are_no_places_are_not_named():
    mech = ct.gallery.four_bar()
    system = mech.compile()
    assert opening(system, system.q0, ["crank.mass", "coupler.com.z"]) == ()
    tree = ct.gallery.pendulum_chain(2)
    assert opening(tree.compile(), np.zeros(2), places(tree)) == ()


def test_warnings():
    system = ct.gallery.four_bar().compile()

    def calls(names):
        ct.parameter_derivatives(system, system.q0, parameters=names)
        ct.reading_derivatives(system, system.q0, lambda s: s.joint("A").rate, parameters=names)
        ct.sensitivities(system, 0.1, v={"A": 1.0}, parameters=names, outputs=["A"])

    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        calls(["B.point.x", "A.axis.x"])
    assert [w.category for w in heard] == 3 * [ct.errors.StudyWarning]
    assert all("a change of 'A.axis.x' opens closed loops" in str(w.message) for w in heard)
    assert {w.filename for w in heard} == {__file__}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        calls(["B.point.x"])
