"""Mass properties of shapes against Gauss quadrature over their volumes, which is exact for these integrands."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ArgumentError, ModelError

DENSITY = 2700.0
DIRECTIONS = {
    "x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "-x": (-1, 0, 0), "-z": (0, 0, -1), "nearly -z": (1e-9, 0, -1),
    "any": (0.3, -0.5, 0.8), "long": (3.0, 4.0, -12.0), "short": (1e-3, 2e-3, 2e-3),
}  # fmt: skip


def gauss(a, b, n=4):
    """Nodes and weights on [a, b]."""
    x, w = np.polynomial.legendre.leggauss(n)
    return 0.5 * (b - a) * x + 0.5 * (a + b), 0.5 * (b - a) * w


def around(n=8):
    """Angles around a circle: exact for trigonometric polynomials of low degree."""
    return 2 * np.pi * np.arange(n) / n, np.full(n, 2 * np.pi / n)


def grid(*axes):
    """All combinations of nodes (n, k), with products of weights (n,)."""
    nodes = np.meshgrid(*(a[0] for a in axes), indexing="ij")
    weights = np.meshgrid(*(a[1] for a in axes), indexing="ij")
    return np.stack([x.ravel() for x in nodes], axis=1), np.prod([w.ravel() for w in weights], axis=0)


def integrate(points, weights):
    """Mass, centre and inertia about it of masses at points."""
    mass = weights.sum()
    com = weights @ points / mass
    d = points - com
    inertia = np.einsum("n,nij->ij", weights, (d * d).sum(1)[:, None, None] * np.eye(3) - d[:, :, None] * d[:, None, :])
    return mass, com, inertia


def basis(direction):
    """Some rotation whose last column is the direction."""
    Q, R = np.linalg.qr(np.column_stack([direction, (0.2, 0.5, 0.9), (0.7, -0.4, 0.1)]))
    e = Q[:, 0] * np.sign(R[0, 0])
    return np.column_stack([Q[:, 1], np.cross(e, Q[:, 1]), e])


def assert_matches(found, points, weights):
    mass, com, inertia = integrate(points, weights * DENSITY)
    assert found.mass == pytest.approx(mass, rel=1e-13)
    assert np.allclose(found.com, com, rtol=0, atol=1e-13 * (1 + np.abs(com).max()))
    assert np.allclose(found.inertia, inertia, rtol=0, atol=1e-12 * np.abs(inertia).max())


def cylinder_points(a, b, radius):
    """Quadrature nodes and weights, with r the volume element of cylinder coordinates."""
    length = np.linalg.norm(np.subtract(b, a))
    nodes, w = grid(gauss(0, radius), around(), gauss(0, length))
    r, angle, z = nodes.T
    local = np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)
    return np.asarray(a) + local @ basis(np.subtract(b, a)).T, w * r


@pytest.mark.parametrize("rotation", [None, *DIRECTIONS.values()])
def test_box(rotation):
    R = np.eye(3) if rotation is None else basis(rotation)
    center, size = np.array([0.3, -2.0, 5.0]), np.array([0.1, 0.2, 0.4])
    local, weights = grid(*(gauss(-0.5 * s, 0.5 * s) for s in size))
    found = ct.Box(center, size, None if rotation is None else R).mass_properties(DENSITY)
    assert_matches(found, center + local @ R.T, weights)


def test_the_box_of_the_heavy_top():
    """0.1 x 0.2 x 0.4 m, 21.6 kg: (0.36, 0.306, 0.09) kg m^2."""
    found = ct.Box((0, 0, 0), (0.1, 0.2, 0.4)).mass_properties(2700.0)
    assert found.mass == pytest.approx(21.6)
    assert np.allclose(found.inertia, np.diag([0.36, 0.306, 0.09]))


@pytest.mark.parametrize("direction", DIRECTIONS.values(), ids=DIRECTIONS)
def test_cylinder(direction):
    a, radius = np.array([1.0, -0.5, 0.25]), 0.3
    found = ct.Cylinder(a, a + direction, radius).mass_properties(DENSITY)
    assert_matches(found, *cylinder_points(a, a + direction, radius))


@pytest.mark.parametrize("direction", DIRECTIONS.values(), ids=DIRECTIONS)
def test_rod(direction):
    """A rod's radius is a fiftieth of its length unless given."""
    a = np.array([0.5, 0.25, -1.0])
    length = np.linalg.norm(direction)
    found = ct.Rod(a, a + direction).mass_properties(DENSITY)
    assert_matches(found, *cylinder_points(a, a + direction, length / 50))
    thick = ct.Rod(a, a + direction, 0.2).mass_properties(DENSITY)
    assert_matches(thick, *cylinder_points(a, a + direction, 0.2))


def test_sphere():
    center, radius = np.array([4.0, -3.0, 2.0]), 0.7
    nodes, w = grid(gauss(0, radius), gauss(-1, 1), around())
    r, c, angle = nodes.T
    s = np.sqrt(1 - c * c)
    local = r[:, None] * np.stack([s * np.cos(angle), s * np.sin(angle), c], axis=1)
    assert_matches(ct.Sphere(center, radius).mass_properties(DENSITY), center + local, w * r * r)


def test_a_body_made_of_a_shape_and_a_density():
    mech = ct.Mechanism()
    shape = ct.Box((1, 2, 3), (0.1, 0.2, 0.3), basis((1, 1, 1)))
    body = mech.body("box", shape=shape, density=DENSITY)
    expected = shape.mass_properties(DENSITY)
    assert body.shape is shape
    assert body.properties.mass == expected.mass
    assert np.array_equal(body.properties.com, expected.com)
    assert np.allclose(body.properties.inertia, expected.inertia, rtol=1e-15)


def test_a_shape_alone_is_a_picture():
    body = ct.Mechanism().body(
        "ball", 3.0, (1, 0, 0), (1, 1, 1), shape=ct.Mesh("ball.stl", scale=0.001, pose=np.eye(4))
    )
    assert body.properties.mass == 3.0
    assert body.shape.path == "ball.stl"


def test_a_shape_lies_in_the_frame_of_the_data():
    """The same rod, told in the world and in a frame of its own, moves alike."""
    pose = ct.lie.exp_se3([0.3, -0.2, 0.9, 1.0, 2.0, 3.0])
    a, b = np.array([0.1, 0.2, 0.3]), np.array([0.9, 0.1, -0.2])
    systems = []
    for place, frame in ((lambda p: pose[:3, :3] @ p + pose[:3, 3], None), (lambda p: p, pose)):
        mech = ct.Mechanism()
        mech.body("rod", shape=ct.Rod(place(a), place(b)), density=DENSITY, pose=frame)
        mech.joint("J", "ground", "rod", ct.Revolute(point=(0, 0, 0), axis=(0, 1, 0)))
        systems.append(mech.compile())
    first, second = (ct.mass_matrix(s, [0.4]) for s in systems)
    assert first == pytest.approx(second, rel=1e-12)


# -- mass properties -----------------------------------------------------------------------------------------


def test_moved_mass_properties_are_those_of_the_moved_points():
    rng = np.random.default_rng(1)
    points, masses = rng.normal(size=(10, 3)), rng.uniform(0.1, 1, 10)
    pose = ct.lie.exp_se3(rng.normal(size=6))
    before = ct.MassProperties(*integrate(points, masses))
    mass, com, inertia = integrate(points @ pose[:3, :3].T + pose[:3, 3], masses)
    after = before.moved(pose)
    assert after.mass == pytest.approx(mass)
    assert np.allclose(after.com, com, atol=1e-14)
    assert np.allclose(after.inertia, inertia, atol=1e-13)


def test_moving_there_and_back():
    pose = ct.lie.exp_se3([0.1, 0.2, -2.0, 5.0, 6.0, 7.0])
    here = ct.MassProperties(2.0, np.array([1.0, 2.0, 3.0]), np.diag([1.0, 2.0, 2.5]))
    back = here.moved(pose).moved(ct.lie.inverse(pose))
    assert np.allclose(back.com, here.com, atol=1e-14)
    assert np.allclose(back.inertia, here.inertia, atol=1e-14)


def test_an_inertia_is_kept_symmetric():
    inertia = np.array([[2, 0.1 + 1e-9, 0], [0.1, 2, 0], [0, 0, 2]])
    found = ct.Mechanism().body("b", 1, (0, 0, 0), inertia).properties.inertia
    assert np.array_equal(found, found.T)
    assert np.allclose(found, inertia, atol=1e-8)


class NoArray:
    """What is asked for numbers and raises."""

    def __array__(self, *_, **__):
        raise RuntimeError("no array")


def test_what_is_neither_a_shape_nor_a_color():
    mech = ct.Mechanism("x")
    with pytest.raises(ModelError, match="is not a shape"):
        mech.body("a", 1.0, (0, 0, 0), (1, 1, 1), shape=np.array(1.5))
    with pytest.raises(ArgumentError, match="color is"):
        ct.Sphere((0, 0, 0), 1.0, color=NoArray())
