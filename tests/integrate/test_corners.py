"""The search for the least size of a direction: corners are found within a few rounds, rounded ones are told from them."""

from itertools import pairwise

import numpy as np
import pytest

import cotree as ct
from cotree.integrate.driver import Driver
from cotree.integrate.events.corners import PATIENCE, Bracket, closer, guesses, is_found, least_within
from cotree.integrate.settings import Settings

DRAWN = np.random.default_rng(15).uniform(size=(300, 3))


def rounds(f, m):
    """Brackets of the search for the least of f between 0 and 1, from the middle m on."""
    x = Bracket(0.0, f(0.0), m, f(m), 1.0, f(1.0))
    found = [x]
    while not is_found(x) and len(found) < 40:
        back, ahead = guesses(x)
        assert x.a < back <= x.m <= ahead < x.b
        x = closer(x, back, f(back), ahead, f(ahead))
        assert x.a < x.b
        assert x.fm <= min(x.fa, x.fb)
        found.append(x)
    return found


def longest_wait(found):
    """How many rounds in a row did not halve the least."""
    longest = waited = 0
    for x, y in pairwise(found):
        waited = waited + 1 if y.fm > max(0.5 * x.fm, 1e-12) else 0
        longest = max(longest, waited)
    return longest


def test_corners_are_found_before_patience_ends():
    """|t - t0| times something that changes fourfold between the ends."""
    for place, bend, slope in DRAWN:
        t0 = 0.05 + 0.9 * place

        def f(t, t0=t0, bend=bend, slope=slope):
            return abs(t - t0) * np.exp(1.4 * (slope - 0.5) * t + 2.0 * (bend - 0.5) * (t - 0.5) ** 2)

        start = next((m for m in np.linspace(0.02, 0.98, 193) if f(m) < f(0.0) and f(m) <= f(1.0)), t0)
        found = rounds(f, start)
        assert found[-1].m == pytest.approx(t0, abs=1e-11)
        assert longest_wait(found) < PATIENCE


@pytest.mark.parametrize("lowest", [1e-3, 0.1, 1.0])
def test_rounded_ones_are_left(lowest):
    found = rounds(lambda t: lowest + (t - 0.37) ** 2, 0.5)
    assert longest_wait(found) >= PATIENCE
    assert found[-1].m == pytest.approx(0.37, abs=1e-4)


def test_least_size_within_steps_of_a_run():
    """A parallelogram that turns at 3 rad/s is flat at (pi - 0.6) / 3 s; beside that the size is not zero."""
    system = ct.gallery.parallelogram(0.6).compile(cut=["C"])
    v = np.array([{"A": 3.0, "B": -3.0, "D": 3.0}[name] for name in system.coordinate_names])
    settings = Settings(method="rk4", step=0.05).resolved(system)
    flat = (np.pi - 0.6) / 3.0
    for begin, vanishes in ((flat - 0.06, True), (flat - 0.3, False)):
        turned = ct.simulate(system, begin, v=v, rtol=1e-11, atol=1e-11)
        q0, v0 = turned.q[-1], turned.v[-1]
        driver = Driver(system, settings, begin, q0, v0, np.array([begin, begin + 0.1]), begin + 0.1, ())
        driver.go(False)
        q, u = np.empty(system.nq), np.empty(system.nv)
        t, size = least_within(driver.state.here, 1e-9, q, u)
        assert (size < 1e-6) == vanishes
        assert begin <= t <= begin + 0.1
        if vanishes:
            assert t == pytest.approx(flat, abs=1e-6)
            assert np.linalg.svd(ct.constraint_jacobian(system, q), compute_uv=False)[-1] < 1e-6
