"""Array faces: any leading shape, any layout, any real type; wrong shapes are named."""

import numpy as np
import pytest

from cotree import lie
from cotree.errors import ShapeError
from cotree.lie import cayley, direct, quaternion, se3, so3

from . import cases

X = np.random.default_rng(1).normal(size=(2, 3, 6))
C = lie.exp_se3(X)
R = C[..., :3, :3]
E = lie.quaternion_of(R)


def close(a, b):
    """To rounding: products of matrices may be summed in another order."""
    return np.allclose(a, b, rtol=0, atol=1e-14)


def tuple_pose(c):
    return (cases.floats(c[:3, :3]), cases.floats(c[:3, 3]))


def array_pose(A):
    c = np.eye(4)
    c[:3, :3], c[:3, 3] = np.reshape(A[0], (3, 3)), A[1]
    return c


def columns(differential):
    return lambda x: cases.matrix6(lambda Y: differential(cases.pair_of(x), Y))


# face, its input, the same by tuples
FACES = [
    (lie.exp_so3, X[..., :3], lambda w: np.reshape(so3.exp(cases.triple(w)), (3, 3))),
    (lie.log_so3, R, lambda A: so3.log(cases.floats(A))),
    (lie.exp_se3, X, lambda x: array_pose(se3.exp(cases.pair_of(x)))),
    (lie.log_se3, C, lambda c: np.ravel(se3.log(tuple_pose(c)))),
    (lie.cay, X, lambda x: array_pose(cayley.cay(cases.pair_of(x)))),
    (lie.quaternion_of, R, lambda A: quaternion.from_rotation(cases.floats(A))),
    (lie.rotation_of_quaternion, E, lambda e: np.reshape(quaternion.to_rotation(cases.floats(e)), (3, 3))),
    (lie.dexp_spatial, X, columns(se3.dexp_spatial)),
    (lie.dexp_spatial_inv, X, columns(se3.dexp_spatial_inv)),
    (lie.dexp_body, X, columns(se3.dexp_body)),
    (lie.dexp_body_inv, X, columns(se3.dexp_body_inv)),
    (lie.dcay_spatial, X, columns(cayley.dcay_spatial)),
    (lie.dcay_spatial_inv, X, columns(cayley.dcay_spatial_inv)),
    (lie.dexp_spatial_direct, X, columns(direct.dexp_spatial)),
    (lie.dexp_spatial_inv_direct, X, columns(direct.dexp_spatial_inv)),
    (lie.ad, X, columns(se3.bracket)),
    (lie.Ad, C, lambda c: cases.matrix6(lambda Y: se3.Ad(tuple_pose(c), Y))),
    (lie.inverse, C, lambda c: array_pose(se3.inverse(tuple_pose(c)))),
    (lie.hat, X[..., :3], lambda w: np.cross(w, np.eye(3)).T),
    (lie.hat, X, lambda x: np.vstack([np.column_stack([np.cross(x[:3], np.eye(3)).T, x[3:]]), np.zeros(4)])),
    (lie.vee, lie.hat(X[..., :3]), lambda A: [A[2, 1], A[0, 2], A[1, 0]]),
    (lie.vee, lie.hat(X), lambda A: [A[2, 1], A[0, 2], A[1, 0], *A[:3, 3]]),
]
NAMES = [face.__name__ + str(i) for i, (face, _, _) in enumerate(FACES)]
every_face = pytest.mark.parametrize(("face", "x", "one"), FACES, ids=NAMES)


@every_face
def test_batches(face, x, one):
    found = face(x)
    for i in np.ndindex(2, 3):
        assert close(found[i], one(x[i]))
        assert close(face(x[i]), found[i])
    assert found.shape[:2] == (2, 3)
    assert found.dtype == float


@every_face
def test_empty_batches(face, x, one):
    assert face(x[:, :0]).shape == (2, 0, *face(x[0, 0]).shape)


@every_face
def test_layouts_that_are_not_contiguous(face, x, one):
    expected = face(x)
    strided = np.repeat(x, 2, axis=-1)[..., ::2]
    backward = x[::-1]
    fortran = np.asfortranarray(x)
    assert not strided.flags.c_contiguous
    assert not fortran.flags.c_contiguous
    assert close(face(strided), expected)
    assert close(face(fortran), expected)
    assert close(face(backward)[::-1], expected)


@every_face
def test_integers_and_lists(face, x, one):
    n = x.shape[-1]
    whole = np.eye(n, dtype=int) if face not in (lie.hat, lie.ad) and x.ndim == 4 else np.arange(1, n + 1)
    assert np.array_equal(face(whole), face(whole.astype(float)))
    assert np.array_equal(face(whole.tolist()), face(whole.astype(float)))


@every_face
def test_the_argument_is_not_changed(face, x, one):
    kept = x.copy()
    face(x)
    assert np.array_equal(x, kept)


@every_face
@pytest.mark.parametrize("shape", [(), (0,), (5,), (7,), (2, 2), (3, 5), (4, 5), (5, 5), (4, 4, 1)])
def test_wrong_shapes(face, x, one, shape):
    with pytest.raises(ShapeError, match=r"last axes are \(.*got shape \(") as raised:
        face(np.zeros(shape))
    assert str(shape) in str(raised.value)


def test_wrong_shapes_of_the_other_faces():
    for wrong in (np.zeros(5), np.zeros((6, 1)), 0.0):
        with pytest.raises(ShapeError):
            lie.bracket(wrong, np.zeros(6))
        with pytest.raises(ShapeError):
            lie.bracket(np.zeros(6), wrong)
        with pytest.raises(ShapeError):
            lie.pose(p=wrong)
        with pytest.raises(ShapeError):
            lie.pose(R=wrong)
    with pytest.raises(ShapeError):
        lie.pose(R=np.zeros(3))


def test_bracket():
    Y = np.random.default_rng(2).normal(size=(3, 6))
    found = lie.bracket(X, Y)
    assert found.shape == (2, 3, 6)
    for i, j in np.ndindex(2, 3):
        expected = np.ravel(se3.bracket(cases.pair_of(X[i, j]), cases.pair_of(Y[j])))
        assert np.allclose(found[i, j], expected, rtol=0, atol=1e-14)
    assert np.allclose(lie.ad(X) @ Y[..., None], found[..., None], rtol=0, atol=1e-14)


def test_pose():
    assert np.array_equal(lie.pose(), np.eye(4))
    assert np.array_equal(lie.pose(R[0, 0], (1, 2, 3))[:3], np.column_stack([R[0, 0], (1, 2, 3)]))
    assert np.array_equal(lie.pose(R, C[..., :3, 3]), C)
    assert np.array_equal(lie.pose(p=[[1, 2, 3], [4, 5, 6]])[:, :, 3], [[1, 2, 3, 1], [4, 5, 6, 1]])


def test_group_in_matrices():
    assert np.allclose(lie.inverse(C) @ C, np.eye(4), rtol=0, atol=1e-14)
    assert np.allclose(lie.Ad(C[0] @ C[1]), lie.Ad(C[0]) @ lie.Ad(C[1]), rtol=0, atol=1e-13)
    assert np.array_equal(lie.vee(lie.hat(X)), X)
    assert np.allclose(lie.Ad(C) @ lie.dexp_body(X), lie.dexp_spatial(X), rtol=0, atol=1e-13)


def test_differentials_of_rotations():
    """3x3 of rotation vectors, as (10) of [Lie] has it; the first by the series sum of hat(w)^k / (k + 1)!."""
    w = X[..., :3]
    hats, term, series = lie.hat(w), np.eye(3), np.zeros((*w.shape, 3))
    for k in range(40):
        series, term = series + term, term @ hats / (k + 2)
    assert np.allclose(lie.dexp_spatial(w), series, rtol=0, atol=1e-13)
    assert np.allclose(lie.dexp_spatial_inv(w) @ series, np.eye(3), rtol=0, atol=1e-12)
    assert np.array_equal(lie.dexp_body(w), lie.dexp_spatial(-w))
    assert np.array_equal(lie.dexp_body_inv(w), lie.dexp_spatial_inv(-w))
