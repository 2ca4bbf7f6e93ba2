"""Impacts and holding as problems of their own: the laws that they must obey, on random numbers, rows dependent or not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cotree.transitions.holding import balance, needed
from cotree.transitions.impact import impact

SEEDS = st.integers(0, 2**32 - 1)


def numbers(seed, n=5, m=2, k=3):
    """M, J, R with a row of J twice and a row of R that depends on others."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, n))
    J, R = rng.normal(size=(m, n)), rng.normal(size=(k, n))
    J, R = np.vstack([J, J[0]]), np.vstack([R, R[0] + R[1]])
    return rng, A @ A.T + np.eye(n), J, R


@given(SEEDS, st.booleans())
def test_impacts(seed, elastic):
    """M dv + J^T Lam = R^T p, J v+ = b, u+ >= -e u-, p >= 0 and zero where u+ is greater; dependent stops without rebound."""
    rng, M, J, R = numbers(seed)
    R = R[:3] if elastic else R
    v, e = rng.normal(size=5), rng.uniform(0, 1, 3) if elastic else np.zeros(4)
    b = J @ rng.normal(size=5)
    it = impact(M, J, b, v, R, e)
    size = np.abs(it.v).max() + np.abs(v).max()
    assert M @ (it.v - v) + J.T @ it.Lam == pytest.approx(R.T @ it.p, abs=1e-8 * size * np.abs(M).max())
    assert J @ it.v == pytest.approx(b, abs=1e-8 * size)
    before, after = R @ v, R @ it.v
    slack = after + e * np.minimum(before, 0.0)
    assert (it.p >= 0.0).all()
    assert slack.min() > -1e-8 * size
    assert np.abs(slack * it.p).max() < 1e-7 * size * max(1.0, it.p.max())


@given(SEEDS)
def test_impacts_without_persistent_motion_lose_energy(seed):
    """b = 0 and e <= 1, one stop at a time or stops that do not depend on each other: energy never rises."""
    rng, M, J, R = numbers(seed)
    v = rng.normal(size=5)
    v = v - np.linalg.solve(M, J[:2].T) @ np.linalg.solve(J[:2] @ np.linalg.solve(M, J[:2].T), J[:2] @ v)
    it = impact(M, J, np.zeros(3), v, R[:1], np.array([rng.uniform()]))
    assert it.v @ M @ it.v <= v @ M @ v * (1 + 1e-12)


@given(SEEDS)
def test_balance(seed):
    """Forces within bounds; a row moves only against a force at its bound, in the sense that the force allows."""
    rng, M, J, C = numbers(seed, k=2)
    f, eta = 5.0 * rng.normal(size=5), np.zeros(3)
    low, high = np.array([-1.0, -2.0, -np.inf]), np.array([1.0, 2.0, 0.0])
    it = balance(M, J, f, eta, C, np.zeros(3), low, high)
    assert (it.lam >= low - 1e-12).all()
    assert (it.lam <= high + 1e-12).all()
    for lam, a, lo, hi in zip(it.lam, it.acceleration, low, high, strict=True):
        if lo + 1e-9 < lam < hi - 1e-9:
            assert abs(a) < 1e-7
        elif lam >= hi - 1e-9:
            assert a > -1e-7
        else:
            assert a < 1e-7
    K = np.block([[M, J[:2].T], [J[:2], np.zeros((2, 2))]])
    v_dot = np.linalg.solve(K, np.concatenate([f - C.T @ it.lam, [0.0, 0.0]]))[:5]
    assert C @ v_dot == pytest.approx(it.acceleration, abs=1e-7)


@given(SEEDS)
def test_needed(seed):
    """The least part of what brakes can hold: with a little more all stays at rest, with a little less something gives."""
    rng, M, J, C = numbers(seed, k=2)
    f, most = 5.0 * rng.normal(size=5), rng.uniform(0.5, 2.0, 3)
    s = needed(M, J, f, np.zeros(3), C, np.zeros(3), most)
    for part, still in ((1.001, True), (0.999, False)):
        it = balance(M, J, f, np.zeros(3), C, np.zeros(3), -s * part * most, s * part * most)
        assert (np.abs(it.acceleration).max() < 1e-6) == still
