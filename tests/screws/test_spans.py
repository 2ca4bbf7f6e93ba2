"""Subspaces: ranks, sums, intersections, complements."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotree.screws import (
    Kind,
    closure,
    complement,
    contains,
    dimension,
    identify,
    intersection,
    motion_group,
    same,
    span,
    sum_of,
)  # fmt: skip

from .joint_sets import CENTRE, X, Y, Z, joints, meeting, seeds

SLIDE = np.inf
dims = st.integers(0, 6)


def orthonormal(rng, k):
    return np.linalg.qr(rng.standard_normal((6, 6)))[0][:, :k]


def mixed(rng, A):
    """The same subspace in another basis."""
    k = A.shape[1]
    return A @ np.linalg.qr(rng.standard_normal((k, k)))[0]


@st.composite
def pairs(draw, noise=0.0):
    """Two subspaces and the dimension that they share, in a frame where shared directions are known."""
    shared, a, b = draw(dims), draw(dims), draw(dims)
    shared = min(shared, 6)
    a = min(a, 6 - shared)
    b = min(b, 6 - shared - a)
    rng = np.random.default_rng(draw(seeds))
    Q = rng.standard_normal((6, 6)) + 3 * np.eye(6)
    common, only_a, only_b = Q[:, :shared], Q[:, shared : shared + a], Q[:, shared + a : shared + a + b]
    A, B = (np.linalg.qr(np.hstack([common, rest]))[0] for rest in (only_a, only_b))
    B = np.linalg.qr(B + noise * rng.standard_normal(B.shape))[0]
    return mixed(rng, A), mixed(rng, B), np.linalg.qr(common)[0]


@settings(deadline=None)
@given(pairs())
def test_intersection_is_the_shared_part(case):
    A, B, common = case
    found = intersection(A, B)
    assert same(found, common)
    np.testing.assert_allclose(found.T @ found, np.eye(dimension(common)), atol=1e-12)


@settings(deadline=None)
@given(pairs())
def test_intersection_by_brute_force(case):
    """A x = B y: null space of [A, -B]."""
    A, B, _ = case
    M = np.hstack([A, -B])
    s = np.linalg.svd(M)[1]
    nullity = M.shape[1] - np.count_nonzero(s > 1e-9)
    assert dimension(intersection(A, B)) == nullity
    assert dimension(sum_of(A, B)) == np.count_nonzero(s > 1e-9)


@settings(deadline=None)
@given(pairs(noise=1e-10))
def test_noise_keeps_dimensions(case):
    A, B, common = case
    assert dimension(intersection(A, B)) == dimension(common)
    assert same(intersection(A, B), intersection(B, A))
    assert same(sum_of(A, B), sum_of(B, A))


@settings(deadline=None)
@given(dims, dims, seeds, st.floats(-12, 0))
def test_dimension_formula(a, b, seed, exponent):
    """Also when the subspaces are about to share a direction, at angles on either side of the tolerance."""
    rng = np.random.default_rng(seed)
    A = orthonormal(rng, a)
    near = A[:, : min(a, b)] + 10.0**exponent * rng.standard_normal((6, min(a, b)))
    B = np.linalg.qr(np.hstack([near, rng.standard_normal((6, b - min(a, b)))]))[0]
    assert dimension(sum_of(A, B)) + dimension(intersection(A, B)) == a + b


@settings(deadline=None)
@given(dims, dims, seeds)
def test_sum_holds_both_and_intersection_is_held(a, b, seed):
    rng = np.random.default_rng(seed)
    A, B = orthonormal(rng, a), orthonormal(rng, b)
    both, shared = sum_of(A, B), intersection(A, B)
    assert contains(both, A)
    assert contains(both, B)
    assert contains(A, shared)
    assert contains(B, shared)
    np.testing.assert_allclose(both.T @ both, np.eye(dimension(both)), atol=1e-12)


@settings(deadline=None)
@given(dims, dims, seeds)
def test_complement_turns_sums_into_intersections(a, b, seed):
    rng = np.random.default_rng(seed)
    A, B = orthonormal(rng, a), orthonormal(rng, b)
    assert dimension(complement(A)) == 6 - a
    assert not (np.abs(complement(A).T @ A) > 1e-12).any()
    assert same(complement(complement(A)), A)
    assert same(complement(sum_of(A, B)), intersection(complement(A), complement(B)))


@settings(deadline=None)
@given(st.integers(1, 6), seeds)
def test_same_does_not_see_the_basis(k, seed):
    rng = np.random.default_rng(seed)
    A = orthonormal(rng, k)
    assert same(A, mixed(rng, A))
    assert not same(A, A[:, 1:])
    assert contains(A, A[:, 1:])
    assert not contains(A[:, 1:], A)


@settings(deadline=None)
@given(st.integers(1, 5), seeds, st.sampled_from([1e-4, 1e-2, 1.0]))
def test_same_tells_equal_dimensions_apart(k, seed, angle):
    Q = orthonormal(np.random.default_rng(seed), 6)
    turned = Q[:, :k].copy()
    turned[:, 0] = np.cos(angle) * Q[:, 0] + np.sin(angle) * Q[:, 5]
    assert not same(Q[:, :k], turned)
    assert same(Q[:, :k], turned, tol=1.1 * np.sin(angle))


@pytest.mark.parametrize(("angle", "rank"), [(1e-3, 2), (1e-4, 2), (1e-6, 2), (1e-10, 1), (0.0, 1)])
def test_how_far_apart_is_different(angle, rank):
    X2 = np.array([[0, 0, 1, 0, 0, 0], [np.sin(angle), 0, np.cos(angle), 0, 0, 0]]).T
    assert dimension(span(X2)) == rank
    assert dimension(sum_of(X2[:, :1], X2[:, 1:])) == rank
    assert dimension(intersection(X2[:, :1], X2[:, 1:])) == 2 - rank


def test_span_does_not_blow_up_noise():
    assert dimension(span(1e-9 * np.eye(6))) == 0
    assert dimension(span(np.zeros((6, 0)))) == 0


@settings(deadline=None)
@given(st.integers(1, 5), st.integers(1, 200), seeds)
def test_many_copies(rank, copies, seed):
    rng = np.random.default_rng(seed)
    A = orthonormal(rng, rank)
    assert same(span(np.hstack([mixed(rng, A) for _ in range(copies)])), A)


PLANAR_Z = closure(joints((Z, X, 0), (Z, Y, 0)).screws)
PLANAR_X = closure(joints((X, Z, 0), (X, Y, 0)).screws)
SCHOENFLIES_X = closure(joints((X, X, 0), (X, Y, 0), (X, X, SLIDE)).screws)
SCHOENFLIES_Z = closure(joints((Z, X, 0), (Z, Y, 0), (Z, X, SLIDE)).screws)
SPHERICAL = closure(meeting(CENTRE, X, Y).screws)
SPHERICAL_ABOVE = closure(meeting(np.add(CENTRE, Z), X, Y).screws)


@pytest.mark.parametrize(
    ("A", "B", "kind", "axis"),
    [
        (PLANAR_Z, PLANAR_X, Kind.PRISMATIC, Y),
        (SCHOENFLIES_X, SCHOENFLIES_Z, Kind.TRANSLATION, None),
        (SCHOENFLIES_X, PLANAR_Z, Kind.PLANAR_TRANSLATION, Z),
        (SPHERICAL, SPHERICAL_ABOVE, Kind.REVOLUTE, Z),
        (SPHERICAL, SCHOENFLIES_X, Kind.REVOLUTE, X),
        (PLANAR_Z, SCHOENFLIES_Z, Kind.PLANAR, Z),
        (SPHERICAL, complement(SPHERICAL), Kind.WELD, None),
    ],
)
def test_groups_that_two_groups_share(A, B, kind, axis):
    found = identify(intersection(A, B))
    assert found.kind is kind
    if kind is Kind.REVOLUTE:
        np.testing.assert_allclose(np.cross(np.subtract(found.point, CENTRE), axis), 0, atol=1e-12)
    assert axis is None or np.allclose(found.axis, axis)


@pytest.mark.parametrize("noise", [0.0, 1e-10])
def test_three_legs_of_a_translating_platform(noise):
    """3-PRRR, Reg 7.2: three legs of Schoenflies motion leave the translations; 4 rows, then 3."""
    rng = np.random.default_rng(1)
    algebras, last = [], []
    for n in np.eye(3):
        axes = [n + noise * rng.uniform(-1, 1, 3) for _ in range(4)]
        leg = joints(*zip(axes, rng.uniform(-1, 1, (4, 3)), (SLIDE, 0, 0, 0), strict=True)).screws
        algebras.append(closure(leg))
        last.append(span(leg[:, 3:]))
    rows_1 = dimension(sum_of(algebras[0], algebras[1])) - 1
    platform = intersection(algebras[0], algebras[1])
    rows_2 = dimension(sum_of(platform, algebras[2])) - 1
    alone = dimension(sum_of(algebras[0], algebras[2])) - 1
    assert (rows_1, rows_2, alone) == (4, 3, 4)
    assert motion_group(intersection(platform, algebras[2])).kind is Kind.TRANSLATION


def test_rows_of_sarrus_depend_on_the_cut():
    """Six-bar of Sarrus, cut at each joint in turn: 4 rows at the moving plate, 5 elsewhere."""
    points = [(1, 0, 0), (1.5, 0, 0.5), (1, 0, 1), (0, 1, 1), (0, 1.5, 0.5), (0, 1, 0)]
    Y6 = joints(*((Y if i < 3 else X, p, 0) for i, p in enumerate(points))).screws
    rows = [
        dimension(sum_of(sum_of(closure(Y6[:, :c]), closure(Y6[:, c + 1 :])), span(Y6[:, c : c + 1]))) - 1
        for c in range(6)
    ]
    assert rows == [5, 5, 4, 4, 5, 5]


@pytest.mark.parametrize("rank", range(7))
def test_span_is_the_column_space(rank):
    """[Reg (24)]: orthonormal columns, as many as the rank, in which all screws lie."""
    rng = np.random.default_rng(rank)
    screws = rng.standard_normal((6, rank)) @ rng.standard_normal((rank, 9))
    basis = span(screws)
    assert basis.shape == (6, rank)
    assert basis.T @ basis == pytest.approx(np.eye(rank), abs=1e-13)
    assert basis @ (basis.T @ screws) == pytest.approx(screws, abs=1e-12)
