"""Munthe-Kaas steps written out in NumPy [Lie (11) to (14), (20) to (23), (35), (36)] beside those of a run: a free body
whose reference point is not its mass centre, on SE(3) and on SO(3) x R3."""

import numpy as np
import pytest
from scipy.linalg import expm

import cotree as ct

MASS, COM, INERTIA = 2.0, np.array([0.3, -0.2, 0.4]), np.diag([0.3, 0.5, 0.4])
GRAVITY = np.array([0.5, -1.0, -9.0])
H, STEPS = 0.05, 6
A = np.array([[0, 0, 0, 0], [0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 1.0, 0]])
B = np.array([1, 2, 2, 1]) / 6


def hat(x):
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0.0]])


def ad_se3(X):
    return np.block([[hat(X[:3]), np.zeros((3, 3))], [hat(X[3:]), hat(X[:3])]])


def ad_direct(X):
    out = np.zeros((6, 6))
    out[:3, :3] = hat(X[:3])
    return out


def dexp_body_inv(ad):
    """Inverse of the sum of (-ad)^k / (k + 1)!."""
    total, term = np.zeros((6, 6)), np.eye(6)
    for k in range(1, 25):
        total += term
        term = term @ -ad / (k + 1)
    return np.linalg.inv(total)


def inertia():
    c = hat(COM)
    return np.block([[INERTIA + MASS * c @ c.T, MASS * c], [-MASS * c, MASS * np.eye(3)]])


class SE3:
    """State (4 x 4 matrix, body twist)."""

    name, ad = "SE3", staticmethod(ad_se3)

    @staticmethod
    def start(twist):
        return np.eye(4), twist

    @staticmethod
    def moved(C, X):
        big = np.zeros((4, 4))
        big[:3, :3], big[:3, 3] = hat(X[:3]), X[3:]
        return C @ expm(big)

    @staticmethod
    def acceleration(C, V, t):
        J, force = inertia(), C[:3, :3].T @ (MASS * GRAVITY + load(t))
        return np.linalg.solve(J, ad_se3(V).T @ J @ V + np.concatenate([np.cross(COM, force), force]))


class Direct(SE3):
    """State (R and r in a 4 x 4 matrix, (omega in the body, r-dot in the world))."""

    name, ad = "SO3xR3", staticmethod(ad_direct)

    @staticmethod
    def moved(C, X):
        out = np.eye(4)
        out[:3, :3], out[:3, 3] = C[:3, :3] @ expm(hat(X[:3])), C[:3, 3] + X[3:]
        return out

    @staticmethod
    def acceleration(C, V, t):
        R = C[:3, :3]
        body = np.concatenate([V[:3], R.T @ V[3:]])
        a = SE3.acceleration(C, body, t)
        return np.concatenate([a[:3], R @ (a[3:] + np.cross(body[:3], body[3:]))])


def load(t):
    """A force at the mass centre."""
    return np.array([0.0, 20.0 * np.sin(9.0 * t), 5.0])


def munthe_kaas(group, C, V, t):
    """One step of the classical Runge-Kutta method on a state group."""
    k, a = np.zeros((4, 6)), np.zeros((4, 6))
    for i in range(4):
        Phi, here = H * A[i] @ k, V + H * A[i] @ a
        k[i] = dexp_body_inv(group.ad(Phi)) @ here
        a[i] = group.acceleration(group.moved(C, Phi), here, t + H * A[i].sum())
    return group.moved(C, H * B @ k), V + H * B @ a


@pytest.mark.parametrize("group", [SE3, Direct])
def test_step_by_step(group):
    mech = ct.Mechanism("free", gravity=GRAVITY)
    mech.body("body", MASS, COM, INERTIA)
    mech.joint("air", mech.ground, "body", ct.Free())
    mech.force("load", "body", load)
    system = mech.compile(group=group.name)
    start = np.array([3.0, -2.0, 4.0, 1.0, 0.5, -1.5])
    run = ct.simulate(system, STEPS * H, v=start, method="rk4", step=H, output=H * np.arange(STEPS + 1))
    C, V = group.start(start)
    for k in range(1, STEPS + 1):
        C, V = munthe_kaas(group, C, V, (k - 1) * H)
        assert run.t[k] == pytest.approx(k * H)
        assert ct.poses(system, run.q[k])[1] == pytest.approx(C, abs=1e-12)
        assert run.v[k] == pytest.approx(V, abs=1e-11)


def test_a_pivot_is_kept_on_se3_and_not_on_the_direct_product():
    """Lower pairs to ground: the motion stays in their subgroup of SE(3), whatever the error of the steps."""
    top = ct.Mechanism("top", gravity=(0, 0, 0))
    pose = np.eye(4)
    pose[:3, 3] = (0.5, 0.1, 0.2)
    body = top.body("top", 1.0, (0, 0, 0), (0.3, 0.2, 0.1), pose=pose)
    top.joint("pivot", top.ground, body, ct.Spherical((0, 0, 0)))
    gap, there = {}, {}
    for group in ("SE3", "SO3xR3"):
        system = top.compile(coordinates="absolute", group=group)
        w = np.array([3.0, 5.0, 4.0])
        v = [*w, *np.cross(w, pose[:3, 3])]
        run = ct.simulate(system, 0.2, v=v, method="rk4", step=0.02, stabilize="none", output=[0.1, 0.2])
        gap[group], there[group] = np.abs(run.violation).max(), run.poses()[-1, 1]
    assert gap["SE3"] < 1e-13
    assert 1e-8 < gap["SO3xR3"] < 1e-6  # measured: 2.1e-7, of fourth order in the step
    assert np.abs(there["SE3"] - there["SO3xR3"]).max() < 1e-6
