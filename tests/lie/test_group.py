"""Laws of SE(3), its algebra and the dual, for arbitrary elements."""

import numpy as np
from hypothesis import given

from cotree.lie import se3, so3

from . import cases
from .reference import EPS

motions = cases.twists_up_to(20.0)


def size(*elements):
    """Scale of the rounding errors of an expression that is linear in each of the elements."""
    return np.prod([1 + np.linalg.norm(np.concatenate(e)) for e in elements])


def close(a, b, scale):
    return np.abs(np.concatenate(a) - np.concatenate(b)).max() <= 64 * EPS * scale


@cases.properties
@given(motions, motions, motions)
def test_composition_is_associative(X, Y, Z):
    A, B, C = se3.exp(X), se3.exp(Y), se3.exp(Z)
    assert close(se3.compose(se3.compose(A, B), C), se3.compose(A, se3.compose(B, C)), size(A, B, C))


@cases.properties
@given(motions)
def test_inverse(X):
    A, one = se3.exp(X), se3.exp(((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    assert one == ((1, 0, 0, 0, 1, 0, 0, 0, 1), (0, 0, 0))
    assert close(se3.compose(A, se3.inverse(A)), one, size(A))
    assert close(se3.compose(se3.inverse(A), A), one, size(A))
    assert close(se3.inverse(A), se3.exp(se3.times(-1.0, X)), size(A))


@cases.properties
@given(motions, motions, cases.points)
def test_action_on_points(X, Y, x):
    A, B = se3.exp(X), se3.exp(Y)
    assert close([se3.act(se3.compose(A, B), x)], [se3.act(A, se3.act(B, x))], size(A, B, [x]))


@cases.properties
@given(motions, motions, cases.any_twist)
def test_Ad_is_a_homomorphism(X, Y, Z):
    A, B = se3.exp(X), se3.exp(Y)
    assert close(se3.Ad(se3.compose(A, B), Z), se3.Ad(A, se3.Ad(B, Z)), size(A, B, Z))


@cases.properties
@given(motions, cases.any_twist)
def test_Ad_inv(X, Z):
    A = se3.exp(X)
    assert close(se3.Ad_inv(A, Z), se3.Ad(se3.inverse(A), Z), size(A, Z))
    assert close(se3.Ad_inv(A, se3.Ad(A, Z)), Z, size(A, Z))


@cases.properties
@given(motions, cases.any_twist, cases.any_twist)
def test_Ad_keeps_brackets(X, Y, Z):
    A = se3.exp(X)
    left, right = se3.Ad(A, se3.bracket(Y, Z)), se3.bracket(se3.Ad(A, Y), se3.Ad(A, Z))
    assert close(left, right, size(A, A, Y, Z))


@cases.properties
@given(cases.any_twist, cases.any_twist, cases.any_twist)
def test_bracket_is_antisymmetric_and_obeys_jacobi(X, Y, Z):
    b = se3.bracket
    assert close(b(X, Y), se3.times(-1.0, b(Y, X)), size(X, Y))
    total = se3.plus(se3.plus(b(X, b(Y, Z)), b(Y, b(Z, X))), b(Z, b(X, Y)))
    assert close(total, ((0, 0, 0), (0, 0, 0)), size(X, Y, Z))


@cases.properties
@given(motions, cases.any_twist)
def test_Ad_moves_the_exponential(X, Y):
    """A exp(Y) A^-1 = exp(Ad_A Y)."""
    A = se3.exp(X)
    conjugate = se3.compose(se3.compose(A, se3.exp(Y)), se3.inverse(A))
    assert close(conjugate, se3.exp(se3.Ad(A, Y)), size(A, A, Y))


@cases.properties
@given(cases.any_twist, cases.any_twist)
def test_bracket_is_the_rate_of_Ad(X, Y):
    """d/dt Ad_exp(tX) Y at 0, by a central difference: second order in t."""
    t = 1e-5 / size(X)
    ahead, behind = se3.Ad(se3.exp(se3.times(t, X)), Y), se3.Ad(se3.exp(se3.times(-t, X)), Y)
    rate = se3.times(0.5 / t, se3.minus(ahead, behind))
    assert np.abs(np.ravel(se3.minus(rate, se3.bracket(X, Y)))).max() <= 1e-9 * size(X, Y)


@cases.properties
@given(motions, cases.any_twist, cases.any_twist)
def test_power_does_not_depend_on_the_frame(X, V, W):
    A = se3.exp(X)
    assert abs(se3.pair(se3.Ad(A, V), se3.coAd(A, W)) - se3.pair(V, W)) <= 64 * EPS * size(A, A, V, W)


@cases.properties
@given(cases.any_twist, cases.any_twist, cases.any_twist)
def test_cobracket_is_minus_the_dual_of_the_bracket(X, Y, W):
    assert abs(se3.pair(Y, se3.cobracket(X, W)) + se3.pair(se3.bracket(X, Y), W)) <= 64 * EPS * size(X, Y, W)


@cases.properties
@given(cases.any_twist, cases.any_twist)
def test_linear_algebra_of_twists(X, Y):
    x, y = np.ravel(X), np.ravel(Y)
    assert (np.ravel(se3.plus(X, Y)) == x + y).all()
    assert (np.ravel(se3.minus(X, Y)) == x - y).all()
    assert (np.ravel(se3.times(3.0, X)) == 3 * x).all()
    assert np.allclose(np.ravel(se3.plus_times(3.0, X, Y)), 3 * x + y, rtol=0, atol=1e-14)
    assert abs(se3.pair(X, Y) - x @ y) <= 64 * EPS * size(X, Y)


@cases.properties
@given(motions, cases.any_twist)
def test_dexp_body_and_spatial_differ_by_Ad(X, Y):
    assert close(se3.Ad(se3.exp(X), se3.dexp_body(X, Y)), se3.dexp_spatial(X, Y), size(X, X, Y))


@cases.properties
@given(cases.twists_up_to(6.0), cases.any_twist)
def test_inverse_differentials(X, Y):
    for forward, back in ((se3.dexp_spatial, se3.dexp_spatial_inv), (se3.dexp_body, se3.dexp_body_inv)):
        assert close(back(X, forward(X, Y)), Y, size(X, X, Y))
        assert close(forward(X, back(X, Y)), Y, size(X, X, Y))


@cases.properties
@given(motions, cases.any_twist, cases.any_twist)
def test_curvature_of_the_differential(X, U, Y):
    """Maurer-Cartan: d_U dexp(Y) - d_Y dexp(U) = [dexp U, dexp Y] for the spatial differential."""
    left = se3.minus(se3.ddexp_spatial(X, U, Y), se3.ddexp_spatial(X, Y, U))
    right = se3.bracket(se3.dexp_spatial(X, U), se3.dexp_spatial(X, Y))
    assert close(left, right, size(X, X, U, Y))


@cases.properties
@given(cases.rotation_vectors_up_to(20.0), cases.points)
def test_rotation_part_is_that_of_so3(w, y):
    """To rounding: the same source, but products and sums are fused (contracted) in each kernel as suits it."""
    X, Y = (w, (0.0, 0.0, 0.0)), ((0.0, 0.0, 0.0), y)
    assert close([se3.exp(X)[0]], [so3.exp(w)], size(X))
    assert np.allclose(se3.dexp_spatial(X, Y)[1], so3.dexp_spatial(w, y), rtol=0, atol=1e-13)


@cases.properties
@given(motions, motions)
def test_composition_is_the_product_of_matrices(X, Y):
    """[Lie (4)] by 4 x 4 matrices."""
    A, B = se3.exp(X), se3.exp(Y)
    R, p = se3.compose(A, B)
    product = _matrix(A) @ _matrix(B)
    assert close([R], [product[:3, :3].ravel()], size(A, B))
    assert close([p], [product[:3, 3]], size(A, B))


def _matrix(C):
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = np.reshape(C[0], (3, 3)), C[1]
    return out
