"""A slider-crank whose slider has clearance in its guide, against an event-driven solution by SciPy that shares no code."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cotree as ct

a, b, s = 0.3, 0.8, 0.5  # crank, rod, mass centre of rod and slider along it [m]
m1, I1, m2, I2 = 1.0, 0.02, 1.5, 0.06
C, MU, E, G = 0.02, 0.15, 0.5, 9.81  # clearance on both sides, friction, restitution
START = np.array([0.3, -np.arcsin(0.3 * np.sin(0.3) / 0.8), 6.0, 0.0])  # angles, rates; the slider in the middle
END = 0.3
SLOW = 1e-7  # m/s: an impact after which the slider stays


def terms(x):
    """M, f of M a = f, rows of gap rate and slip, and what these rows have of accelerations without a."""
    p, r, w, u = x
    c, d = np.cos(p - r), np.sin(p - r)
    M = np.array([[I1 + m1 * a * a / 4 + m2 * a * a, m2 * a * s * c], [m2 * a * s * c, I2 + m2 * s * s]])
    f = -m2 * a * s * d * np.array([u * u, -w * w])
    f -= G * np.array([(m1 / 2 + m2) * a * np.cos(p), m2 * s * np.cos(r)])
    up, along = np.array([a * np.cos(p), b * np.cos(r)]), -np.array([a * np.sin(p), b * np.sin(r)])
    return M, f, up, along, -a * np.sin(p) * w * w - b * np.sin(r) * u * u


def height(x):
    return a * np.sin(x[0]) + b * np.sin(x[1])


def flight(t, x):
    M, f, *_ = terms(x)
    return np.array([*x[2:], *np.linalg.solve(M, f)])


def pressed(x, side, sign):
    """(accelerations, normal force) of the slider on the lower (side 1) or upper wall (-1), slipping in a direction."""
    M, f, up, along, bias = terms(x)
    n, push = side * up, side * up - MU * sign * along
    K = np.block([[M, -push[:, None]], [n[None], np.zeros((1, 1))]])
    y = np.linalg.solve(K, np.array([*f, -side * bias]))
    return y[:2], y[2]


def blow(x, side):
    M, _, up, along, _ = terms(x)
    R, v = np.array([side * up, along]), x[2:]
    A, u = R @ np.linalg.solve(M, R.T), R @ v
    P = np.linalg.solve(A, -np.array([(1 + E) * u[0], u[1]]))
    for sign in (1.0, -1.0):
        if abs(P[1]) <= MU * P[0]:
            break
        N = -(1 + E) * u[0] / (A[0, 0] - MU * sign * A[0, 1])
        Q = np.array([N, -MU * sign * N])
        if sign * (u + A @ Q)[1] > 0.0 and N > 0.0:
            P = Q
            break
    return np.array([*x[:2], *(v + np.linalg.solve(M, R.T @ P))])


def reference():
    """States at impacts, at ends of phases and at END."""
    t, x, side, log = 0.0, START, 0, []
    options = {"rtol": 1e-12, "atol": 1e-13, "method": "DOP853"}
    while t < END:
        walls = [lambda t, x, k=k: k * height(x) + C for k in (1, -1)]
        for event in walls:
            event.terminal, event.direction = True, -1
        if side == 0:
            found = solve_ivp(flight, (t, END), x, events=walls, first_step=1e-9, **options)
        else:
            along = terms(x)[3] @ x[2:]
            sign = np.sign(along)
            lifts = lambda t, x, k=side, g=sign: pressed(x, k, g)[1]  # noqa: E731
            turns = lambda t, x, g=sign: g * (terms(x)[3] @ x[2:])  # noqa: E731
            for event in (lifts, turns):
                event.terminal, event.direction = True, -1
            found = solve_ivp(
                lambda t, x, k=side, g=sign: np.array([*x[2:], *pressed(x, k, g)[0]]), (t, END), x, events=[lifts, turns],
                **options,
            )  # fmt: skip
        t, x = found.t[-1], found.y[:, -1]
        if found.status == 0:
            return log, x
        if side == 0:
            side = 1 if height(x) < 0 else -1
            after = blow(x, side)
            rate = side * terms(x)[2] @ after[2:]
            log.append((t, side, -side * terms(x)[2] @ x[2:]))
            x = after
            if rate > SLOW:
                side = 0
            else:
                up = terms(x)[2]
                Mi = np.linalg.solve(terms(x)[0], up)
                x[2:] -= Mi * (up @ x[2:]) / (up @ Mi)
        elif len(found.t_events[0]):
            side = 0
        else:
            raise AssertionError("the slider turns; choose a shorter time")
    return log, x


def slider_crank():
    mech, z = ct.Mechanism("slider-crank", gravity=(0, -G, 0)), (0, 0, 1)
    p, r = START[:2]
    A = np.array([a * np.cos(p), a * np.sin(p), 0])
    e = np.array([np.cos(r), np.sin(r), 0])
    crank = mech.body("crank", mass=m1, com=A / 2, inertia=(I1,) * 3)
    rod = mech.body("rod", mass=m2, com=A + s * e, inertia=(I2,) * 3)
    mech.joint("O", mech.ground, crank, ct.Revolute((0, 0, 0), z))
    mech.joint("A", crank, rod, ct.Revolute(A, z))
    tip = ct.Point(A + b * e)
    mech.contact("lower", mech.ground, ct.Plane((0, -C, 0), (0, 1, 0)), rod, tip, MU, E)
    mech.contact("upper", rod, tip, mech.ground, ct.Plane((0, C, 0), (0, -1, 0)), MU, E)
    return mech


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
def test_through_the_ends_of_its_bounces(coordinates):
    system = slider_crank().compile(coordinates=coordinates)
    run = ct.simulate(system, END, v={"O": START[2], "A": START[3] - START[2]}, output=7, rtol=1e-11, atol=1e-12)
    assert run.status == "done", run.message
    log, x = reference()
    assert len(run.statistics["bounces_ended"]) >= 1
    mine = [(i.t, 1 if i.contacts == ("lower",) else -1) for i in run.impacts]
    n = min(len(log), 12)
    np.testing.assert_allclose([i[0] for i in mine[:n]], [i[0] for i in log[:n]], rtol=0, atol=1e-9)
    assert [i[1] for i in mine[:n]] == [i[1] for i in log[:n]]
    angles = np.array([run.joint("O").angle[-1], run.joint("O").angle[-1] + run.joint("A").angle[-1]]) + START[:2]
    rates = np.array([run.joint("O").rate[-1], run.joint("O").rate[-1] + run.joint("A").rate[-1]])
    np.testing.assert_allclose(angles, x[:2], rtol=0, atol=1e-7)
    np.testing.assert_allclose(rates, x[2:], rtol=0, atol=1e-6)
    assert np.abs(run.energy.balance).max() < 1e-8
    assert min(run.contact("lower").gap.min(), run.contact("upper").gap.min()) > -1e-11
