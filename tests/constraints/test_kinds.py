"""The words of the mobility report: where mobility comes from."""

import numpy as np
import pytest

import cotree as ct
from tests.closed_mechanisms import (
    CATALOGUE,
    Sketch,
    bennett,
    bricard,
    double_parallelogram,
    four_bar,
    prrr3,
    revolutes,
    sarrus,
)


def braced_four_bar(lengths=1.0):
    """A four-bar whose coupler is a truss of six bars where five would do."""
    sketch = Sketch()
    P = {
        k: lengths * np.array(p)
        for k, p in {"a": (0.3, 0.8, 0), "b": (1.8, 1, 0), "c": (1.7, 2.1, 0), "d": (0.5, 1.9, 0)}.items()
    }
    sketch.joint("A", "Revolute", "ground", "crank", (0, 0, 0))
    sketch.joint("D", "Revolute", "ground", "rocker", (1.6, 0, 0))
    first: dict[str, str] = {}
    for bar in ("ab", "bc", "cd", "da", "ac", "bd"):
        for end in bar:
            if end in first:
                sketch.joint(f"{end}-{bar}", "Revolute", first[end], bar, P[end])
            first.setdefault(end, bar)
    sketch.joint("B", "Revolute", "crank", first["a"], P["a"])
    sketch.joint("C", "Revolute", "rocker", first["b"], P["b"])
    return sketch.data()


def skew_hinges(n, seed=0):
    rng = np.random.default_rng(seed)
    return revolutes((rng.normal(size=3), rng.normal(size=3)) for _ in range(n))


KINDS = {
    "four-bar": (four_bar, "trivial"), "Sarrus": (sarrus, "exceptional"), "3-PRRR": (prrr3, "exceptional"),
    "braced coupler": (braced_four_bar, "topological"), "Bennett": (bennett, "paradoxical"),
    "Bricard": (bricard, "paradoxical"),
    "double parallelogram": (double_parallelogram, "paradoxical"), "five skew hinges": (lambda: skew_hinges(5), "structure"),
    "three skew hinges": (lambda: skew_hinges(3), "structure"), "seven skew hinges": (lambda: skew_hinges(7), "trivial"),
}  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_kind_whatever_is_cut(name):
    """In all coordinates, with and without regularization, and cut anywhere."""
    build, kind = KINDS[name]
    data = build()
    cuts = [data.joints[0].name, data.joints[-1].name] if len(data.joints) < 8 else []
    choices = [{}, {"coordinates": "absolute"}, {"regularize": False}, *({"cut": [c]} for c in cuts)]
    assert [ct.mobility(data.compile(**c)).kind for c in choices] == [kind] * len(choices)
    assert f"\n  {kind}: " in str(ct.mobility(data.mechanism()))


def test_kinds_of_the_catalogue_with_a_cut():
    for name in ("four-bar", "Sarrus", "Bennett"):
        build, *_, kind = CATALOGUE[name]
        assert ct.mobility(build().compile(cut=["j1"])).kind == kind


def test_braced_parts_of_any_length():
    assert ct.mobility(braced_four_bar(1.13).mechanism()).kind == "topological"


def bennett_and_four_bar():
    """Bennett's linkage, and on one of its links a planar four-bar that moves whatever its lengths are."""
    sketch, link = Sketch(), "b0"
    for j in bennett().joints:
        sketch.joint(j.name, j.kind, j.inner, j.outer, j.point, j.axis)
    names = [link, "crank", "coupler", "rocker", link]
    for k, (x, y) in enumerate([(5, 0), (5.6, 0.8), (7.4, 1.4), (7.5, 0)]):
        sketch.joint(f"p{k}", "Revolute", names[k], names[k + 1], (x, y, 0))
    return sketch.data()


def test_paradoxical_mobility_names_the_joints_that_it_is_owed_to():
    """Those that cannot be moved alone: all of Bennett's, of Bricard's though it stays shaky, and none of a four-bar."""
    report = ct.mobility(bennett_and_four_bar().mechanism())
    assert (report.local, report.kind, report.owed_to) == (2, "paradoxical", ("j0", "j1", "j2", "j3"))
    assert "moving one of these joints alone is enough: 'j0', 'j1', 'j2', 'j3'" in str(report)
    assert len(ct.mobility(bricard().mechanism()).owed_to) == 6
    assert ct.mobility(four_bar().mechanism()).owed_to == ct.mobility(sarrus().mechanism()).owed_to == ()


def test_kind_beside_other_constraints():
    """Drives take freedoms and change nothing about where the loops have theirs from."""
    for build, joint, kind in ((braced_four_bar, "A", "topological"), (bennett, "j0", "paradoxical")):
        mech = build().mechanism()
        mech.drive("turn", joint, lambda t: 0.1 * t)
        report = ct.mobility(mech)
        assert (report.local, report.kind) == (0, kind)


def test_driven_mechanisms_are_no_structures():
    mech = four_bar().mechanism()
    mech.drive("turn", "j0", lambda t: 0.1 * t)
    report = ct.mobility(mech)
    assert (report.local, report.kind) == (0, "trivial")
    assert "all motion is prescribed by drivers" in str(report)
