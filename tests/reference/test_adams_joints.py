"""One body on one joint of each kind, as MSC ADAMS has it (unit-test data of Project Chrono): motion, accelerations, reactions.

Tolerances: the series have six or seven digits, and ADAMS' own errors on top of that. How large these are it says itself: the
pendulum about a level axis is there five times (revolute, cylindrical, universal twice, spherical twice), and after 5 s two
groups of these differ by 6.3e-4 m, which is over 100 times what the other group differs from the true motion. `LOOSE` cases are
those; the accelerations' errors are larger by the square of the frequency.
"""

import numpy as np
import pytest

import cotree as ct
from tests.reference.published import figures, place, velocity

ADAMS = figures("adams_joints")
CASES = ADAMS["cases"]
G = ADAMS["gravity"]
LOOSE = ("Spherical_Case01", "Universal_Case01", "Universal_Case02", "Universal_Case03")
NO_SPRING = ("RotSpring_Case01", "absolute")  # torsion springs are refused there
COORDINATES = {"relative": {}, "absolute": {"coordinates": "absolute"}}


def joint(case):
    """Joint of the catalogue for ADAMS' statement; the axis is z of the markers."""
    point, axes = case["ground"]["place"], np.array(case["ground"]["axes"])
    return {
        "REVOLUTE": lambda: ct.Revolute(point, axes[:, 2]),
        "TRANSLATIONAL": lambda: ct.Prismatic(axes[:, 2], point=point),
        "CYLINDRICAL": lambda: ct.Cylindrical(point, axes[:, 2]),
        "SPHERICAL": lambda: ct.Spherical(point),
        "HOOKE": lambda: ct.Universal(point, axes[:, 0], np.array(case["child"]["axes"])[:, 1]),
        "DISTANCE": ct.Free,
        "NONE": ct.Free,
    }[case["kind"]]()


def built(case):
    mech = ct.Mechanism("ADAMS", (0, 0, -G))
    R, com = np.array(case["body"]["axes"]), case["body"]["place"]
    mech.body("body", 1.0, com, R @ np.diag(case["inertia"]) @ R.T)
    mech.joint("joint", mech.ground, "body", joint(case))
    if case["kind"] == "DISTANCE":
        mech.distance("rod", mech.ground, case["ground"]["place"], "body", case["child"]["place"], 2.0)
    if case["kind"] == "NONE":
        mech.spring(
            "spring", mech.ground, case["ground"]["place"], "body", com, case["stiffness"], 0.0, case["damping"]
        )
    elif "stiffness" in case:
        mech.joint_spring("spring", "joint", case["stiffness"])
        mech.joint_damper("damper", "joint", case["damping"])
    return mech


def motion(name, choice):
    system = built(CASES[name]).compile(**COORDINATES[choice])
    return ct.simulate(system, 5.0, output=[0.0, *ADAMS["times"]], rtol=1e-10, atol=1e-10)


def rotations(quaternions):
    out = []
    for w, *u in quaternions:
        x, y, z = u
        U = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        out.append((w * w - np.dot(u, u)) * np.eye(3) + 2 * np.outer(u, u) + 2 * w * U)
    return np.array(out)


def measured(run, case):
    """All that ADAMS reports, at its times."""
    com, R0 = case["body"]["place"], np.array(case["body"]["axes"])
    system, states = run.system, list(zip(run.q, run.v, strict=True))
    twists = np.array([ct.twists(system, q, v, "spatial")[1] for q, v in states])
    rates = np.array([ct.forward_dynamics(system, q, v).v_dot for q, v in states])
    A = np.array([ct.accelerations(system, q, v, a, "spatial")[1] for (q, v), a in zip(states, rates, strict=True)])
    x, x_dot = place(run, "body", com), velocity(run, "body", com)
    acceleration = A[:, 3:] + np.cross(A[:, :3], x) + np.cross(twists[:, :3], x_dot)
    found = {"Pos": x, "Vel": x_dot, "Acc": acceleration, "Avel": twists[:, :3], "Aacc": A[:, :3],
             "Quat": run.poses()[:, 1, :3, :3] @ R0}  # fmt: skip
    return {what: value[1:] for what, value in found.items()}


def tolerance(name, what):
    """Twice to thrice what is found."""
    if name in LOOSE:
        return {"Pos": 7e-4, "Quat": 7e-4, "Vel": 1e-3, "Avel": 1e-3}.get(what, 2e-3)
    return {"Pos": 1e-5, "Quat": 4e-5, "Vel": 2e-5, "Avel": 4e-5, "Acc": 4e-4, "Aacc": 4e-4}.get(what, 1.5e-4)


def off(found, expected):
    """Greatest error, relative to the largest figure of the series, but at least to 1."""
    return np.abs(found - expected).max() / max(1.0, np.abs(expected).max())


@pytest.mark.parametrize(("name", "choice"), [(n, c) for n in CASES for c in COORDINATES if (n, c) != NO_SPRING])
def test_motion(name, choice):
    case = CASES[name]
    for what, value in measured(motion(name, choice), case).items():
        expected = rotations(case[what]) if what == "Quat" else np.array(case[what])
        assert off(value, expected) < tolerance(name, what), what


def wrench_on_ground(run, case):
    """(k, 6): moment about ground's marker, and force, that the joint has on ground, forces along its coordinates included."""
    wrench = -run.reactions("joint")[1:]
    wrench[:, :3] -= np.cross(case["ground"]["place"], wrench[:, 3:])
    return wrench


@pytest.mark.parametrize(
    ("name", "choice"),
    [
        (n, c)
        for n in CASES
        for c in COORDINATES
        if (n, c) != NO_SPRING and CASES[n]["kind"] not in ("DISTANCE", "NONE")
    ],
)
def test_reactions(name, choice):
    case = CASES[name]
    found = wrench_on_ground(motion(name, choice), case)
    assert off(found[:, :3], np.array(case["Rtorque"])) < tolerance(name, "Rtorque")
    assert off(found[:, 3:], np.array(case["Rforce"])) < tolerance(name, "Rforce")


@pytest.mark.parametrize("name", [n for n, c in CASES.items() if c["kind"] == "DISTANCE"])
def test_pull_of_the_rod(name):
    """The multiplier of a distance is the force along it; ADAMS' reaction on ground has that size."""
    case = CASES[name]
    run = motion(name, "relative")
    pull = [ct.forward_dynamics(run.system, q, v).multipliers[-1] for q, v in zip(run.q[1:], run.v[1:], strict=True)]
    assert off(np.abs(pull), np.linalg.norm(case["Rforce"], axis=1)) < 2e-5


def test_the_spring_of_the_last_case_is_a_plain_oscillator():
    """Second route to the one case whose ADAMS file is of another model: x'' = -10 x - x'/2 - g from rest in closed form."""
    case, t = CASES["TransSpring_Case01"], np.array(ADAMS["times"])
    w, d = np.sqrt(case["stiffness"] - case["damping"] ** 2 / 4), case["damping"] / 2
    x = -G / case["stiffness"] * (1 - np.exp(-d * t) * (np.cos(w * t) + d / w * np.sin(w * t)))
    assert x == pytest.approx(np.array(case["Pos"])[:, 2], abs=1e-5)
