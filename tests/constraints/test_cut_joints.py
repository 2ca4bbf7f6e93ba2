"""Residual, Jacobian and right-hand side of cut joints against differences, for every joint in every role."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import cotree as ct
from tests.closed_mechanisms import CATALOGUE, GROUND, Sketch, closed_pose
from tests.random_mechanisms import JOINTS, TreeData, direction, error

CUT = tuple(k for k in JOINTS if k != "Free")
TREE = tuple(k for k in JOINTS if k != "Weld")


def two_arms(seed: int, cut: str, tree: str, backward: bool) -> TreeData:
    """Two arms from ground, each with a joint of kind `tree` and enough freedom besides, joined by "cut"."""
    rng = np.random.default_rng(seed)
    sketch = Sketch()
    for arm in range(2):
        chain = [GROUND, f"a{arm}", f"b{arm}", f"c{arm}"]
        for i, kind in enumerate(("Spherical", tree, "Free" if arm else "Universal")):
            ends = chain[i : i + 2][:: -1 if rng.random() < 0.5 else 1]
            sketch.joint(f"j{arm}{i}", kind, *ends, rng.normal(size=3), direction(rng), None, 0.3)
    ends = ["c0", "c1"][:: -1 if backward else 1]
    sketch.joint("cut", cut, *ends, rng.normal(size=3), direction(rng), None, 0.3)
    return sketch.data()


def richardson(f, h: float = 0.04, levels: int = 5):
    """df/ds at 0: central differences extrapolated to step zero."""
    table = [(np.asarray(f(h / 2**k)) - np.asarray(f(-h / 2**k))) / (2 * h / 2**k) for k in range(levels)]
    for order in range(1, levels):
        table = [(4**order * b - a) / (4**order - 1) for a, b in pairwise(table)]
    return table[0]


def check_derivatives(system: ct.System, q: np.ndarray, rng: np.random.Generator, regularized: bool = True) -> None:
    """At a closed configuration J is dg/dq and eta minus dJ/dt v, along any direction, admissible or not."""
    v = rng.normal(size=system.nv)

    def along(function):
        return richardson(lambda s: function(system, ct.displace(system, q, s * v), regularized=regularized))

    J = ct.constraint_jacobian(system, q, regularized=regularized)
    assert error(J @ v, along(ct.constraint_residual)) < 1e-9
    assert error(ct.constraint_bias(system, q, v, regularized=regularized), -along(ct.constraint_jacobian) @ v) < 1e-9


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize("tree", TREE)
@pytest.mark.parametrize("cut", CUT)
def test_derivatives(cut, tree, backward):
    """At closed configurations found by assembly, far from the reference."""
    data = two_arms(hash_of(cut, tree), cut, tree, backward)
    system = data.compile(cut=["cut"])
    rng = np.random.default_rng(1)
    q = ct.assemble(system, ct.displace(system, system.q0, 0.5 * rng.normal(size=system.nv)))
    assert system.cut_joints == ("cut",)
    assert len(ct.constraint_residual(system, q)) == 6 - getattr(ct, cut)().dof
    assert np.abs(ct.constraint_residual(system, q)).max() < 1e-10
    assert np.abs(ct.poses(system, q) - ct.poses(system, system.q0)).max() > 0.1
    check_derivatives(system, q, rng)


def hash_of(*words: str) -> int:
    """A seed that is the same in every run."""
    return sum((i + 1) * ord(c) for i, c in enumerate(" ".join(words)))


@pytest.mark.parametrize("cut", CUT)
def test_every_motion_of_the_joint_closes_it(cut):
    """The cut joint's own motion, far along it and in absolute coordinates, leaves its residual at zero."""
    sketch, rng = Sketch(), np.random.default_rng(5)
    sketch.joint("first", "Revolute", GROUND, "a", rng.normal(size=3), direction(rng))
    sketch.joint("second", cut, "a", "b", rng.normal(size=3), direction(rng), None, 0.3)
    data = sketch.data()
    tree, absolute = data.compile(), data.compile(coordinates="absolute")
    for _ in range(5):
        q = ct.displace(tree, tree.q0, 2.0 * rng.normal(size=tree.nv))
        g = ct.constraint_residual(absolute, absolute_coordinates(absolute, ct.poses(tree, q)))
        assert np.abs(g).max() < 1e-13


def absolute_coordinates(system: ct.System, poses: np.ndarray) -> np.ndarray:
    """q of a system in absolute coordinates, bodies described in the world frame."""
    quaternions = [Rotation.from_matrix(C[:3, :3]).as_quat(scalar_first=True) for C in poses[1:]]
    return np.concatenate([np.append(e, C[:3, 3]) for e, C in zip(quaternions, poses[1:], strict=True)])


@pytest.mark.parametrize(
    "options", [{}, {"coordinates": "absolute"}, {"coordinates": "absolute", "group": "SO3xR3"}], ids=str
)
@pytest.mark.parametrize("name", CATALOGUE)
def test_derivatives_in_the_catalogue(name, options):
    """With the rows that regularization keeps, and with all of them."""
    system, rng = CATALOGUE[name][0]().compile(**options), np.random.default_rng(2)
    q = closed_pose(system, rng)
    check_regularized_jacobian(system, q, rng)
    check_derivatives(system, q, rng, regularized=False)


def check_regularized_jacobian(system: ct.System, q: np.ndarray, rng: np.random.Generator) -> None:
    v = ct.consistent_velocity(system, q, rng.normal(size=system.nv))
    path = [ct.assemble(system, ct.displace(system, q, s * v)) for s in (-1e-3, 1e-3)]
    J = [ct.constraint_jacobian(system, x) for x in path]
    eta = ct.constraint_bias(system, q, v)
    assert error(eta, -(J[1] - J[0]) @ v / 2e-3) < 1e-4
    u = rng.normal(size=system.nv)
    rate = richardson(lambda s: ct.constraint_residual(system, ct.displace(system, q, s * u)))
    assert error(ct.constraint_jacobian(system, q) @ u, rate) < 1e-9


def test_residual_is_linear_in_small_gaps():
    """Opening a closed joint by a known screw shows as that screw's held components."""
    system = two_arms(3, "Revolute", "Revolute", False).compile(cut=["cut"])
    rng = np.random.default_rng(0)
    q = ct.assemble(system, ct.displace(system, system.q0, 0.3 * rng.normal(size=system.nv)))
    J = ct.constraint_jacobian(system, q)
    for size in (1e-3, 1e-5, 1e-7):
        step = size * rng.normal(size=system.nv)
        g = ct.constraint_residual(system, ct.displace(system, q, step))
        assert np.abs(g - J @ step).max() < 100 * size**2 + 1e-14
