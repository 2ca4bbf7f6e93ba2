"""Bad input of drivers, couplings, contacts and user rows: each error names what was wrong and what to do."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import (
    AxisError,
    ConstraintError,
    DuplicateNameError,
    ForeignBodyError,
    NotFiniteError,
    ShapeError,
    UnknownNameError,
)
from tests.constraints.rigs import arm, four_bar, two_joints

MANY = (ct.Revolute(), ct.Planar(), ct.Weld(), ct.Spherical(coordinates="group"))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda m: m.drive("d", "j9", 0.0),
            UnknownNameError,
            "drive 'd': no joint 'j9' in mechanism 'arm'; there are 'j0'",
        ),
        (lambda m: m.drive("d", "j1", 0.0), ConstraintError, "drive 'd': joint 'j1' has several coordinates.*'wz'"),
        (lambda m: m.drive("d", "j1", 0.0, coordinate="q7"), ConstraintError, "joint 'j1' has several coordinates"),
        (lambda m: m.drive("d", "j0", 0.0, coordinate="wz"), ConstraintError, "joint 'j0' has one coordinate only"),
        (lambda m: m.drive("d", "j2", 0.0), ConstraintError, "drive 'd': joint 'j2' is a weld"),
        (lambda m: m.drive("d", four_bar().joints["A"], 0.0), ForeignBodyError, "joint 'A' belongs to another"),
        (lambda m: m.drive("d", "j0", np.nan), NotFiniteError, "drive 'd': motion is nan"),
        (lambda m: m.drive("d", "j0", "fast"), ShapeError, "drive 'd': motion must be a number"),
        (lambda m: m.drive("d", "j0", 1.0, rate=lambda t: t), ConstraintError, "drive 'd': rate must be a function"),
        (
            lambda m: m.drive("d", "j0", lambda t: t, acceleration=1.0),
            ConstraintError,
            "acceleration must be a function",
        ),
        (lambda m: [m.drive("d", "j0", 0.0), m.drive("d", "j0", 0.0)], DuplicateNameError, "drive 'd' exists already"),
        (lambda m: m.coupling("c", {}), ConstraintError, "coupling 'c': give a dict of ratios"),
        (lambda m: m.coupling("c", ["j0"]), ConstraintError, "coupling 'c': give a dict of ratios"),
        (lambda m: m.coupling("c", {"j0": 0.0}), ConstraintError, "coupling 'c': the ratio of joint 'j0' is zero"),
        (lambda m: m.coupling("c", {"j0": "one"}), ShapeError, "coupling 'c': ratio of joint 'j0' must be a number"),
        (lambda m: m.coupling("c", {"j1": 1.0}), ConstraintError, "joint 'j1' has several coordinates"),
        (lambda m: m.gear("g", "j0", "j0", 2.0), ConstraintError, "gear 'g' couples joint 'j0' with itself"),
        (lambda m: m.gear("g", "j0", "j1", 2.0), ConstraintError, "gear 'g': joint 'j1' has several coordinates"),
        (lambda m: m.distance("r", "b0", (0, 0, 0), "b9", (1, 0, 0)), UnknownNameError, "distance 'r': no body 'b9'"),
        (lambda m: m.distance("r", "b0", (0, 0, 0), "b0", (1, 0, 0)), ConstraintError, "both ends on body 'b0'"),
        (
            lambda m: m.distance("r", "b0", (0, 0), "b1", (1, 0, 0)),
            ShapeError,
            "distance 'r': point_a must be 3 numbers",
        ),
        (lambda m: m.distance("r", "b0", (0, 0, 0), "b1", (1, 0, 0), -1.0), ConstraintError, "length is -1.0"),
        (lambda m: m.knife_edge("k", "b9", (0, 0, 0), (1, 0, 0)), UnknownNameError, "knife edge 'k': no body 'b9'"),
        (
            lambda m: m.knife_edge("k", "b0", (0, 0, 0), (0, 0, 0)),
            AxisError,
            "knife edge 'k': direction has zero length",
        ),
        (lambda m: m.knife_edge("k", "ground", (0, 0, 0), (1, 0, 0)), ConstraintError, "ground does not move"),
        (lambda m: m.rolling("w", "b9", (0, 0, 1), 1.0), UnknownNameError, "rolling 'w': no body 'b9'"),
        (lambda m: m.rolling("w", "b0", (0, 0, 1), -1.0), ConstraintError, "rolling 'w': radius is -1.0; it must be"),
        (lambda m: m.rolling("w", "b0", (0, 0, 1), 0.0), ConstraintError, "rolling 'w': radius is 0.0"),
        (
            lambda m: m.rolling("w", "b0", (0, 0, 1), 1.0, axis=(0, 0, 0)),
            AxisError,
            "rolling 'w': axis has zero length",
        ),
        (lambda m: m.rolling("w", "b0", (0, 0, 1), 1.0, plane_normal=(0, 0, 0)), AxisError, "plane_normal has zero"),
        (lambda m: m.rolling("w", "b0", (0, 0, 1), 1.0, surface="b0"), ConstraintError, "'b0' cannot roll on itself"),
        (lambda m: m.rolling("w", m.ground, (0, 0, 1), 1.0), ConstraintError, "rolling 'w': ground does not move"),
        (lambda m: m.constraint("u", None), ConstraintError, "constraint 'u': jacobian is missing"),
        (lambda m: m.constraint("u", np.ones((1, 3))), ConstraintError, "'u': jacobian must be a function of q, t"),
        (lambda m: m.constraint("u", lambda x: x), ConstraintError, "'u', jacobian: a user function takes .*q, t"),
        (lambda m: m.constraint("u", lambda q, v: q), ConstraintError, "'u', jacobian: a user function takes"),
        (lambda m: m.constraint("u", lambda q: q, rows=0), ConstraintError, "constraint 'u': rows is 0"),
        (lambda m: m.constraint("u", lambda q: q, rows=1.5), ConstraintError, "constraint 'u': rows is 1.5"),
        (lambda m: m.constraint("u", lambda q: q, rows=True), ConstraintError, "constraint 'u': rows is True"),
        (
            lambda m: m.constraint("", lambda q: q),
            ct.errors.ModelError,
            "name of a constraint must be a non-empty string",
        ),
    ],
)
def test_at_the_door(call, error, words):
    with pytest.raises(error, match=words):
        call(arm(*MANY))


def test_a_failed_call_leaves_nothing_behind():
    mech = two_joints()
    with pytest.raises(ConstraintError):
        mech.rolling("w", "b0", (0, 0, 1), -1.0)
    assert mech.constraints == {}


@pytest.mark.parametrize(
    ("describe", "kinds", "error", "words"),
    [
        (lambda m: m.drive("d", "j3", 0.0, coordinate="wx"), {}, ConstraintError,
         "drive 'd': 'j3.wx' is a velocity without a matching coordinate; give joint 'j3' coordinates='second'"),
        (lambda m: m.drive("d", "j1", 0.0, coordinate="vx"), {"coordinates": "absolute"}, ConstraintError,
         "drive 'd': joint 'j1' is cut, and 'j1.vx' cannot be measured"),
        (lambda m: m.distance("r", "b0", (1, 2, 3), "b1", (1, 2, 3)), {}, ConstraintError,
         "distance 'r': its points coincide in the reference assembly"),
        (lambda m: m.rolling("w", "b0", (0, 0, 1), 1.0, axis=(0, 0, -2)), {}, AxisError,
         "rolling 'w': the disk lies flat.*tilt body 'b0'"),
    ],
)  # fmt: skip
def test_at_compilation(describe, kinds, error, words):
    mech = arm(*MANY)
    describe(mech)
    with pytest.raises(error, match=words):
        mech.compile(**kinds)


def evaluate(mech, t=0.0):
    system = mech.compile()
    q, v = system.q0, np.ones(system.nv)
    for call in (ct.constraint_residual, ct.constraint_jacobian, ct.theory.constraint_rate):
        call(system, q, t)
    ct.constraint_bias(system, q, v, t)


@pytest.mark.parametrize(
    ("motion", "more", "words"),
    [
        (lambda t: np.nan, {}, "drive 'd': its motion is nan at t = 0"),
        (lambda t: [1.0, 2.0], {}, r"drive 'd': its motion is \[1.0, 2.0\] at t = 0"),
        (lambda t: None, {}, "drive 'd': its motion is None"),
        (lambda t: t, {"rate": lambda t: np.inf}, "drive 'd': its rate is inf"),
        (lambda t: t, {"rate": lambda t: 1.0, "acceleration": lambda t: "x"}, "drive 'd': its acceleration is 'x'"),
        (
            lambda t: 0.0 if t == 0 else np.nan,
            {},
            "evaluated near 0 to compute derivatives, which can be given as rate=",
        ),
    ],
)
def test_motions_that_are_no_numbers(motion, more, words):
    mech = two_joints()
    mech.drive("d", "j0", motion, **more)
    with pytest.raises(ConstraintError, match=words):
        evaluate(mech)


def test_a_length_that_becomes_negative():
    mech = two_joints()
    mech.distance("rope", "b1", (1, 0, 0), "ground", (0, 0, 0), length=lambda t: 1.0 - t)
    with pytest.raises(ConstraintError, match=r"distance 'rope': its length is -1.0 at t = 2; it must stay positive"):
        evaluate(mech, 2.0)


@pytest.mark.parametrize(
    ("functions", "words"),
    [
        (
            {"jacobian": lambda q: np.ones((2, 2))},
            r"'u': jacobian must return an array of shape \(1, 2\), got shape \(2, 2\)",
        ),
        ({"jacobian": lambda q: "no"}, "constraint 'u': jacobian must return an array .* got 'no'"),
        ({"jacobian": lambda q: [[np.nan, 1.0]]}, "constraint 'u': jacobian returned NaN"),
        ({"residual": lambda q: q}, r"constraint 'u': residual must return an array of shape \(1,\), got shape \(2,\)"),
        ({"rate": lambda t: [1.0, 2.0]}, r"constraint 'u': rate must return an array of shape \(1,\)"),
        ({"bias": lambda v: [np.inf]}, "constraint 'u': bias returned NaN or infinity"),
    ],
)
def test_user_rows_of_the_wrong_shape(functions, words):
    mech = two_joints()
    mech.constraint("u", **{"jacobian": lambda q: [[1.0, 2.0]], **functions})
    with pytest.raises(ConstraintError, match=words):
        evaluate(mech)


def test_states_that_are_not_finite():
    mech = two_joints()
    mech.drive("d", "j0", 0.0)
    system = mech.compile()
    for call in (ct.constraint_residual, ct.constraint_jacobian):
        with pytest.raises(NotFiniteError, match=r"entry 1 \('j1'\)"):
            call(system, [0.0, np.nan])
    with pytest.raises(NotFiniteError, match="v of system"):
        ct.constraint_bias(system, [0.0, 0.0], [0.0, np.inf])
