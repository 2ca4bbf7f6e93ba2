"""The matrices that [Lie] prints for its examples, (37) to (48), as an oracle for rows and for drifts of unstabilized runs.

Joints are drawn either way: which body is called the parent must not matter. States are off the constraint set, where rows
that agree on it differ, and where an unstabilized run soon is.
"""

import numpy as np
import pytest

import cotree as ct
from cotree.lie import hat

M, THETA, R0 = 21.6, np.diag([0.36, 0.306, 0.09]), np.array([0.5, 0.0, 0.0])
A, B, C = 0.2, 0.1, 0.05
BOX = 2700 * A * B * C
BOX_INERTIA = BOX / 12 * np.diag([B**2 + C**2, A**2 + C**2, A**2 + B**2])
HALF = np.array([A / 2, 0.0, 0.0])
BOTH = pytest.mark.parametrize("turned", [False, True], ids=["as drawn", "turned round"])


def placed(x: float) -> np.ndarray:
    T = np.eye(4)
    T[0, 3] = x
    return T


def top(turned: bool) -> ct.Mechanism:
    mech = ct.Mechanism("top", gravity=(0, 0, 0))
    body = mech.body("top", mass=M, com=(0, 0, 0), inertia=THETA, pose=placed(0.5))
    ends = (mech.ground, body)
    mech.joint("pivot", *(ends[::-1] if turned else ends), ct.Spherical((0, 0, 0)))
    return mech


def pendulum(turned: bool) -> ct.Mechanism:
    mech = ct.Mechanism("pendulum", gravity=(0, 0, -9.81))
    one, two = (mech.body(f"b{k}", BOX, (0, 0, 0), BOX_INERTIA, pose=placed(A / 2 + k * A)) for k in range(2))
    for name, ends, x in (("j1", (mech.ground, one), 0.0), ("j2", (one, two), A)):
        mech.joint(name, *(ends[::-1] if turned else ends), ct.Spherical((x, 0, 0)))
    return mech


def anywhere(mech: ct.Mechanism, group: str) -> tuple[ct.System, np.ndarray, np.ndarray, list[np.ndarray]]:
    """A state with open joints, and the poses of its bodies."""
    system, rng = mech.compile(coordinates="absolute", group=group), np.random.default_rng(5)
    q = ct.displace(system, system.q0, rng.standard_normal(system.nv))
    return system, q, rng.standard_normal(system.nv), list(ct.poses(system, q)[1:])


def in_world(J: np.ndarray, poses: list[np.ndarray], group: str) -> np.ndarray:
    """Columns for the velocities of SO(3) x R3 from those of SE(3): v in the body, r_dot = R v in the world."""
    J = J.copy()
    for k, T in enumerate(poses if group == "SE3" else []):
        J[:, 6 * k + 3 : 6 * k + 6] = J[:, 6 * k + 3 : 6 * k + 6] @ T[:3, :3].T
    return J


def same_rows(found: np.ndarray, printed: np.ndarray) -> None:
    """Row by row, up to the sign of each joint."""
    for k in range(0, len(printed), 3):
        sign = np.sign(np.sum(found[k : k + 3] * printed[k : k + 3]))
        np.testing.assert_allclose(sign * found[k : k + 3], printed[k : k + 3], atol=1e-13)


@BOTH
@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
def test_heavy_top(turned, group):
    """(39) in world axes, (41): R r0^, 1, and the right-hand side R w x (w x r0)."""
    system, q, v, (T,) = anywhere(top(turned), group)
    R, J = T[:3, :3], ct.constraint_jacobian(system, q)
    printed = np.hstack([R @ hat(R0), np.eye(3)])
    same_rows(in_world(J, [T], group), printed)
    sign = np.sign(J[0, 3:] @ (R[0] if group == "SE3" else np.eye(3)[0]))
    np.testing.assert_allclose(sign * ct.constraint_residual(system, q), T[:3, 3] - R @ R0, atol=1e-14)  # (37)
    w = v[:3]
    carried = R @ np.cross(w, v[3:]) if group == "SE3" else np.zeros(3)  # d(R v)/dt at constant v
    expected = R @ np.cross(w, np.cross(w, R0)) - carried
    np.testing.assert_allclose(sign * ct.constraint_bias(system, q, v), expected, atol=1e-13)


@BOTH
@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
def test_double_pendulum(turned, group):
    """(43) to (45) in world axes, (46) to (48)."""
    system, q, v, poses = anywhere(pendulum(turned), group)
    (R1, r1), (R2, r2) = ((T[:3, :3], T[:3, 3]) for T in poses)
    zero, one = np.zeros((3, 3)), np.eye(3)
    printed = np.vstack([
        np.hstack([R1 @ hat(-HALF), -one, zero, zero]), np.hstack([R1 @ hat(HALF), -one, -R2 @ hat(-HALF), one])
    ])  # fmt: skip
    J = in_world(ct.constraint_jacobian(system, q), poses, group)
    same_rows(J, printed)
    gap = np.append(-(R1 @ -HALF + r1), R2 @ -HALF + r2 - R1 @ HALF - r1)  # (42)
    signs = np.repeat([np.sign(np.sum(J[k : k + 3] * printed[k : k + 3])) for k in (0, 3)], 3)
    np.testing.assert_allclose(signs * ct.constraint_residual(system, q), gap, atol=1e-14)
    w1, v1, w2, v2 = v.reshape(4, 3)
    turn1, turn2 = R1 @ np.cross(w1, np.cross(w1, HALF)), R2 @ np.cross(w2, np.cross(w2, -HALF))
    expected = np.append(-turn1, turn1 - turn2)
    if group == "SE3":
        move1, move2 = R1 @ np.cross(w1, v1), R2 @ np.cross(w2, v2)
        expected += np.append(move1, move1 - move2)
    np.testing.assert_allclose(signs * ct.constraint_bias(system, q, v), expected, atol=1e-12)


# -- drifts ---------------------------------------------------------------------------------------------------


def rotation(x: np.ndarray) -> np.ndarray:
    angle = np.linalg.norm(x)
    K = hat(x / angle) if angle > 0.0 else np.zeros((3, 3))
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def paper_top(t_end: float, h: float) -> tuple[float, float]:
    """(energy drift, pivot drift) of the top by (41) and Munthe-Kaas RK4 on SO(3) x R3, written out here."""
    w0 = np.array([0.0, 20 * np.pi, 10 * np.pi])
    R, r, V = np.eye(3), R0.copy(), np.append(w0, np.cross(w0, R0))

    def slope(R, V):
        J, w, zero, one = R @ hat(R0), V[:3], np.zeros((3, 3)), np.eye(3)
        K = np.block([[THETA, zero, J.T], [zero, M * one, one], [J, one, zero]])
        rhs = np.concatenate([-np.cross(w, THETA @ w), np.zeros(3), R @ np.cross(w, np.cross(w, R0))])
        return np.linalg.solve(K, rhs)[:6]

    def energy(V):
        return 0.5 * V[:3] @ THETA @ V[:3] + 0.5 * M * V[3:] @ V[3:]

    start, worst, off = energy(V), 0.0, 0.0
    for _ in range(round(t_end / h)):
        ks, accelerations = [], []
        for part in (0.0, 0.5, 0.5, 1.0):
            psi = h * part * ks[-1] if ks else np.zeros(6)
            Vj = V + (h * part * accelerations[-1] if ks else 0.0)
            accelerations.append(slope(R @ rotation(psi[:3]), Vj))
            p, w = psi[:3], Vj[:3]
            ks.append(np.append(w + np.cross(p, w) / 2 + np.cross(p, np.cross(p, w)) / 12, Vj[3:]))  # dexp^-1 of -psi
        weights = np.array([1.0, 2.0, 2.0, 1.0]) / 6
        step = h * weights @ np.array(ks)
        R, r, V = R @ rotation(step[:3]), r + step[3:], V + h * weights @ np.array(accelerations)
        worst, off = max(worst, abs(energy(V) - start)), max(off, np.linalg.norm(r - R @ R0))
    return worst, off


def drift(mech: ct.Mechanism, group: str, v: np.ndarray, t_end: float) -> tuple[float, float]:
    system = mech.compile(coordinates="absolute", group=group)
    run = ct.simulate(system, t_end, v=v, method="rk4", step=1e-3, stabilize="none", output=101)
    E = run.energy.total
    return float(np.abs(E - E[0]).max()), float(run.violation.max())


@BOTH
def test_the_top_drifts_as_by_the_papers_equations(turned):
    w = np.array([0.0, 20 * np.pi, 10 * np.pi])
    V = np.append(w, np.cross(w, R0))
    found, expected = drift(top(turned), "SO3xR3", V, 1.0), paper_top(1.0, 1e-3)
    assert expected[0] < 2e-3
    np.testing.assert_allclose(found, expected, rtol=0.3)
    energy, pivot = drift(top(turned), "SE3", V, 1.0)
    assert pivot < 1e-12
    assert energy < 2.0 * expected[0]


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
def test_the_pendulum_drifts_alike_with_joints_drawn_either_way(group):
    w1, w2 = np.array([10.0, 0, 0]), np.pi * np.array([10.0, 10, 20])
    r1, r2 = np.cross(w1, HALF), np.cross(w1, 2 * HALF) + np.cross(w2, HALF)
    V = np.concatenate([w1, r1, w2, r2])
    one, other = (drift(pendulum(turned), group, V, 0.5) for turned in (False, True))
    for x, y in zip(one, other, strict=True):
        assert 0.5 < x / y < 2.0
    assert one[1] < 2e-5
