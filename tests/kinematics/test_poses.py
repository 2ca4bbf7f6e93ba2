"""Poses against products of exponentials written out with scipy, Geo (3) to (11)."""

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.linalg import expm

import cotree as ct
from tests.random_mechanisms import (
    JOINTS,
    act,
    cases,
    dofs_of,
    error,
    grid,
    inverse,
    make_case,
    pose,
    random_chain,
    random_rotation,
    random_state,
)

some = settings(max_examples=40, deadline=None)


def hat(X):
    """4x4 matrix of a twist."""
    (a, b, c), v = X[:3], X[3:]
    out = np.zeros((4, 4))
    out[:3, :3], out[:3, 3] = [[0, -c, b], [c, 0, -a], [-b, a, 0]], v
    return out


def screw(point, axis, pitch=0.0):
    """Y = (e, p x e + h e)."""
    e = np.asarray(axis) / np.linalg.norm(axis)
    return np.array([*e, *(np.cross(point, e) + pitch * e)])


def screws_of(j):
    """World-frame screws of a one-dof or universal joint as described."""
    if j.kind == "Prismatic":
        return [np.array([0, 0, 0, *(j.axis / np.linalg.norm(j.axis))])]
    if j.kind == "Universal":
        return [screw(j.point, j.axis), screw(j.point, j.other)]
    return [screw(j.point, j.axis, j.pitch if j.kind == "Helical" else 0.0)]


def joint_motion(j, q):
    """Displacement of the outer body against the inner one: the user's parent and child in the user's order."""
    E = np.eye(4)
    for Y, x in zip(screws_of(j), q, strict=True):
        E = E @ expm(hat(Y) * x)
    return inverse(E) if j.backward else E


@pytest.mark.parametrize("seed", range(12))
def test_product_of_exponentials(seed):
    """C_i = exp(Y_1 q_1) ... exp(Y_i q_i) m_i, Geo (11), for joints of either orientation."""
    rng = np.random.default_rng(seed)
    tree = random_chain(rng, 6)
    system = tree.compile()
    q = random_state(rng, system).q
    found = dict(zip(("ground", *system.body_names), ct.poses(system, q), strict=True))
    C = np.eye(4)
    for j in tree.joints:
        C = C @ joint_motion(j, q[dofs_of(system, j.name)])
        assert error(found[j.outer], C @ tree.body(j.outer).pose) < 1e-13


@pytest.mark.parametrize("seed", range(6))
def test_joint_frames(seed):
    """C_i = C_(i-1) S_(i-1,i) exp(Z q) S_(i,i-1)^-1, Geo (3) to (9): nothing but frames on the bodies is given."""
    rng = np.random.default_rng(seed)
    mech = ct.Mechanism()
    last, expected, q = mech.ground, np.eye(4), rng.normal(size=5) * 2
    for i in range(5):
        S_parent, S_child = (pose(random_rotation(rng), grid(rng, 1.0)) for _ in range(2))
        body = mech.body(f"b{i}", 1.0, grid(rng, 1.0), (1.0, 1.0, 1.0), pose="joints")
        kind, Z = (ct.Revolute, [0, 0, 1, 0, 0, 0]) if i % 2 else (ct.Prismatic, [0, 0, 0, 0, 0, 1])
        mech.joint(f"j{i}", last, body, kind(frame_parent=S_parent, frame_child=S_child))
        expected = expected @ S_parent @ expm(hat(np.array(Z)) * q[i]) @ inverse(S_child)
        last = body
    system = mech.compile()
    assert error(ct.poses(system, q)[-1], expected) < 1e-13


def test_joint_frames_and_world_frame_describe_the_same():
    """m_k = m_l S_l S_k^-1, Geo (10): reference poses from joint frames, then the world-frame form (11)."""
    rng = np.random.default_rng(5)
    S = [pose(random_rotation(rng), grid(rng, 1.0)) for _ in range(6)]
    local, world = ct.Mechanism(), ct.Mechanism()
    m, here, there = np.eye(4), local.ground, world.ground
    for i in range(3):
        S_parent, S_child = S[2 * i], S[2 * i + 1]
        F = m @ S_parent
        m = F @ inverse(S_child)
        com = grid(rng, 1.0)
        a = local.body(f"b{i}", 1.0, com, (1.0, 1.0, 1.0), pose="joints")
        b = world.body(f"b{i}", 1.0, act(m, com), (1.0, 1.0, 1.0))
        local.joint(f"j{i}", here, a, ct.Helical(pitch=0.3, frame_parent=S_parent, frame_child=S_child))
        world.joint(f"j{i}", there, b, ct.Helical(F[:3, 3], F[:3, 2], 0.3))
        here, there = a, b
    q = np.array([1.0, -2.0, 0.5])
    first, second = local.compile(), world.compile()
    assert error(ct.poses(first, q)[-1], ct.poses(second, q)[-1] @ m) < 1e-13


@pytest.mark.parametrize("kind", [k for k in JOINTS if "first" in getattr(ct, k).kinds])
@pytest.mark.parametrize("backward", [0.0, 1.0])
@pytest.mark.parametrize("coordinates", ["first", "cayley", "second"])
def test_coordinates_of_several_dofs(kind, coordinates, backward):
    """One exponential of the sum, Geo (8), one Cayley map of it, or the product of exponentials, Geo (6)."""
    c = make_case(3, 1, joints=(kind,), coordinates=(coordinates,), backward=backward, told=0.0)
    j, q = c.tree.joints[0], c.state.q
    joint = j.joint(c.tree.frames())
    F = joint.frame()
    if kind in ("Spherical", "Translation", "Free"):
        F[:3, :3] = c.tree.frames()[j.child][:3, :3]
    if kind == "Free":
        F = c.tree.frames()[j.child]
    sum_of = hat(joint.screws() @ q)
    N = np.eye(4)
    if coordinates == "first":
        N = expm(sum_of)
    elif coordinates == "cayley":
        N = np.linalg.solve(np.eye(4) - 0.5 * sum_of, np.eye(4) + 0.5 * sum_of)
    else:
        for z, x in zip(joint.screws().T, q, strict=True):
            N = N @ expm(hat(z) * x)
    E = F @ (inverse(N) if j.backward else N) @ inverse(F)
    assert error(ct.poses(c.system, q)[1], E @ c.tree.bodies[0].pose) < 1e-12


@pytest.mark.parametrize("kind", [k for k in JOINTS if "group" in getattr(ct, k).kinds and getattr(ct, k).free])
@pytest.mark.parametrize("seed", range(3))
def test_displacement_is_the_exponential(kind, seed):
    """From q, constant velocities for unit time move the child by exp of their twist in the joint frame."""
    c = make_case(seed, 1, joints=(kind,), coordinates=("group",), backward=0.0, told=1.0)
    joint, body = c.system.mechanism.joints["joint b0"].joint, c.tree.bodies[0]
    F = body.pose if kind == "Free" and c.tree.joints[0].sides == "parent" else c.tree.joints[0].told @ joint.frame()
    q, step = c.state.q, c.state.v
    before, after = (ct.poses(c.system, x)[1] @ inverse(body.pose) for x in (q, ct.displace(c.system, q, step)))
    assert error(after, before @ F @ expm(hat(joint.screws() @ step)) @ inverse(F)) < 1e-13


@given(cases())
@some
def test_reference_assembly(c):
    """At q0 nothing is displaced: identity for world-frame data, the given pose for the others."""
    found = ct.poses(c.system, c.system.q0)
    assert error(found[0], np.eye(4)) == 0.0
    for name, C in zip(c.system.body_names, found[1:], strict=True):
        assert error(C, c.tree.body(name).pose) < 1e-14


@given(cases())
@some
def test_poses_are_rigid(c):
    for C in ct.poses(c.system, c.state.q):
        assert error(C[:3, :3] @ C[:3, :3].T, np.eye(3)) < 1e-13
        assert abs(np.linalg.det(C[:3, :3]) - 1.0) < 1e-13
        assert np.array_equal(C[3], [0, 0, 0, 1])


@given(cases(joints=("Revolute", "Weld"), massless=0.3))
@some
def test_welded_bodies_move_as_one(c):
    found = dict(zip(("ground", *c.system.body_names), ct.poses(c.system, c.state.q), strict=True))
    frames = c.tree.frames()
    for j in c.tree.joints:
        if j.kind == "Weld":
            apart = inverse(found[j.inner]) @ found[j.outer]
            assert error(apart, inverse(frames[j.inner]) @ frames[j.outer]) < 1e-13
