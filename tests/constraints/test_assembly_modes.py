"""All assembly modes: by algebra for dyads, compared with triangles by hand and with a search from many starts."""

import importlib

import numpy as np
import pytest

import cotree as ct
from cotree.constraints.dyads import Undetermined, Unknown, solutions
from cotree.screws import screw
from tests.closed_mechanisms import Z, bennett, four_bar, single_loop, slider_crank, spherical_four_bar

MODULE = importlib.import_module("cotree.constraints.assembly_modes")


def five_bar():
    points = [(0, 0, 0), (-0.5, 1, 0), (0.6, 1.9, 0), (1.6, 1, 0), (1.2, 0, 0)]
    return single_loop([("Revolute", p, Z) for p in points])


def slides(kinds: str):
    """A planar loop of four joints, hinges and slides, the first a hinge."""
    points = [(0, 0, 0), (0.3, 1, 0), (1.5, 1.2, 0), (2, 0.1, 0)]
    axes = [np.array(a) / np.linalg.norm(a) for a in ((1, 0, 0), (1, 0.4, 0), (0.2, 1, 0), (1, -0.3, 0))]
    names = {"R": "Revolute", "P": "Prismatic"}
    return single_loop([(names[k], p, Z if k == "R" else a) for k, p, a in zip(kinds, points, axes, strict=True)])


CASES = {
    "four-bar": (four_bar, {"j0": 0.3}), "slider-crank": (slider_crank, {"j0": 0.4}),
    "spherical": (spherical_four_bar, {"j0": -0.1}), "five-bar": (five_bar, {"j0": 0.1, "j4": 0.2}),
    "RRPR": (lambda: slides("RRPR"), {"j0": 0.2}), "RPRP": (lambda: slides("RPRP"), {"j0": 0.2}),
    "RPPR": (lambda: slides("RPPR"), {"j0": 0.2}), "RRPP": (lambda: slides("RRPP"), {"j0": 0.2}),
    "RPRR": (lambda: slides("RPRR"), {"j0": -0.1}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_algebra_and_search_agree(name, monkeypatch):
    build, fixed = CASES[name]
    system = build().compile()
    found = ct.assembly_modes(system, fixed)
    assert found.complete
    assert len(found) >= 1
    for q in found:
        assert np.abs(ct.constraint_residual(system, q, regularized=False)).max() < 1e-10
        assert all(q[system.q_index(n)] == x for n, x in fixed.items())
    monkeypatch.setattr(MODULE, "solved_by_dyads", lambda *_: None)
    searched = ct.assembly_modes(system, fixed, starts=40)
    assert not searched.complete
    assert len(searched) == len(found)
    assert np.abs(np.array(list(searched)) - np.array(list(found))).max() < 1e-7


def test_four_bar_by_triangles():
    """The coupler's far end lies on two circles."""
    A, B, C, D = map(np.array, ((0.0, 0.0), (0.6, 0.8), (2.4, 1.4), (2.5, 0.0)))
    x = 0.3
    R = np.array([[np.cos(x), -np.sin(x)], [np.sin(x), np.cos(x)]])
    b, coupler, rocker = R @ B, np.linalg.norm(C - B), np.linalg.norm(C - D)
    d = np.linalg.norm(D - b)
    along = (coupler**2 - rocker**2 + d**2) / (2 * d)
    across = np.sqrt(coupler**2 - along**2)
    e = (D - b) / d
    ends = [b + along * e + s * across * np.array([-e[1], e[0]]) for s in (1, -1)]
    data = single_loop([("Revolute", (*p, 0.0), Z) for p in (A, B, C, D)])
    system = data.compile()
    body = system.mechanism.joints["j2"].parent
    found = [
        (ct.poses(system, q)[system.row_of(body)] @ (*C, 0.0, 1.0))[:2] for q in ct.assembly_modes(system, {"j0": x})
    ]
    assert len(found) == 2
    assert all(min(np.linalg.norm(p - end) for p in found) < 1e-9 for end in ends)


def test_out_of_reach():
    found = ct.assembly_modes(four_bar().compile(), {"j0": 2.5})
    assert found.complete
    assert len(found) == 0
    assert "0 assembly modes" in str(found)


def test_no_dyads():
    """Bennett's linkage is neither planar nor spherical: what was found is told, and that there may be more."""
    found = ct.assembly_modes(bennett().compile(), {"j0": 0.3}, starts=10)
    assert not found.complete
    assert "there may be others" in str(found)
    assert len(found) >= 1


def test_too_few_inputs():
    with pytest.raises(ct.errors.ArgumentError, match="can still move, with 1 degree of freedom"):
        ct.assembly_modes(five_bar().compile(), {"j0": 0.1}, starts=5)
    with pytest.raises(ct.errors.ArgumentError, match="a dict of values by name"):
        ct.assembly_modes(five_bar().compile(), ["j0"])


def hinge(x):
    return Unknown.of(screw(axis=Z, point=(x, 0, 0)))


def slide(*direction):
    return Unknown.of(np.array([0, 0, 0, *direction, 0.0]))


DEGENERATE = {
    "parallel slides": ((slide(1, 0), hinge(1.0), slide(1, 0)), np.eye(4)),
    "hinges on one axis": ((hinge(0.0), hinge(0.0), hinge(1.0)), np.eye(4)),
    "slides along one line": ((slide(1, 0), slide(1, 0), hinge(1.0)), np.eye(4)),
    "hinges that come to lie on each other": ((hinge(0.0), hinge(1.0), hinge(2.0)), hinge(1.0).moved(np.pi)),
}


@pytest.mark.parametrize("name", DEGENERATE)
def test_equations_that_vanish_are_noticed(name):
    """There the algebra leaves the search to many starts."""
    unknowns, G = DEGENERATE[name]
    with pytest.raises(Undetermined):
        solutions(unknowns, G, None)
