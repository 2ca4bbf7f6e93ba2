"""Stick-slip against an event-driven integration by SciPy and against friction that is smoothed."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cotree as ct
from tests.integrate.switching_rigs import TIGHT, X, block, books_close, times

MASS, STIFFNESS = 1.5, 40.0


def belt(speed, friction, ratio=1.0):
    """A block on a belt that runs at constant speed, held back by a spring to ground; its joint measures the slip."""
    mech = ct.Mechanism("belt", (0, 0, 0))
    mech.body("belt", 1.0, (0, 0, 0), (0.1, 0.1, 0.1))
    mech.body("block", MASS, (0, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("run", "ground", "belt", ct.Prismatic(X))
    mech.joint("rub", "belt", "block", ct.Prismatic(X))
    mech.drive("engine", "run", lambda t: speed * t, rate=lambda t: speed, acceleration=lambda t: 0.0)
    mech.spring("spring", "ground", (-10.0, 0, 0), "block", (0, 0, 0), STIFFNESS)
    mech.brake("rub", friction, static_ratio=ratio)
    return mech


def shaken(friction, ratio, amplitude=0.3, rate=4.0):
    """A block on a slide with a brake, pulled by a spring whose far end moves to and fro."""
    mech = block(MASS)
    mech.body("support", 1.0, (5.0, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("guide", "ground", "support", ct.Prismatic(X, point=(5.0, 0, 0)))
    mech.drive(
        "shaker", "guide", lambda t: amplitude * np.sin(rate * t), rate=lambda t: amplitude * rate * np.cos(rate * t),
        acceleration=lambda t: -amplitude * rate**2 * np.sin(rate * t),
    )  # fmt: skip
    mech.spring("spring", "block", (0, 0, 0), "support", (5.0, 0, 0), STIFFNESS)
    mech.brake("slide", friction, static_ratio=ratio)
    return mech


def reference(force, surface, friction, holding, t_end, x, v):
    """m x'' = force(t, x) - friction sign(x' - surface), or stuck to a surface of constant speed while |force| < holding.

    Returns the times of sticking and slipping and a function x(t)."""
    t, pieces, sticks, slips = 0.0, [], [], []
    mode = 0 if v == surface and abs(force(0.0, x)) <= holding else int(np.sign(v - surface) or np.sign(force(0.0, x)))
    while t < t_end:
        if mode == 0:
            f = lambda t, y: [surface, 0.0]  # noqa: E731
            ends = [lambda t, y, s=s: holding - s * force(t, y[0]) for s in (1, -1)]
        else:
            f = lambda t, y, s=mode: [y[1], (force(t, y[0]) - s * friction) / MASS]  # noqa: E731
            ends = [lambda t, y, s=mode: s * (y[1] - surface)]
        for e in ends:
            e.terminal, e.direction = True, -1
        out = solve_ivp(
            f, (t, t_end), [x, v], "DOP853", events=ends, rtol=1e-12, atol=1e-13, dense_output=True, max_step=0.02
        )
        pieces.append((t, out.t[-1], out.sol))
        t, (x, v) = out.t[-1], out.y[:, -1]
        if t >= t_end:
            break
        now = force(t, x)
        if mode == 0:
            mode = int(np.sign(now))
            slips.append(t)
        else:
            v, mode = surface, 0 if abs(now) <= holding else int(np.sign(now))
            if mode == 0:
                sticks.append(t)

    def position(t):
        return np.array([next(sol(s)[0] for a, b, sol in pieces if a <= s <= b) for s in t])

    return sticks, slips, position


@pytest.mark.parametrize(("speed", "ratio"), [(0.2, 1.0), (0.2, 1.6), (0.05, 1.3)])
def test_a_block_on_a_belt(speed, ratio):
    """For ratio 1 the block slips once and creeps on at the border; above, it sticks and slips again and again."""
    friction = 3.0
    run = ct.simulate(belt(speed, friction, ratio), 6.0, v=[speed, 0.0], output=121, **TIGHT)
    books_close(run)
    force = lambda t, x: -STIFFNESS * x  # noqa: E731
    sticks, slips, position = reference(force, speed, friction, ratio * friction, 6.0, 0.0, speed)
    found = run.q.sum(axis=1)  # over ground
    assert found == pytest.approx(position(run.t), abs=2e-7)
    if ratio > 1.0:
        assert len(slips) > 1
        assert times(run, "slips") == pytest.approx(slips, abs=1e-7)
        assert times(run, "sticks") == pytest.approx(sticks, abs=1e-7)


def test_the_block_started_at_rest_is_caught_by_the_belt():
    run = ct.simulate(belt(0.3, 3.0, 1.5), 3.0, v=[0.3, -0.3], output=61, **TIGHT)
    books_close(run)
    force = lambda t, x: -STIFFNESS * x  # noqa: E731
    sticks, _, position = reference(force, 0.3, 3.0, 4.5, 3.0, 0.0, 0.0)
    assert run.q.sum(axis=1) == pytest.approx(position(run.t), abs=2e-7)
    assert times(run, "sticks")[0] == pytest.approx(sticks[0], abs=1e-8)


@pytest.mark.parametrize(("friction", "ratio"), [(8.0, 1.0), (7.0, 1.4), (9.0, 1.2)])
def test_a_block_that_is_shaken(friction, ratio):
    run = ct.simulate(shaken(friction, ratio), 6.0, output=121, **TIGHT)
    books_close(run)
    force = lambda t, x: STIFFNESS * (0.3 * np.sin(4.0 * t) - x)  # noqa: E731
    sticks, slips, position = reference(force, 0.0, friction, ratio * friction, 6.0, 0.0, 0.0)
    assert len(slips) > 2
    place = run.system.coordinate_names.index("slide")
    assert run.q[:, place] == pytest.approx(position(run.t), abs=2e-7)
    assert times(run, "slips") == pytest.approx(slips, abs=1e-6)
    assert [t for t in times(run, "sticks") if t > 0] == pytest.approx(sticks, abs=1e-6)


def test_smoothed_friction_comes_near():
    """-F tanh(v / eps) in place of the brake, small steps: the same motion to the order of eps."""
    friction, eps = 4.0, 1e-4
    mech = shaken(friction, 1.0)
    run = ct.simulate(mech, 3.0, output=31, **TIGHT)

    def rates(t, y):
        return [y[1], (STIFFNESS * (0.3 * np.sin(4 * t) - y[0]) - friction * np.tanh(y[1] / eps)) / MASS]

    smooth = solve_ivp(rates, (0, 3), [0, 0], "LSODA", t_eval=run.t, rtol=1e-8, atol=1e-10, max_step=1e-3)
    place = run.system.coordinate_names.index("slide")
    assert run.q[:, place] == pytest.approx(smooth.y[0], abs=1e-3)
    assert np.abs(smooth.y[0]).max() > 0.1


@pytest.mark.parametrize("method", ["rk4", "generalized-alpha"])
def test_fixed_steps_stick_and_slip_too(method):
    reference_run = ct.simulate(shaken(4.0, 1.0), 2.0, output=21, **TIGHT)
    run = ct.simulate(shaken(4.0, 1.0), 2.0, output=21, method=method, step=1e-3)
    books_close(run, 1e-3)
    assert run.q == pytest.approx(reference_run.q, abs=1e-4)
    assert len(times(run, "slips")) == len(times(reference_run, "slips"))
