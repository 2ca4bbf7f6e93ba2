"""Maps of singular configurations, compared with those known by hand."""

import warnings

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ShapeError, StudyWarning
from tests.closed_mechanisms import Z, four_bar, single_loop


def parallelogram() -> ct.System:
    return single_loop([("Revolute", p, Z) for p in ((0, 0, 0), (0, 1, 0), (2, 1, 0), (2, 0, 0))]).compile()


def five_bar() -> ct.System:
    points = [(0, 0, 0), (-0.5, 1, 0), (0.6, 1.9, 0), (1.6, 1, 0), (1.2, 0, 0)]
    return single_loop([("Revolute", p, Z) for p in points]).compile(cut=["j2"])


def test_flat_parallelogram_is_a_singularity_of_the_loop():
    found = ct.singularities(parallelogram(), {"j0": np.linspace(-2.5, 2.5, 20)})
    assert [s.kind for s in found.found] == ["loops", "loops"]
    assert np.allclose([s.at["j0"] for s in found.found], [-0.5 * np.pi, 0.5 * np.pi], atol=1e-6)
    assert np.allclose(found.distance, np.abs(np.abs(found.values[0]) - 0.5 * np.pi), atol=1e-6)
    assert "loops at j0 = 1.5708" in str(found)
    ends = found.q[[0, -1]]
    assert np.allclose(ends[:, 0] + ends[:, 1], 0.0), "it stays a parallelogram where branches cross"


def test_limit_of_a_rocker_is_a_singularity_of_the_actuation():
    """Driven at its rocker, a four-bar stops where crank and coupler are in line."""
    system = four_bar().compile()
    found = ct.singularities(system, {"j3": np.linspace(-0.5, 0.5, 12)})
    (one,) = found.found
    assert one.kind == "actuation"
    assert set(one.moves) == {"j0", "j1"}
    P = ct.poses(system, one.q)
    points = {name: (P[system.row_of(b)] @ (*p, 1.0))[:2] for name, b, p in
              (("B", "b0", (0.6, 0.8, 0)), ("C", "b1", (2.4, 1.4, 0)))}  # fmt: skip
    assert abs(points["B"][0] * points["C"][1] - points["B"][1] * points["C"][0]) < 1e-4
    assert np.isnan(found.actuation[-1])
    assert np.all(found.loops[np.isfinite(found.loops)] > 0.1)


def test_along_a_run():
    system = parallelogram()
    run = ct.simulate(system, 0.7, v={"j0": 3.0}, output=31)
    found = ct.singularities(system, run, actuators="j0")
    at = [s.at["t"] for s in found.found if s.kind == "loops"]
    i = system.q_index("j0")
    assert at
    assert np.allclose(np.abs(np.interp(at, run.t, run.q[:, i])), 0.5 * np.pi, atol=1e-3)
    assert np.allclose([abs(s.q[i]) for s in found.found], 0.5 * np.pi, atol=1e-4)
    crossings = [c.t for c in run.crossings]
    assert np.allclose(at[: len(crossings)], crossings, atol=1e-4)


def test_map_of_a_five_bar(tmp_path):
    """Two cranks; where the two links between them are in line the actuation is singular."""
    system = five_bar()
    grid = {"j0": np.linspace(0.0, 0.8, 4), "j4": np.linspace(0.0, 0.8, 4)}
    found = ct.singularities(system, grid)
    assert found.loops.shape == found.distance.shape == (4, 4)
    assert {s.kind for s in found.found} == {"actuation"}
    for s in found.found:
        P = ct.poses(system, s.q)
        B, C, D = (
            (P[system.row_of(b)] @ (*p, 1.0))[:2]
            for b, p in (("b0", (-0.5, 1, 0)), ("b1", (0.6, 1.9, 0)), ("b3", (1.6, 1, 0)))
        )
        assert abs(np.linalg.det([C - B, D - C])) < 0.05
    picture = tmp_path / "map.png"
    found.plot(picture)
    assert picture.stat().st_size > 5000


def test_picture_of_curves(tmp_path):
    found = ct.singularities(four_bar().compile(), {"j0": np.linspace(-0.2, 0.2, 3)})
    assert found.found == ()
    assert np.all(np.isinf(found.distance))
    found.plot(tmp_path / "curves.png")
    assert (tmp_path / "curves.png").exists()


def test_drives_are_actuators():
    """A driven coordinate is an input of the map along a run, not a constraint."""
    mech = four_bar().mechanism()
    mech.drive("turn", "j0", lambda t: 0.3 * t)
    run = ct.simulate(mech, 0.5, output=5)
    found = ct.singularities(run.system, run)
    assert found.actuators == ("j0",)
    assert np.all(found.actuation > 0.1)


def test_what_is_refused():
    system = four_bar().compile()
    for along in (3, {}, {"j0": [1.0, 2.0, 3.0], "j1": [1.0, 2.0, 3.0], "j3": [1.0, 2.0, 3.0]}):
        with pytest.raises(ct.errors.ArgumentError, match="along"):
            ct.singularities(system, along)
    for values in ([0.0, 1.0], [0.0, 0.0, 1.0], "x"):
        with pytest.raises(ct.errors.ShapeError, match="ascending"):
            ct.singularities(system, {"j0": values})
    with pytest.raises(ct.errors.ShapeError, match="at most"):
        ct.singularities(system, {"j0": np.linspace(0, 1, 300), "j3": np.linspace(0, 1, 300)})
    run = ct.simulate(parallelogram().mechanism.compile(coordinates="absolute"), 0.01, output=2)
    with pytest.raises(ct.errors.ArgumentError, match="another system"):
        ct.singularities(system, run)


def test_actuators_that_are_none():
    with pytest.raises(ct.errors.ArgumentError, match=r"actuators is set\(\); name one that is driven"):
        ct.singularities(ct.gallery.four_bar(), {"A": np.linspace(-0.5, 0.5, 5)}, actuators=set())


Y = (0.0, 1.0, 0.0)


def cylinder(mech: ct.Mechanism, name: str, a: str, E, b: str, P, joint=ct.Prismatic) -> None:
    """Barrel on body a at E, rod on body b at P, and the stroke between them, which may be a screw."""
    E, P = np.asarray(E, dtype=float), np.asarray(P, dtype=float)
    d = P - E
    mech.body(f"{name} barrel", shape=ct.Rod(E, E + 0.5 * d, 0.01), density=2700)
    mech.body(f"{name} rod", shape=ct.Rod(E + 0.4 * d, P, 0.01), density=2700)
    mech.joint(f"{name} foot", a, f"{name} barrel", ct.Revolute(E, Y))
    if joint is ct.Helical:
        mech.joint(name, f"{name} barrel", f"{name} rod", ct.Helical(E, d, pitch=0.002))
        mech.joint(f"{name} eye", f"{name} rod", b, ct.Spherical(P))
    else:
        mech.joint(name, f"{name} barrel", f"{name} rod", ct.Prismatic(axis=d, point=E))
        mech.joint(f"{name} eye", f"{name} rod", b, ct.Revolute(P, Y))


def lever(joint=ct.Prismatic) -> ct.Mechanism:
    """A lever of 1 m on a cylinder: dead where it points away from the foot, at lever = -pi / 2 and the longest stroke."""
    mech = ct.Mechanism("lever")
    mech.body("lever", shape=ct.Rod((0, 0, 0), (0, 0, 1.0), 0.01), density=2700)
    mech.joint("lever", "ground", "lever", ct.Revolute((0, 0, 0), Y))
    cylinder(mech, "stroke", "ground", (1.5, 0, 0), "lever", (0, 0, 1.0), joint)
    return mech


def excavator() -> ct.Mechanism:
    """Boom and arm in the plane y = 0, each on a cylinder; both reference assemblies are away from dead centres."""
    mech = ct.Mechanism("excavator")
    mech.body("boom", shape=ct.Rod((0, 0, 0), (2, 0, 0), 0.02), density=2700)
    mech.body("arm", shape=ct.Rod((2, 0, 0), (2, 0, -1), 0.02), density=2700)
    mech.joint("boom", "ground", "boom", ct.Revolute((0, 0, 0), Y))
    mech.joint("arm", "boom", "arm", ct.Revolute((2, 0, 0), Y))
    cylinder(mech, "lift", "ground", (0.3, 0, -0.6), "boom", (1, 0, 0.1))
    cylinder(mech, "crowd", "boom", (1, 0, 0.3), "arm", (2, 0, 0.4))
    return mech


CUTS = [{"cut": ["stroke eye"]}, {"cut": ["stroke"]}, {}, {"coordinates": "absolute"}]


@pytest.mark.parametrize("how", CUTS, ids=str)
@pytest.mark.parametrize("joint", [ct.Prismatic, ct.Helical])
def test_dead_centres_do_not_depend_on_the_cut(how, joint):
    """A cylinder or a screw on a lever, its own joint cut or not; also where a body is called like the joint of the grid."""
    system = lever(joint).compile(**how)
    found = ct.singularities(system, {"lever": np.linspace(-2.6, 1.0, 13)}, actuators=["stroke"])
    (dead,) = found.found
    assert dead.kind == "actuation"
    assert dead.at["lever"] == pytest.approx(-0.5 * np.pi, abs=1e-6)
    assert found.not_judged == ""
    assert "not judged" not in str(found)


@pytest.mark.parametrize("how", CUTS, ids=str)
def test_longest_stroke_over_the_stroke_itself(how):
    found = ct.singularities(lever().compile(**how), {"stroke": np.linspace(-0.2, 0.8, 11)})
    assert [s.at["stroke"] for s in found.found] == pytest.approx([2.5 - np.hypot(1.5, 1.0)], abs=1e-6)


@pytest.mark.parametrize(
    "how", [{}, {"cut": ["lift", "crowd"]}, {"cut": ["lift", "crowd eye"]}, {"cut": ["lift eye", "crowd foot"]},
            {"coordinates": "absolute"}], ids=str)  # fmt: skip
def test_several_cylinders_some_of_them_cut(how):
    """The arm is dead where its lug, its pivot and the foot of its cylinder are in line."""
    system = excavator().compile(**how)
    foot, pivot, lug = np.array((1, 0.3)), np.array((2, 0.0)), np.array((2, 0.4))
    angle = np.arctan2(*(pivot - foot)[::-1]) - np.arctan2(*(lug - pivot)[::-1])  # turn about y that lines them up
    dead = -angle  # positive turns about y go from z to x
    found = ct.singularities(system, {"arm": np.linspace(dead - 0.9, dead + 0.8, 12)}, actuators=["lift", "crowd"])
    assert [s.kind for s in found.found] == ["actuation"]
    assert found.found[0].at["arm"] == pytest.approx(dead, abs=1e-6)


def test_a_second_cylinder_carries_the_lever_over_the_dead_centre():
    """More actuators than degrees of freedom, both cut: singular only where both are."""
    mech = lever()
    cylinder(mech, "helper", "ground", (0.9, 0, 1.2), "lever", (0.8, 0, 0))
    system = mech.compile(cut=["stroke", "helper"])
    found = ct.singularities(system, {"lever": np.linspace(-2.0, -0.5, 9)}, actuators=["stroke", "helper"])
    assert found.found == ()
    assert np.nanmin(found.actuation) > 0.05
    assert np.isinf(found.distance).all()


@pytest.mark.parametrize("how", [{}, {"cut": ["j3"]}, {"cut": ["j0"]}, {"coordinates": "absolute"}], ids=str)
def test_a_revolute_actuator_that_is_cut(how):
    """Driven at the rocker, the four-bar is dead where crank and coupler are in line: by the cosine rule."""
    system = four_bar().mechanism().compile(**how)
    found = ct.singularities(system, {"j0": np.linspace(-0.9, 0.3, 13)}, actuators=["j3"])
    reach, rocker, base = 1.0 + np.hypot(1.8, 0.6), np.hypot(0.1, 1.4), 2.5
    dead = np.arccos((base**2 + reach**2 - rocker**2) / (2 * base * reach)) - np.arctan2(0.8, 0.6)
    assert [s.at["j0"] for s in found.found] == pytest.approx([dead], abs=1e-6)


def test_motors_and_drives_of_cut_joints_are_actuators_along_a_run():
    mech = lever()
    mech.motor("pump", "stroke", 10.0)
    run = ct.simulate(mech.compile(cut=["stroke"]), 0.02, output=3)
    assert ct.singularities(run.system, run).actuators == ("stroke",)
    ball = ct.Mechanism("ball")
    ball.body("b", shape=ct.Sphere((0, 0, -1), 0.1), density=1000)
    ball.joint("S", "ground", "b", ct.Spherical((0, 0, 0)))
    ball.motor("m", "S", 1.0, coordinate="wx")
    run = ct.simulate(ball, 0.02, output=3)
    with pytest.warns(StudyWarning, match=r"fewer actuators \('S.wx'\) than degrees of freedom \(3\)"):
        assert ct.singularities(run.system, run).actuators == ("S.wx",)


def test_what_is_not_judged_is_said(tmp_path):
    """Fewer actuators than degrees of freedom: no verdict, in the warning, in print, in the picture and in the distances."""
    grid = {"A1": np.linspace(-0.4, 0.4, 5)}
    with pytest.warns(StudyWarning, match="not judged: fewer actuators .'A1'. than degrees of freedom .2.; name 2|A1"):
        found = ct.singularities(ct.gallery.five_bar(), grid)
    assert np.isnan(found.actuation).all()
    assert np.isnan(found.distance).all()
    assert "0 singular configurations of the loops" in str(found)
    assert "actuation not judged: fewer actuators ('A1') than degrees of freedom (2)" in str(found)
    figure = found.plot(tmp_path / "curves.png")
    assert "not judged" in figure.get_suptitle()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        judged = ct.singularities(ct.gallery.five_bar(), grid, actuators=["A1", "A2"])
    assert np.isfinite(judged.actuation).all()
    assert "not judged" not in str(judged)
    assert "not judged" not in judged.plot().get_suptitle()


def test_no_degree_of_freedom_is_said():
    rigid = single_loop([("Revolute", p, Z) for p in ((0, 0, 0), (0, 1, 0), (2, 1, 0))])
    with pytest.warns(StudyWarning, match="no degrees of freedom"):
        found = ct.singularities(rigid.compile(), {"j0": np.linspace(-0.1, 0.1, 3)})
    assert "actuation not judged: the mechanism has no degrees of freedom" in str(found)


def test_actuators_that_never_hold_the_mechanism_are_said():
    """Two swings; both actuators on one of them, through a gear."""
    mech = ct.Mechanism("swings")
    for name, x in (("a", 0.0), ("b", 1.0), ("c", 2.0)):
        mech.body(name, shape=ct.Rod((x, 0, 0), (x, 0, -1), 0.01), density=1000)
        mech.joint(name, "ground", name, ct.Revolute((x, 0, 0), Y))
    mech.gear("pair", "a", "b", 2.0)
    with pytest.warns(StudyWarning, match="with the actuators 'a', 'b' the mechanism can move in every configuration"):
        found = ct.singularities(mech, {"a": np.linspace(-1, 1, 5)}, actuators=["a", "b"])
    assert found.found == ()
    assert np.isnan(found.distance).all()


def test_one_number_is_not_a_value_of_a_joint_with_several_coordinates():
    """It was ignored."""
    ball = ct.Mechanism("ball")
    ball.body("b", shape=ct.Sphere((0, 0, -1), 0.1), density=1000)
    ball.joint("S", "ground", "b", ct.Spherical((0, 0, 0)))
    with pytest.raises(ShapeError, match=r"q\['S'\] of system 'ball' is 0.3; give 4 numbers"):
        ct.assemble(ball.compile(), {"S": 0.3})


def test_a_body_called_like_a_cut_joint_does_not_take_its_value():
    """In absolute coordinates the coordinates of a body begin with its name."""
    system = lever().compile(coordinates="absolute")
    q = ct.assemble(system, {"lever": 0.3})
    R = ct.poses(system, q)[system.row_of("lever")][:3, :3]
    assert np.arctan2(R[0, 2], R[0, 0]) == pytest.approx(0.3, abs=1e-12)
    v = ct.consistent_velocity(system, q, {"lever": 0.5})
    assert v[system.v_index("lever.wy")] == pytest.approx(0.5, abs=1e-12)
