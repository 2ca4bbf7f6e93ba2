"""Springs, loads, joint forces and force functions that are refused."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import (
    DuplicateNameError,
    ForceError,
    ForeignBodyError,
    ModelError,
    NotFiniteError,
    ShapeError,
    UnknownNameError,
)

from .builders import NUMBERS_THAT_ARE_NONE, four_bar, pendulum, refused, spoiled

HERE, THERE = (0, 0, 0), (1, 0, 0)
MAKERS = {
    "spring": lambda m, name: m.spring(name, "crank", HERE, "rocker", THERE, 10),
    "force": lambda m, name: m.force(name, "crank", (1, 0, 0)),
    "torque": lambda m, name: m.torque(name, "crank", (1, 0, 0)),
    "joint spring": lambda m, name: m.joint_spring(name, "A", 10),
    "joint damper": lambda m, name: m.joint_damper(name, "A", 10),
    "motor": lambda m, name: m.motor(name, "A", 10),
}


@pytest.fixture
def mech():
    return four_bar()


@pytest.fixture
def catalogue():
    """A body on each of a weld, a ball and a universal joint."""
    mech = ct.Mechanism("three")
    for k, (name, joint) in enumerate({"fixed": ct.Weld(), "ball": ct.Spherical(), "cross": ct.Universal()}.items()):
        mech.body(f"b{k}", 1, (k, 0, 0), (1, 1, 1))
        mech.joint(name, "ground", f"b{k}", joint)
    return mech


# -- names ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("second", MAKERS)
@pytest.mark.parametrize("first", MAKERS)
def test_a_name_is_given_once_among_all_forces(mech, first, second):
    MAKERS[first](mech, "push")
    with refused(DuplicateNameError, second, "'push'"):
        MAKERS[second](mech, "push")


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("name", ["", None, 7])
def test_names_are_strings(mech, kind, name):
    with refused(ModelError, f"name of a {kind}", repr(name)):
        MAKERS[kind](mech, name)


def test_unknown_bodies(mech):
    for make in (
        lambda: mech.spring("push", "cranc", HERE, "rocker", THERE, 1),
        lambda: mech.spring("push", "rocker", HERE, "cranc", THERE, 1),
        lambda: mech.force("push", "cranc", (1, 0, 0)),
        lambda: mech.torque("push", "cranc", (1, 0, 0)),
    ):
        with refused(UnknownNameError, "'push'", "'cranc'", "did you mean 'crank'?"):
            make()


@pytest.mark.parametrize("method", ["joint_spring", "joint_damper", "motor"])
def test_unknown_joints(mech, method):
    with refused(UnknownNameError, "'push'", "'a'", "there are 'A', 'B', 'C', 'D'"):
        getattr(mech, method)("push", "a", 1.0)
    for no_joint in (None, 1, ["A"]):
        with refused(UnknownNameError, "'push'", repr(no_joint)):
            getattr(mech, method)("push", no_joint, 1.0)


def test_no_joints_at_all():
    with refused(UnknownNameError, "'push'", "it has none"):
        ct.Mechanism("empty").motor("push", "A", 1.0)


def test_parts_of_another_mechanism(mech):
    other = four_bar()
    with refused(ForeignBodyError, "'push'", "'crank'", "another mechanism"):
        mech.force("push", other.bodies["crank"], (1, 0, 0))
    with refused(ForeignBodyError, "'push'", "'A'", "another mechanism"):
        mech.motor("push", other.joints["A"], 1.0)


# -- where they act ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["force", "torque"])
def test_nothing_pushes_ground(mech, method):
    for ground in ("ground", mech.ground):
        with refused(ForceError, "'push'", "has no effect"):
            getattr(mech, method)("push", ground, (1, 0, 0))


@pytest.mark.parametrize("method", ["force", "torque"])
@pytest.mark.parametrize("frame", ["local", None, "World"])
def test_unknown_axes(mech, method, frame):
    with refused(ForceError, "'push'", repr(frame), "one of 'world', 'body'"):
        getattr(mech, method)("push", "crank", (1, 0, 0), frame=frame)


@pytest.mark.parametrize("body", ["crank", "ground"])
def test_a_spring_between_a_body_and_itself(mech, body):
    with refused(ForceError, "'push'", f"'{body}'", "two different bodies"):
        mech.spring("push", body, HERE, body, THERE, 1)


def test_a_negative_length(mech):
    with refused(ForceError, "'push'", "length", "negative"):
        mech.spring("push", "crank", HERE, "rocker", THERE, 1, length=-0.1)


@pytest.mark.parametrize("method", ["joint_spring", "joint_damper", "motor"])
def test_a_weld_has_no_coordinate(catalogue, method):
    with refused(ForceError, "'push'", "'fixed'", "weld"):
        getattr(catalogue, method)("push", "fixed", 1.0)


@pytest.mark.parametrize("method", ["joint_spring", "joint_damper", "motor"])
@pytest.mark.parametrize("coordinate", [None, "wq", "ball.wx", 1])
def test_one_of_several_coordinates_must_be_chosen(catalogue, method, coordinate):
    with refused(ForceError, "'push'", "'ball'", "'wx', 'wy', 'wz'"):
        getattr(catalogue, method)("push", "ball", 1.0, coordinate=coordinate)
    with refused(ForceError, "'push'", "'cross'", "'w1', 'w2'"):
        getattr(catalogue, method)("push", "cross", 1.0, coordinate=coordinate)


@pytest.mark.parametrize("method", ["joint_spring", "joint_damper", "motor"])
def test_a_single_coordinate_is_not_chosen(mech, method):
    with refused(ForceError, "'push'", "'A'", "one coordinate only"):
        getattr(mech, method)("push", "A", 1.0, coordinate="wz")


def test_a_joint_with_a_torsion_spring_is_not_cut_unasked(mech):
    mech.joint_spring("push", "C", 1.0)
    assert mech.compile().cut_joints == ("B",)
    assert mech.compile(cut=["C"]).cut_joints == ("C",)


@pytest.mark.parametrize("method", ["joint_damper", "motor"])
def test_a_cut_joint_may_have_a_motor(mech, method):
    getattr(mech, method)("push", "C", 1.0)
    assert mech.compile(cut=["C"]).cut_joints == ("C",)


def test_a_spring_needs_a_coordinate_and_not_a_velocity(catalogue):
    catalogue.joint_spring("push", "ball", 1.0, coordinate="wx")
    with refused(ForceError, "'push'", "'ball.wx'", "coordinates='second'"):
        catalogue.compile()


# -- numbers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", NUMBERS_THAT_ARE_NONE)
def test_no_nan_or_infinity_in_a_force(mech, bad):
    vector = spoiled(np.zeros(3), 1, bad)
    for make, what in [
        (lambda: mech.spring("push", "crank", vector, "rocker", THERE, 1), "point_a"),
        (lambda: mech.spring("push", "crank", HERE, "rocker", vector, 1), "point_b"),
        (lambda: mech.spring("push", "crank", HERE, "rocker", THERE, bad), "stiffness"),
        (lambda: mech.spring("push", "crank", HERE, "rocker", THERE, 1, length=bad), "length"),
        (lambda: mech.spring("push", "crank", HERE, "rocker", THERE, 1, damping=bad), "damping"),
        (lambda: mech.force("push", "crank", vector), "force"),
        (lambda: mech.force("push", "crank", (1, 0, 0), point=vector), "point"),
        (lambda: mech.torque("push", "crank", vector), "moment"),
        (lambda: mech.joint_spring("push", "A", bad), "stiffness"),
        (lambda: mech.joint_spring("push", "A", 1, rest=bad), "rest"),
        (lambda: mech.joint_damper("push", "A", bad), "damping"),
        (lambda: mech.motor("push", "A", bad), "torque"),
    ]:
        with refused(NotFiniteError, "'push'", what, "finite"):
            make()


@pytest.mark.parametrize("bad", ["strong", None, (1, 2), 1j, "3.0"])
def test_what_is_no_number(mech, bad):
    for make, what in [
        (lambda: mech.spring("push", "crank", bad, "rocker", THERE, 1), "point_a"),
        (lambda: mech.spring("push", "crank", HERE, "rocker", bad, 1), "point_b"),
        (lambda: mech.spring("push", "crank", HERE, "rocker", THERE, bad), "stiffness"),
        (lambda: mech.spring("push", "crank", HERE, "rocker", THERE, 1, damping=bad), "damping"),
        (lambda: mech.force("push", "crank", bad), "force"),
        (lambda: mech.torque("push", "crank", bad), "moment"),
        (lambda: mech.joint_spring("push", "A", bad), "stiffness"),
        (lambda: mech.joint_spring("push", "A", 1, rest=bad), "rest"),
        (lambda: mech.joint_damper("push", "A", bad), "damping"),
        (lambda: mech.motor("push", "A", bad), "torque"),
    ]:
        with refused(ShapeError, "'push'", f"{what} must be"):
            make()
    assert not mech.springs
    assert not mech.loads
    assert not mech.joint_forces


# -- functions -----------------------------------------------------------------------------------------------

WRONG_FUNCTIONS = {
    "none": lambda: 1.0,
    "unknown": lambda time: time,
    "one unknown": lambda t, x: t,
    "star": lambda *t: 1.0,
    "two stars": lambda t, **more: 1.0,
    "keyword only": lambda t, *, q: 1.0,
    "behind an option": lambda t, gain=2.0, v=None: 1.0,
    "options only": lambda gain=2.0: gain,
}


@pytest.mark.parametrize("function", WRONG_FUNCTIONS.values(), ids=WRONG_FUNCTIONS)
def test_wrong_parameters(mech, function):
    with refused(ForceError, "'push'", "torque", "t, q, v"):
        mech.motor("push", "A", function)
    with refused(ForceError, "'push'", "force", "t, q, v, pose, position, velocity, omega"):
        mech.force("push", "crank", function)
    with refused(ForceError, "'push'", "moment", "omega"):
        mech.torque("push", "crank", function)


def test_the_message_tells_what_the_parameters_are(mech):
    with refused(ForceError, "got (time, speed)"):
        mech.motor("push", "A", lambda time, speed: 0.0)


def test_a_motor_knows_no_body(mech):
    with refused(ForceError, "'push'", "t, q, v", "got (pose)"):
        mech.motor("push", "A", lambda pose: 0.0)


def test_parameters_that_cannot_be_read(mech):
    class Odd:
        __signature__ = "t"

        def __call__(self, t):
            return t

    with refused(ForceError, "'push'", "def or lambda"):
        mech.motor("push", "A", Odd())


ANSWERS = [np.nan, np.inf, (1.0, 2.0), None, "strong", 1j, ()]


@pytest.mark.parametrize("answer", ANSWERS, ids=repr)
def test_a_motor_that_answers_nonsense(answer):
    mech = pendulum()
    mech.joint_spring("first", "pivot", 1.0)
    mech.motor("second", "pivot", 1.0)
    mech.motor("push", "pivot", lambda t: answer)
    system = mech.compile()
    for call in (ct.forward_dynamics, ct.inverse_dynamics):
        with refused(ForceError, "'push'", "1 finite number,"):
            call(system, system.q0)


@pytest.mark.parametrize("answer", [*ANSWERS, 1.0, (1, 2, 3, 4), (1, 2, np.nan)], ids=repr)
@pytest.mark.parametrize("method", ["force", "torque"])
def test_a_load_that_answers_nonsense(answer, method):
    mech = pendulum()
    mech.force("first", "bob", (1, 2, 3))
    getattr(mech, method)("push", "bob", lambda t, pose: answer)
    mech.motor("last", "pivot", lambda t: 0.0)
    system = mech.compile()
    with refused(ForceError, "'push'", "3 finite numbers"):
        ct.forward_dynamics(system, system.q0)


def test_good_functions_of_every_form():
    """By position, with options, positional-only, as a method; each gets what its names say."""

    class Controller:
        gain = 3.0

        def __call__(self, v, t):
            return self.gain * v[0] + t

    def positional(q, /):
        return 2.0 * q[0]

    forms = [
        (lambda t, gain=5.0: gain * t, 5.0 * 0.5),
        (lambda v, t=None: v[0] + t, 0.3 + 0.5),
        (positional, 2.0 * 0.7),
        (Controller(), 3.0 * 0.3 + 0.5),
    ]
    for function, expected in forms:
        mech = pendulum()
        mech.motor("push", "pivot", function)
        system, bare = mech.compile(), pendulum().compile()
        torque = ct.inverse_dynamics(bare, [0.7], [0.3], t=0.5) - ct.inverse_dynamics(system, [0.7], [0.3], t=0.5)
        assert torque == pytest.approx([expected], abs=1e-12)
