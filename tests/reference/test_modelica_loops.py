"""Closed loops and a rolling wheel of the Modelica Standard Library, as Dymola has them.

Tolerances: DASSL ran at 1e-6 a step, whose errors add up and are enlarged by the motion. An independent integration at 1e-12
(`second` in the data) differs from it by 9e-4 rad after 40 rad of Fourbar1, 4e-4 rad for the planar loop, 7e-4 for the
wheel's axes, in the first second by a tenth of that; and from ours by less than 1e-8, so that the difference is Dymola's.
"""

import numpy as np
import pytest

import cotree as ct
from tests.descriptions import same_state
from tests.reference.published import figures, place, table

MODELICA = figures("modelica_loops")
G, DENSITY = MODELICA["gravity"], MODELICA["density"]
X, Y, Z = np.eye(3)
END1, END2, SLIDER = np.array([0, 0.5, 0.1]), np.array([1, 0.2, 0.0]), np.array([1.0, 0.0, 0.0])


def spatial_loop(coupler):
    """RSUP linkage: crank about x, slider along x, and a coupler with mass, or without as a mere distance."""
    mech = ct.Mechanism("Fourbar", (0, -G, 0))
    b1 = mech.body("b1", shape=ct.Cylinder((0, 0, 0), END1, 0.025), density=DENSITY)
    b2 = mech.body("b2", shape=ct.Cylinder(SLIDER, END2, 0.025), density=DENSITY)
    mech.joint("j1", mech.ground, b1, ct.Revolute((0, 0, 0), X))
    mech.joint("j2", mech.ground, b2, ct.Prismatic(X, point=SLIDER))
    if coupler:
        b3 = mech.body("b3", shape=ct.Cylinder(END2, END1, 0.025), density=DENSITY)
        mech.joint("rev", b2, b3, ct.Universal(END2, Y, Z))
        mech.joint("ball", b1, b3, ct.Spherical(END1))
    else:
        mech.distance("rod", b1, END1, b2, END2)
    return mech


def planar_loop():
    """Boxes of 0.05 m by 0.05 m between the corners; a damper at the origin."""
    mech = ct.Mechanism("PlanarFourbar", (0, -G, 0))
    A, B, C, D = np.zeros(3), 0.4 * X, 0.5 * X + 1.1 * Y, -0.15 * X + Y
    bodies = [mech.body(n, shape=bar(a, b), density=DENSITY) for n, a, b in (("1", A, B), ("2", B, C), ("4", D, C))]
    mech.joint("revolute1", mech.ground, bodies[0], ct.Revolute(A, Z))
    mech.joint("revolute2", bodies[0], bodies[1], ct.Revolute(B, Z))
    mech.joint("revolute3", mech.ground, bodies[2], ct.Revolute(D, Z))
    mech.joint("cut", bodies[1], bodies[2], ct.Revolute(C, Z))
    mech.joint_damper("damper", "revolute1", 0.1)
    return mech


def bar(a, b):
    e = (b - a) / np.linalg.norm(b - a)
    return ct.Box((a + b) / 2, (np.linalg.norm(b - a), 0.05, 0.05), np.column_stack([e, np.cross(Z, e), Z]))


def turning(system, joint, rate):
    """Velocities of a mechanism with one dof in which a joint has this rate."""
    n = np.linalg.svd(ct.constraint_jacobian(system, system.q0))[2][-1]
    return rate * n / n[system.velocity_index(joint)]


LOOPS = {
    "Fourbar1": (lambda: spatial_loop(True), "j1", 1e-3, 3e-3),
    "Fourbar2": (lambda: spatial_loop(False), "j1", 1e-3, 3e-3),
    "PlanarFourbar": (planar_loop, "revolute1", 1e-3, 5e-3),
}


@pytest.mark.parametrize("formulation", ["index1", "projection", "voronets", "odca"])
@pytest.mark.parametrize("name", LOOPS)
def test_loops(name, formulation):
    make, joint, in_angle, in_rate = LOOPS[name]
    t, phi, w = (table(MODELICA[name])[c] for c in MODELICA[name]["columns"])
    system = make().compile()
    k = system.velocity_index(joint)
    assert k == 0
    run = ct.simulate(
        system, t[-1], v=turning(system, joint, w[0]), output=t, formulation=formulation, rtol=1e-9, atol=1e-9
    )
    early = t <= 1.0
    assert np.abs(run.q[early, k] - phi[early]).max() < in_angle / 10
    assert np.abs(run.q[:, k] - phi).max() < in_angle
    assert np.abs(run.v[:, k] - w).max() < in_rate
    assert run.violation.max() < 1e-10


@pytest.mark.parametrize("name", LOOPS)
def test_loops_by_a_second_program(name):
    make, joint, *_ = LOOPS[name]
    second = MODELICA[name]["second"]
    system = make().compile()
    v = turning(system, joint, second["w"][0])
    run = ct.simulate(system, second["t"][-1], v=v, output=second["t"], rtol=1e-12, atol=1e-12)
    assert run.q[:, 0] == pytest.approx(second["phi"], abs=1e-8)
    assert run.v[:, 0] == pytest.approx(second["w"], abs=1e-8)


def angles_to_rotation(a, b, c):
    """Rz(a) Ry(b) Rx(c)."""
    (ca, cb, cc), (sa, sb, sc) = np.cos([a, b, c]), np.sin([a, b, c])
    return np.array([
        [ca * cb, ca * sb * sc - sa * cc, ca * sb * cc + sa * sc],
        [sa * cb, sa * sb * sc + ca * cc, sa * sb * cc - ca * sc],
        [-sb, cb * sc, cb * cc],
    ])  # fmt: skip


def wheel():
    """Axis along y; the library's example has less inertia about the axis than across it."""
    mech = ct.Mechanism("RollingWheel", (0, 0, -G))
    centre = (0.2, 0.2, 0.3)
    mech.body("wheel", 2.0, centre, (0.12, 0.06, 0.12))
    mech.joint("free", mech.ground, "wheel", ct.Free())
    mech.rolling("contact", "wheel", centre, 0.3, axis=Y)
    return mech, centre


def wheel_motion(choice, times, **words):
    mech, centre = wheel()
    tree = mech.compile()
    twist = np.array([1.0, 5.0, 0.0])  # rates about x, y, z at angles of zero; the contact rests
    start = np.linalg.solve(ct.spatial_jacobian(tree, tree.q0, "wheel"), [*twist, *np.cross((0.2, 0.2, 0.0), twist)])
    system = mech.compile(**choice)
    run = ct.simulate(system, 4.0, *same_state(system, tree, tree.q0, start), output=times, **words)
    return run.poses()[:, 1, :3, :3], place(run, "wheel", centre)[:, :2]


@pytest.mark.parametrize("choice", [{}, {"coordinates": "absolute"}, {"group": "SO3xR3"}])
def test_wheel(choice):
    rows = table(MODELICA["RollingWheel"])
    turned, where = wheel_motion(choice, rows["time"], rtol=1e-10, atol=1e-10)
    angles = zip(*(rows[f"wheel1.angles[{k}]"] for k in (1, 2, 3)), strict=True)
    off = np.abs(turned - [angles_to_rotation(*a) for a in angles]).max(axis=(1, 2))
    away = np.abs(where - np.stack([rows["wheel1.x"], rows["wheel1.y"]], axis=1)).max(axis=1)
    assert max(off.max(), away.max()) < 1e-3
    assert max(off[:3].max(), away[:3].max()) < 2e-4


def test_wheel_by_a_second_program():
    second = MODELICA["RollingWheel"]["second"]
    y = np.array(second["y"])
    turned, where = wheel_motion({}, second["t"], rtol=1e-12, atol=1e-12)
    assert turned == pytest.approx(np.array([angles_to_rotation(*a) for a in y[:, :3]]), abs=1e-8)
    assert where == pytest.approx(y[:, 6:], abs=1e-8)
