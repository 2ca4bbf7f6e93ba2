"""The papers' closed forms, evaluated with 50 digits: a second route to exp and to the inverse of dexp."""

from mpmath import cos, cot, matrix, mp, sin

from cotree.lie import se3, so3

from . import cases, reference
from .reference import block, error

ANGLES = [a for a in cases.UP_TO_2PI if a >= 1e-8]  # below, the closed forms cancel even with these digits


def condition(angle):
    """The inverses have a pole at 2 pi."""
    return max(1.0, 2 * cases.PI / abs(angle - 2 * cases.PI))


def closed(form):
    return reference.precise(reference.DIFFERENCE_DIGITS)(form)


@closed
def exp_position(X):
    """Lie (7) with the division by theta^2: p = ((I - R)(w x v) + w (w . v)) / theta^2."""
    X = reference.exact(X)
    w, v = X[:3], X[3:]
    R, wv = matrix(reference.exp_so3(w)), matrix(reference.cross(w, v))
    pitch = sum(a * b for a, b in zip(w, v, strict=True))
    return list((wv - R * wv + pitch * matrix(w)) / reference.norm(w) ** 2)


@closed
def dexp_inv_rotation(w):
    """Lie (10): I - w^ / 2 + (1 - (theta / 2) cot(theta / 2)) w^^2 / theta^2."""
    w = reference.exact(w)
    hat, theta = matrix(reference.matrix_of(lambda y: reference.cross(w, y), 3)), reference.norm(w)
    return (mp.eye(3) - hat / 2 + (1 - theta / 2 * cot(theta / 2)) / theta**2 * hat**2).tolist()


@closed
def dexp_inv_motion(X):
    """Lie (9): a polynomial in ad with ad^2 and ad^4."""
    X = reference.exact(X)
    ad, t = matrix(reference.matrix_of(lambda Y: reference.bracket(X, Y), 6)), reference.norm(X[:3])
    second = 2 / t**2 + (t + 3 * sin(t)) / (4 * t * (cos(t) - 1))
    fourth = 1 / t**4 + (t + sin(t)) / (4 * t**3 * (cos(t) - 1))
    return (mp.eye(6) - ad / 2 + second * ad**2 + fourth * ad**4).tolist()


@cases.at(ANGLES)
def test_position_of_exp(angle):
    for X in cases.twists(angle):
        assert error(se3.exp(X)[1], exp_position(X), reference.norm(reference.exact(X[1]))) <= 4


@cases.at(ANGLES)
def test_dexp_inv_on_so3(angle):
    for w in cases.rotation_vectors(angle):
        found = cases.matrix3(lambda y, w=w: so3.dexp_spatial_inv(w, y))
        assert error(found, dexp_inv_rotation(w)) <= 4 * condition(angle)


@cases.at(ANGLES)
def test_dexp_inv_on_se3(angle):
    for X in cases.twists(angle):
        found = cases.matrix6(lambda Y, X=X: se3.dexp_spatial_inv(X, Y)).tolist()
        expected = dexp_inv_motion(X)
        for i, j in ((0, 0), (1, 0), (1, 1)):
            assert error(block(found, i, j), block(expected, i, j)) <= 8 * condition(angle)
