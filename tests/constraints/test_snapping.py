"""Numbers with a few decimals: loops that are nearly planar or spherical are closed as such; the truly rigid stay so."""

from dataclasses import replace

import numpy as np
import pytest

import cotree as ct
from cotree.system.reference_assembly import assemble_graph
from cotree.system.snapping import snapped
from tests.closed_mechanisms import (
    GROUND,
    Sketch,
    X,
    Y,
    Z,
    bennett,
    displaced,
    four_bar,
    named,
    perturbed,
    prrr3,
    reg_spherical,
    sarrus,
    single_loop,
    slider_crank,
    spherical_four_bar,
    stewart,
)
from tests.random_mechanisms import TreeData, random_rotation


def rounded(data: TreeData, decimals: int) -> TreeData:
    """Points and axes as they are written to a file."""
    unit = [j.axis / np.linalg.norm(j.axis) for j in data.joints]
    joints = tuple(
        replace(j, point=j.point.round(decimals), axis=e.round(decimals), other=j.other.round(decimals))
        for j, e in zip(data.joints, unit, strict=True)
    )
    return replace(data, joints=joints)


def turned(data: TreeData, seed: int) -> TreeData:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = random_rotation(np.random.default_rng(seed)), (0.3, -0.2, 0.5)
    return data.moved(T)


def oldham() -> TreeData:
    a, b = np.array([1, 0.3, 0]), np.array([-0.3, 1, 0])
    joints = [("Revolute", (0, 0, 0), Z), ("Prismatic", (0, 0, 0.1), a), ("Prismatic", (0, 0, 0.2), b)]
    return single_loop([*joints, ("Revolute", (0.2, 0.1, 0.3), Z)])


def hooke() -> TreeData:
    c, d = np.array([0.1, 0.2, 0.3]), np.array([1, 0.4, 0.2]) / np.sqrt(1.2)
    other = np.cross(d, Y) / np.linalg.norm(np.cross(d, Y))
    return single_loop([("Revolute", c - X, X), ("Universal", c, Y, other), ("Revolute", c + d, d)])


def double_hinge() -> TreeData:
    return single_loop([("Revolute", (0, 0, 0), Z), ("Revolute", (0, 0, 1), Z)])


def two_legs() -> TreeData:
    """Schoenflies motion of a plate on two legs, a slide and three hinges each."""
    sketch, rng = Sketch(), np.random.default_rng(2)
    for i in range(2):
        names = [GROUND, *(f"l{i}{k}" for k in range(3)), "plate"]
        for k, kind in enumerate(["Prismatic", "Revolute", "Revolute", "Revolute"]):
            sketch.joint(f"j{i}{k}", kind, names[k], names[k + 1], rng.normal(size=3), Z)
    return sketch.data()


CASES = {  # dof, rows
    "four-bar": (four_bar, 1, 2), "slider-crank": (slider_crank, 1, 2), "Oldham": (oldham, 1, 2), "Hooke": (hooke, 1, 1),
    "spherical": (spherical_four_bar, 1, 2), "Sarrus": (sarrus, 1, 4), "3-PRRR": (prrr3, 3, 7), "hinge": (double_hinge, 1, 0),
    "two legs": (two_legs, 4, 3), "slider-crank with a ball": (lambda: slider_crank("Spherical"), 1, 2),
}  # fmt: skip


@pytest.mark.parametrize("decimals", [5, 6, 7])
@pytest.mark.parametrize("name", CASES)
def test_mobility_of_rounded_numbers(name, decimals):
    build, dof, rows = CASES[name]
    for seed in range(2):
        system = rounded(turned(build(), seed), decimals).compile()
        report = ct.mobility(system)
        assert (report.local, report.differential, system.n_constraints) == (dof, dof, rows)
        assert np.abs(ct.constraint_residual(system, system.q0, regularized=False)).max() < 1e-13


@pytest.mark.parametrize("name", CASES)
def test_four_decimals_are_right_or_doubtful(name):
    """Axes off by 1e-4 are not taken for parallel: where that makes a structure of a mechanism, the report says so."""
    build, dof, _ = CASES[name]
    report = ct.mobility(rounded(turned(build(), 1), 4).mechanism())
    assert report.local == dof or (report.local + report.nearly >= dof and "uncertain:" in str(report))
    more = ct.mobility(rounded(turned(build(), 1), 4).mechanism(), tolerance=3e-4)
    assert more.local == dof


@pytest.mark.parametrize("name", ["slider-crank", "Oldham", "spherical", "Sarrus"])
def test_rounded_mechanisms_move(name):
    """As far as those with exact numbers, in every choice of coordinates and rows."""
    data, options = turned(CASES[name][0](), 3), ({}, {"coordinates": "absolute"}, {"regularize": False})
    exact = ct.simulate(data.mechanism(), 0.2).poses()[-1]
    for choice in options:
        system = rounded(data, 6).compile(**choice)
        run = ct.simulate(system, 0.2)
        assert run.status == "done"
        there = dict(zip(("ground", *system.body_names), run.poses()[-1], strict=True))
        wanted = dict(zip(("ground", *data.compile().body_names), exact, strict=True))
        assert max(np.abs(there[n] - wanted[n]).max() for n in wanted) < 1e-4
        assert max(np.abs(C - np.eye(4)).max() for C in there.values()) > 1e-3


TRULY_RIGID = {
    "four-bar": four_bar, "slider-crank": slider_crank, "spherical": spherical_four_bar, "Reg": reg_spherical, "Hooke": hooke,
    "hinge": double_hinge, "Bennett": bennett, "Sarrus": sarrus, "with a ball": lambda: slider_crank("Spherical"),
}  # fmt: skip


@pytest.mark.parametrize("name", TRULY_RIGID)
def test_rigid_by_a_ten_thousandth(name):
    """Linkages with one axis tilted by 1e-4 are rigid, by singular values of 2e-6 to 8e-5 computed with sixty digits, and stay
    so; the report says how near they are to move. A joint through the centre of a spherical linkage may be tilted."""
    data = turned(TRULY_RIGID[name](), 2)
    for i, j in enumerate(data.joints):
        if j.kind in ("Universal", "Spherical"):
            continue
        tilted = replace(j, axis=j.axis + 1e-4 * np.cross(j.axis, (0.3, 0.5, 0.8)))
        report = ct.mobility(replace(data, joints=(*data.joints[:i], tilted, *data.joints[i + 1 :])).mechanism())
        assert (report.local, report.kind, report.nearly) == (0, "structure", 1), j.name
        assert "uncertain: 1 DOF more" in str(report)


def test_what_is_moved_stays_within_twice_the_tolerance():
    """A slide that is tilted mostly within the plane of its linkage leaves it planar to 1e-5, and is closed as such."""
    data = turned(oldham(), 2)
    j = data.joints[2]
    tilted = replace(j, axis=j.axis + 1e-4 * np.cross(j.axis, (0.3, 0.5, 0.8)))
    mech = replace(data, joints=(*data.joints[:2], tilted, data.joints[3])).mechanism()
    (snapping,) = mech.compile().snappings
    assert max(m.angle for m in snapping.moved) < 1e-5
    assert ct.mobility(mech).local == 1
    assert ct.mobility(mech, tolerance=5e-6).local == 0


def test_shaky_and_rounded_are_told_apart():
    """Bennett's linkage with six decimals leaves gaps of 1e-8 where it should move; a shaky triangle leaves large ones."""
    report = ct.mobility(rounded(turned(bennett(), 1), 6).mechanism())
    assert report.local == 0
    assert report.nearly == 1
    points = [((0, 0, 0), Z), ((1, 0, 0), Z), ((2.5, 0, 0), Z)]
    shaky = ct.mobility(single_loop([("Revolute", *p) for p in points]).mechanism())
    assert (shaky.local, shaky.differential, shaky.nearly) == (0, 1, 0)


def test_words():
    text = str(ct.mobility(named(rounded(turned(oldham(), 1), 6), "Oldham")))
    assert "closed as planar ('j0', " in text
    assert "turned by at most" in text
    text = str(ct.mobility(named(rounded(turned(sarrus(), 1), 6), "Sarrus")))
    assert "closed as if they were exact" in text


def test_what_was_moved():
    data = rounded(turned(spherical_four_bar(), 1), 6)
    system = data.compile()
    (snapping,) = system.snappings
    assert {m.joint for m in snapping.moved} <= set(system.joint_names)
    assert 0.0 < max(m.distance for m in snapping.moved) < 3e-6
    assert max(m.angle for m in snapping.moved) < 3e-6
    assert 1e-8 < snapping.off < 1e-5
    assert str(snapping.kind) == "spherical"


def test_exact_numbers_are_left_alone():
    for data in (turned(prrr3(), 1), stewart(), sarrus(), four_bar()):
        mech = data.mechanism()
        system = mech.compile()
        assert system.snappings == ()
        assert all(system.mechanism.joints[n] is c for n, c in mech.joints.items())


def test_snapped_by_hand():
    """`mech.snapped` gives a mechanism that compiles to the same numbers; nothing is left to be done on it."""
    mech = rounded(turned(spherical_four_bar(), 1), 6).mechanism()
    exact = mech.snapped()
    system = exact.compile()
    assert system.snappings == ()
    assert system.n_constraints == 2
    assert np.array_equal(system.dofs["Y"], mech.compile().dofs["Y"])
    assert mech.snapped(tolerance=0.0).joints == mech.joints
    assert mech.joints["j0"] is not exact.joints["j0"]


def test_tolerance_zero_takes_numbers_as_they_are():
    mech = rounded(turned(oldham(), 1), 6).mechanism()
    system = mech.compile(tolerance=0.0)
    assert system.snappings == ()
    assert ct.mobility(system).local == 0
    assert ct.mobility(system, tolerance=1e-5).local == 1
    assert ct.mobility(mech, tolerance=0.0).local == 0


@pytest.mark.parametrize("bad", [-1.0, 0.5, "x", float("nan")])
def test_bad_tolerances(bad):
    mech = four_bar().mechanism()
    with pytest.raises(ct.errors.CotreeError, match="tolerance"):
        mech.compile(tolerance=bad)
    with pytest.raises(ct.errors.CotreeError, match="tolerance"):
        ct.mobility(mech, tolerance=bad)
    with pytest.raises(ct.errors.CotreeError, match="tolerance"):
        mech.snapped(bad)


def test_frames_on_bodies():
    """Joints that are told in frames on their bodies are made exact as well, and their frames still meet."""
    data = rounded(turned(oldham(), 1), 6)
    joints = tuple(
        replace(j, told=np.eye(4), sides=s)
        for j, s in zip(data.joints, ("both", "child", "parent", "both"), strict=True)
    )
    system = replace(data, joints=joints).compile()
    assert system.n_constraints == 2
    assert len(system.snappings) == 1
    assert np.abs(ct.constraint_residual(system, system.q0, regularized=False)).max() < 1e-13


def test_large_sheets_by_iterations(monkeypatch):
    """More unknowns than are solved for with dense matrices, and more joints than are compared in pairs."""
    from tests.constraints.test_any_ground import miura

    data = rounded(turned(miura(4), 1), 6)
    mech = data.mechanism()
    one = mech.compile()
    monkeypatch.setattr("cotree.system.exact_relations.DENSE", 10)
    monkeypatch.setattr("cotree.system.snapping.COMPARED", 10)
    other = mech.compile()
    assert one.n_constraints == other.n_constraints == 18
    assert np.abs(one.dofs["Y"] - other.dofs["Y"]).max() < 1e-5


def test_nothing_nearby(monkeypatch):
    """Relations that cannot all be fulfilled leave the joints as they are."""
    mech = perturbed(displaced(sarrus(), np.random.default_rng(0)), np.random.default_rng(0), 1e-6).mechanism()
    assembly = assemble_graph(mech, False, ())
    monkeypatch.setattr("cotree.system.exact_relations.STEPS", 0)
    assert snapped(mech, assembly, 1e-5) == (mech, ())


def exechon() -> TreeData:
    """Two legs in a plane that turns about the common axis of their universal joints, and a third leg: 3 dof, whatever the
    lengths."""
    sketch = Sketch()
    for i, side in enumerate((-1, 1)):
        A, B = np.array([0.8 * side, 0.5, 0.0]), np.array([0.35 * side, 0.3, -1.1])
        normal = np.cross(X, B - A) / np.linalg.norm(np.cross(X, B - A))
        sketch.joint(f"U{i}", "Universal", GROUND, f"lower{i}", A, X, normal)
        sketch.joint(f"P{i}", "Prismatic", f"lower{i}", f"upper{i}", (A + B) / 2, B - A)
        sketch.joint(f"R{i}", "Revolute", f"upper{i}", "platform", B, normal)
    A, B = np.array([0.0, -0.7, 0.0]), np.array([0.0, -0.2, -1.1])
    sketch.joint("S", "Spherical", GROUND, "lower", A)
    sketch.joint("P", "Prismatic", "lower", "upper", (A + B) / 2, B - A)
    sketch.joint("R", "Revolute", "upper", "platform", B, X)
    return sketch.data()


@pytest.mark.parametrize("decimals", [5, 6, 7, 12])
def test_universal_joints_with_an_axis_in_common(decimals):
    report = ct.mobility(rounded(turned(exechon(), 3), decimals).mechanism())
    assert (report.local, report.kind, report.nearly) == (3, "exceptional", 0)


@pytest.mark.parametrize("decimals", [5, 6, 7])
def test_doubt_about_mechanisms_that_move_all_the_same(decimals):
    """A fourth leg that three legs make superfluous by its dimensions: there are fewer equations than coordinates."""
    sketch = Sketch()
    for i in range(4):
        a = 0.5 * np.pi * i + 0.3
        r, t = np.array([np.cos(a), np.sin(a), 0.0]), np.array([-np.sin(a), np.cos(a), 0.0])
        sketch.joint(f"R{i}", "Revolute", GROUND, f"lower{i}", r, t)
        sketch.joint(f"S{i}", "Spherical", f"lower{i}", f"upper{i}", 1.5 * r + 0.6 * Z)
        sketch.joint(f"Q{i}", "Revolute", f"upper{i}", "platform", r + 1.2 * Z, t)
    assert ct.mobility(sketch.data().mechanism()).local == 3
    report = ct.mobility(rounded(turned(sketch.data(), 3), decimals).mechanism())
    assert (report.local, report.nearly) == (2, 1)
    assert "uncertain:" in str(report)


def orthoglide() -> TreeData:
    """Three slides with parallelograms, whose equal lengths keep the platform from turning: 3 dof."""
    sketch = Sketch()
    for i in range(3):
        e, f, g = np.eye(3)[[i, (i + 1) % 3, (i + 2) % 3]]
        near, far = -1.5 * e, -0.3 * e
        sketch.joint(f"P{i}", "Prismatic", GROUND, f"slide{i}", near - 0.2 * e, e)
        sketch.joint(f"R{i}", "Revolute", f"slide{i}", f"inner{i}", near, f)
        for side in (-0.15, 0.15):
            sketch.joint(f"near{i}{side}", "Revolute", f"inner{i}", f"rod{i}{side}", near + side * f, g)
            sketch.joint(f"far{i}{side}", "Revolute", f"rod{i}{side}", f"outer{i}", far + side * f, g)
        sketch.joint(f"Q{i}", "Revolute", f"outer{i}", "platform", far, f)
    return sketch.data()


@pytest.mark.parametrize("seed", [0, 1, 5, 6])
def test_the_doubt_of_two_kinds_adds_up(seed):
    """Equations that almost vanish, and admissible velocities that almost are motions: the truth is within what is said."""
    assert ct.mobility(orthoglide().mechanism()).local == 3
    for decimals in (4, 5, 6, 7):
        report = ct.mobility(rounded(turned(orthoglide(), seed), decimals).mechanism())
        most = report.bounds[1] if report.bounds else report.local + report.nearly
        assert report.local < 3 == most
        assert "uncertain:" in str(report)
