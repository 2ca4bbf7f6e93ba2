"""Where runs start: values by name, vectors that are moved, the mechanism's own start; and what looks like a mistake."""

import warnings

import numpy as np
import pytest

import cotree as ct
from cotree.constraints.initial_state import own_start
from cotree.errors import AssemblyError, MotionError, RunWarning, ShapeError, UnknownNameError, UntrustedRunError
from cotree.kinematics.other_coordinates import carried_configuration, carried_velocity
from tests.constraints.test_named_coordinates import geared
from tests.model.builders import four_bar, refused

Z = (0, 0, 1)


def noted(*args, **options):
    """(run, kinds of what was noted); nothing else may warn."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        run = ct.simulate(*args, **options)
    assert [str(w.message) for w in seen] == [str(w) for w in run.noted]
    return run, [w.kind for w in run.noted]


def arm():
    mech = ct.Mechanism("arm", gravity=(0, -9.81, 0))
    mech.body("upper", 1, (0.5, 0, 0), (0.1, 0.1, 0.1))
    mech.body("lower", 1, (1.5, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("shoulder", "ground", "upper", ct.Revolute((0, 0, 0), Z))
    mech.joint("elbow", "upper", "lower", ct.Revolute((1, 0, 0), Z))
    return mech


def tilted():
    """A four-bar whose last axis is not parallel to the others."""
    mech = four_bar()
    joint = mech.joints["D"].joint
    del mech.joints["D"]
    mech.joint("D", "ground", "rocker", ct.Revolute(joint.point, (0, 0.1, 1)))
    return mech


def uneven(ratio):
    """A four-bar whose rocker is lighter than its coupler by the ratio."""
    mech = ct.Mechanism("uneven", gravity=(0, -9.81, 0))
    for name, mass, com in (
        ("crank", 1.0, (0.3, 0.4, 0)),
        ("coupler", 1.0, (1.5, 1.1, 0)),
        ("rocker", 1 / ratio, (2.45, 0.7, 0)),
    ):
        mech.body(name, mass, com, (0.2 * mass,) * 3)
    for name, a, b, point in (
        ("A", "ground", "crank", (0, 0, 0)), ("B", "crank", "coupler", (0.6, 0.8, 0)),
        ("C", "coupler", "rocker", (2.4, 1.4, 0)), ("D", "ground", "rocker", (2.5, 0, 0)),
    ):  # fmt: skip
        mech.joint(name, a, b, ct.Revolute(point, Z))
    return mech


# -- by name -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"cut": ["A"]}, {"coordinates": "absolute"}])
def test_names_hold_exactly(options):
    system = four_bar().compile(**options)
    run, kinds = noted(system, 0.01, q={"A": 0.4}, v={"A": 1.5}, output=2)
    assert kinds == []
    C = ct.poses(system, run.q[0])[system.row_of("crank")]
    assert np.arctan2(C[1, 0], C[0, 0]) == pytest.approx(0.4, abs=1e-12)
    assert ct.twists(system, run.q[0], run.v[0], "spatial")[system.row_of("crank")][2] == pytest.approx(1.5, abs=1e-12)
    assert run.violation[0] < 1e-12
    assert run.velocity_violation[0] < 1e-12


def test_names_keep_the_branch():
    """A crank led round to 3 rad from the reference, and back, has the loop on its branch."""
    mech = ct.gallery.slider_crank()
    system = mech.compile()
    name = system.q_names[0]
    far = ct.simulate(mech, 0.01, q={name: 3.0}, v={}, output=2).q[0]
    assert far[0] == 3.0
    mech.q_start = far
    back = ct.simulate(mech, 0.01, q={name: 0.0}, v={}, output=2).q[0]
    np.testing.assert_allclose(back, system.q0, atol=1e-9)


@pytest.mark.parametrize(
    ("state", "error", "words"),
    [
        ({"q": {"A": 1.47}}, AssemblyError, "cut at joint 'C' cannot be closed with 'A' held: a gap of"),
        ({"v": {"A": 1.0, "D": 7.0}}, AssemblyError, "with 'A', 'D' held"),
        ({"q": {"E": 0.1}}, UnknownNameError, "no coordinate 'E'"),
        ({"v": {"E": 0.1}}, UnknownNameError, "no coordinate 'E'"),
    ],
)
def test_names_that_cannot_be_had(state, error, words):
    with pytest.raises(error, match=words):
        ct.simulate(four_bar(), 0.1, **state)


# -- vectors -----------------------------------------------------------------------------------------------------


def test_what_was_changed_is_kept_and_the_rest_told():
    run, kinds = noted(four_bar(), 0.01, q=[0.5, 0, 0], v=[141.37, 0, 0], output=2)
    assert run.q[0][0] == 0.5
    assert run.v[0][0] == 141.37
    assert kinds == ["start", "start"]
    assert "q of 'B' was given as 0 and is -0.64" in str(run.noted[0])
    assert "q={'A': 0.5}" in str(run.noted[0])
    assert "v={'A': 141.37}" in str(run.noted[1])
    with pytest.raises(UntrustedRunError, match="the start was moved"):
        ct.simulate(four_bar(), 0.01, q=[0.5, 0, 0]).trusted()


def test_geared_rotors():
    run, kinds = noted(geared(1e4), 0.001, q=[0.5, 0], output=2)
    np.testing.assert_allclose(run.q[0], [0.5, 5000.0], rtol=1e-14)
    assert kinds == ["start"]


def test_what_contradicts_itself_is_moved_and_told():
    run, kinds = noted(four_bar(), 0.01, q=[0.5, 0.1, 0.3], v=[1.0, 1.0, 1.0], output=2)
    assert kinds == ["start", "start"]
    assert "(3 of 3 entries changed)" in str(run.noted[0])
    assert run.violation[0] < 1e-12


def test_rounded_states_are_not_worth_a_word():
    """Six digits, as printed; and what was not asked for at all."""
    system = four_bar().compile()
    q = ct.assemble(system, {"A": 0.4})
    v = ct.consistent_velocity(system, q, {"A": 1.5})
    assert noted(system, 0.01, q=np.round(q, 6), v=np.round(v, 6))[1] == []
    driven = four_bar()
    driven.drive("d", "A", lambda t: 0.3 + t)
    run, kinds = noted(driven, 0.01)
    assert kinds == []
    assert run.q[0][0] == pytest.approx(0.3)
    assert noted(driven, 0.01, q=np.zeros(3))[1] == ["start"]


@pytest.mark.parametrize("name", [n for n in ct.gallery.__all__ if n not in ("satellite", "clavel_robot", "delta")])
def test_mechanisms_of_the_gallery_start_without_a_word(name):
    mech = getattr(ct.gallery, name)()
    assert noted(mech, 1e-4, output=2)[1] == []


# -- the start of a mechanism ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["heavy_top", "planar_3r", "slider_crank", "three_bar", "floating_bodies", "bicycle"])
@pytest.mark.parametrize(
    "options", [{}, {"coordinates": "absolute"}, {"coordinates": "absolute", "group": "SO3xR3"}, {"group": "SO3xR3"}]
)
def test_a_system_starts_as_its_mechanism(name, options):
    mech = getattr(ct.gallery, name)()
    own, system = mech.compile(), mech.compile(**options)
    a, b = own_start(own), own_start(system)
    assert a[2] == b[2] == ""
    q = ct.assemble(own, a[0])
    v = ct.consistent_velocity(own, q, a[1])
    for one, other in (
        (ct.poses(own, q), ct.poses(system, b[0])),
        (ct.twists(own, q, v), ct.twists(system, b[0], b[1])),
    ):
        for body in own.body_names:
            np.testing.assert_allclose(one[own.row_of(body)], other[system.row_of(body)], atol=1e-9)
    assert np.abs(v).max() + np.abs(q - own.q0).max() > 0.01


def test_runs_of_mechanism_and_system_are_one():
    mech = ct.gallery.heavy_top()
    np.testing.assert_array_equal(ct.simulate(mech, 0.01).v, ct.simulate(mech.compile(), 0.01).v)
    system = mech.compile()
    mech.v_start = np.zeros(3)  # later changes are not the system's
    assert np.abs(ct.simulate(system, 0.01).v[0]).max() > 10


def test_turns_are_carried_over():
    """A joint in both trees keeps its turns; one that was cut is found."""
    mech = four_bar()
    own, other = mech.compile(), mech.compile(cut=["B"])
    q = ct.assemble(own, {"A": 0.3}) + np.array([2 * np.pi, 0, 0])
    x = carried_configuration(other, own, q)
    assert x[other.q_index("A")] == pytest.approx(0.3 + 2 * np.pi, abs=1e-12)
    np.testing.assert_allclose(
        ct.poses(other, x)[other.row_of("coupler")], ct.poses(own, q)[own.row_of("coupler")], atol=1e-12
    )


def test_starts_that_cannot_be_carried_over():
    mech, plane = ct.Mechanism("one"), ct.Mechanism("two")
    for m, joint in ((mech, ct.Free()), (plane, ct.Planar())):
        m.body("b", 1, (0, 0, 0), (1, 1, 1))
        m.joint("j", "ground", "b", joint)
    free, flat = mech.compile(), plane.compile()
    with pytest.raises(MotionError, match=r"cannot be expressed in these coordinates; residual 0\.3"):
        carried_configuration(flat, free, np.array([1.0, 0, 0, 0, 0, 0, 0.3]))
    with pytest.raises(MotionError, match="velocities of 'one' cannot be expressed"):
        carried_velocity(flat, flat.q0, free, free.q0, np.array([1.0, 0, 0, 0, 0, 0]))
    bar = four_bar()
    bar.q_start = np.array([9.0, 9.0])
    run, kinds = noted(bar.compile("absolute"), 0.01)
    assert kinds == ["start"]
    assert "could not be expressed in these coordinates" in str(run.noted[0])
    with pytest.raises(ShapeError):
        ct.simulate(bar, 0.01)


# -- what looks like a mistake -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("ratio", "formulation", "expected"), [
    (1e9, "odca", []), (1e11, "odca", ["accuracy"]), (1e12, "index1", []), (1e14, "index1", ["accuracy"]),
])  # fmt: skip
def test_masses_of_a_loop_that_are_far_apart(ratio, formulation, expected):
    """Divide and conquer fails or goes elsewhere in a four-bar with a ratio of 1e12, the others at 1e18."""
    run, kinds = noted(uneven(ratio), 1e-4, formulation=formulation)
    assert kinds == expected
    assert all("'rocker'" in str(w) and "'crank'" in str(w) for w in run.noted)


def test_masses_outside_loops_may_be_far_apart():
    mech = uneven(1.0)
    mech.body("dust", 1e-14, (0.5, 0, 0), (1e-15,) * 3)
    mech.joint("E", "crank", "dust", ct.Revolute((0, 0, 0), Z))
    mech.body("frame without mass", 0.0, (0, 0, 0), (0, 0, 0))
    mech.joint("F", "ground", "frame without mass", ct.Weld())
    assert noted(mech, 1e-4)[1] == []


@pytest.mark.parametrize("q", [(1e200, 0, 0), (0, 1e200, 0), (0, -2e12, 0)])
def test_angles_that_numbers_do_not_resolve(q):
    with pytest.raises(MotionError, match="too coarse to follow a motion"):
        ct.simulate(four_bar(), 1.0, q=q)


def test_nothing_can_move():
    run, kinds = noted(tilted(), 0.1)
    assert kinds == ["freedom"]
    assert "has 0 degrees of freedom at the start (3 coordinates" in str(run.noted[0])
    welded = ct.Mechanism("welded")
    welded.body("b", 1, (0, 0, 0), (1, 1, 1))
    welded.joint("w", "ground", "b", ct.Weld())
    assert noted(welded, 0.1)[1] == ["freedom"]


def test_what_is_driven_need_not_be_free():
    mech = four_bar()
    mech.drive("d", "A", lambda t: 0.1 * t)
    assert noted(mech, 0.1)[1] == []
    mech = arm()
    mech.constraint("rows", lambda q: np.eye(2), lambda q: q, rows=2)
    assert noted(mech, 0.1)[1] == []


def test_degrees():
    assert noted(arm(), 0.01, q=[90, 0])[1] == ["input"]
    run, kinds = noted(arm(), 0.01, q={"elbow": -45})
    assert kinds == ["input"]
    assert "q of 'elbow' is -45 rad at the start, which looks like degrees; np.radians(-45) is -0.7854" in str(
        run.noted[0]
    )
    for limits in ((-90, 90), (0, 120), (None, 180)):
        mech = arm()
        mech.limit("elbow", *limits)
        assert noted(mech, 0.01)[1] == ["input"]


@pytest.mark.parametrize("q", [[141.37, 0], [12.0, -3.0], [2 * np.pi * 5, 0], [1000.0, 0]])
def test_angles_that_are_no_degrees(q):
    mech = arm()
    mech.limit("shoulder", -2e3, 2e3)
    mech.limit("elbow", -8.0, 90.0)
    assert noted(mech, 0.01, q=q)[1] == []


def test_geared_angles_are_no_degrees():
    assert noted(geared(100.0), 0.001, q=[0.5, 50.0])[1] == []


@pytest.mark.parametrize(
    "use", [lambda m: m.lock("C", at=9.0), lambda m: m.brake("C", 1e-9), lambda m: m.limit("C", -3, 3)]
)
def test_stops_do_not_change_the_places_of_coordinates(use):
    """A PD on D by its place does the same with a device on C that never acts."""
    ends = []
    for with_it in (False, True):
        mech = four_bar()
        i = mech.compile().v_index("D")
        mech.motor("hold D", "D", lambda q, v, i=i: -50 * q[i] - 5 * v[i])
        if with_it:
            use(mech)
        run, kinds = noted(mech, 0.2, output=2)
        assert kinds == []
        ends.append(run.q[-1])
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-6)


def test_coordinates_that_changed_places():
    """Seen before in another order; or never seen, and decided by what has no function. Looked up again, all is well."""
    mech = four_bar()
    i = mech.compile().v_index("D")
    mech.motor("hold D", "D", lambda q, v: -50 * q[i] - 5 * v[i])
    mech.joint_damper("c", "C", 1e-9)
    for _ in range(2):
        run, kinds = noted(mech, 0.01)
        assert kinds == ["input"]
    assert "are A, D, C and were A, B, D when this mechanism was compiled before: make sure that motor 'hold D'" in str(
        run.noted[0]
    )
    with pytest.warns(ct.errors.ModelWarning, match="were A, B, D"):
        i = mech.compile().v_index("D")
    assert noted(mech, 0.01)[1] == []
    unseen = four_bar()
    unseen.motor("hold D", "D", lambda q, v: -50 * q[2] - 5 * v[2])
    assert noted(unseen, 0.01)[1] == []
    unseen.joint_damper("c", "C", 1e-9)
    run, kinds = noted(unseen, 0.01)
    assert kinds == ["input"]
    assert "would be different without the springs" in str(run.noted[0])
    unseen.compile()
    assert noted(unseen, 0.01)[1] == []


def test_warnings_are_of_their_kind():
    with pytest.warns(RunWarning, match="the start was moved"):
        ct.simulate(four_bar(), 0.01, q=[0.5, 0, 0])


# -- output ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "times"),
    [
        (0.25, [1, 1.25, 1.5, 1.75, 2]),
        (np.float64(0.4), [1, 1.4, 1.8, 2]),
        (1.0, [1, 2]),
        (np.array(0.5), [1, 1.5, 2]),
        ([1.5], [1.5]),
    ],
)  # fmt: skip
def test_a_period_of_output(output, times):
    assert ct.simulate(arm(), (1.0, 2.0), output=output).t == pytest.approx(times, abs=1e-12)


def test_rounding_adds_no_row():
    t = ct.simulate(arm(), 0.3, output=0.1).t
    assert t == pytest.approx([0, 0.1, 0.2, 0.3], abs=1e-12)
    assert t[-1] == 0.3


@pytest.mark.parametrize("output", [3.0, 0.0, -0.1, 201.0, 1e-12, np.nan])
def test_bad_periods(output):
    with pytest.raises(ShapeError, match="output is"):
        ct.simulate(arm(), 2.0, output=output)


@pytest.mark.parametrize("value", [{"A": 0.5}, "x", [[0.0, 0.0, 0.0]], [None, 0.0, 0.0]])
@pytest.mark.parametrize("which", ["q_start", "v_start"])
def test_a_start_of_its_own_is_a_vector(tmp_path, which, value):
    mech = ct.gallery.four_bar()
    setattr(mech, which, value)
    with refused(
        ShapeError, f"{which} is ", "a vector with one number per coordinate", f"{which[0]}={{'joint': value}}"
    ):
        mech.compile()
    with refused(ShapeError, f"{which} is "):
        ct.save(mech, tmp_path / "a.json")
