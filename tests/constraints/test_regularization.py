"""Which rows of the loops are kept: known mechanisms, wherever and however they are drawn, and the paper's example."""

from dataclasses import replace

import numpy as np
import pytest

import cotree as ct
from cotree.lie import Ad, inverse, pose
from cotree.screws import closure
from cotree.system.motion_algebra import joint_screws, networks
from cotree.system.reference_assembly import assemble_graph
from cotree.topology import tree_cycle
from tests.closed_mechanisms import (
    CATALOGUE,
    GROUND,
    REG_U_BAR,
    Sketch,
    closed_pose,
    displaced,
    four_bar,
    helical_jacks,
    ladder,
    perturbed,
    prrr3,
    redrawn,
    reg_jacobian,
    reg_spherical,
    reversed_joints,
    sarrus,
    single_loop,
    slider_crank,
)
from tests.random_mechanisms import TreeData


def counts(system: ct.System) -> tuple[int, int, int, str]:
    """Rows kept, rows of the cut joints, degrees of freedom, and the kind of mobility."""
    report = ct.mobility(system)
    return system.n_constraints, sum(r.full for r in report.rows), report.local, report.kind


@pytest.mark.parametrize("name", CATALOGUE)
def test_counts(name):
    build, *expected = CATALOGUE[name]
    assert counts(build().compile()) == tuple(expected)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", CATALOGUE)
def test_counts_wherever_it_is_drawn(name, seed):
    """At another pose, turned and moved as a whole, joints reversed, in another order, axes inexact by 1e-10."""
    build, *expected = CATALOGUE[name]
    rng, data = np.random.default_rng(seed), build()
    system = data.compile()
    data = redrawn(data, system, closed_pose(system, rng))
    data = perturbed(displaced(reversed_joints(data, rng).shuffled(rng), rng), rng, 1e-10)
    assert counts(data.compile())[:1] + counts(data.compile())[2:] == (expected[0], *expected[2:])


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1e3])
@pytest.mark.parametrize("name", CATALOGUE)
def test_counts_at_any_size(name, size):
    """From microns to kilometres."""
    build, *expected = CATALOGUE[name]
    assert counts(scaled(build(), size).compile()) == tuple(expected)


def scaled(data: TreeData, size: float) -> TreeData:
    bodies = tuple(replace(b, com=size * b.com, inertia=size**2 * b.inertia) for b in data.bodies)
    joints = tuple(replace(j, point=size * j.point, pitch=size * j.pitch) for j in data.joints)
    return replace(data, bodies=bodies, joints=joints)


@pytest.mark.parametrize("distance", [1e3, 1e6])
@pytest.mark.parametrize("name", ["four-bar", "spherical four-bar", "Sarrus", "3-PRRR"])
def test_counts_far_away(name, distance):
    """A million metres from the origin, where the axes' moments have lost six digits."""
    build, *expected = CATALOGUE[name]
    data = displaced(build(), np.random.default_rng(0), distance)
    assert counts(data.compile()) == tuple(expected)


AXES = [(0, 0, 1), (0, 0, -1), (1, 0, 0), (0, -1, 0), (1, 1, 1), (1e-9, 0, 1), (-1, 2, 1e-9)]


@pytest.mark.parametrize("axis", AXES, ids=str)
def test_four_bar_along_any_axis(axis):
    """Also along and against the world's axes, and nearly so, where joint frames turn over."""
    e = np.array(axis) / np.linalg.norm(axis)
    side = np.cross(e, (0.3, 0.5, 0.8))
    T = np.eye(4)
    T[:3, 2], T[:3, 0] = e, side / np.linalg.norm(side)
    T[:3, 1] = np.cross(T[:3, 2], T[:3, 0])
    assert counts(four_bar().moved(T).compile()) == (2, 5, 1, "trivial")


def test_sarrus_by_cut():
    """Four rows when cut at a joint of the plate or of the base, five elsewhere; left alone, the search finds one of the
    former."""
    kept = [sarrus().compile(cut=[f"j{i}"]).n_constraints for i in range(6)]
    assert kept == [4, 5, 4, 4, 5, 4]
    system = sarrus().compile()
    assert system.n_constraints == 4
    assert system.cut_joints[0] in ("j2", "j3")


def test_rows_by_loop():
    """3-PRRR: 4 + 3 rows, the second loop starting from what the first leaves; a ladder: 2 a loop."""
    assert [r.kept for r in ct.mobility(prrr3().compile()).rows] == [4, 3]
    assert [r.kept for r in ct.mobility(ladder(7).compile()).rows] == [2] * 7


def test_all_rows_without_regularization():
    for name, (build, _, full, dof, _) in CATALOGUE.items():
        system = build().compile(regularize=False)
        assert system.n_constraints == sum(r.full for r in system.loop_rows) >= full, name
        report = ct.mobility(system)
        assert report.local == dof, name
        assert report.regularized == system.nv - system.n_constraints, name


def test_absolute_coordinates_keep_the_same_rows_of_the_loops():
    """Of five rows for each of four joints: all of the tree's joints, two of the joint that closes the loop."""
    system = four_bar().compile(coordinates="absolute")
    assert sorted(system.cuts["kept"]) == [2, 5, 5, 5]
    assert system.nv - system.n_constraints == 1


# -- the paper's example -------------------------------------------------------------------------------------


def test_reg_jacobian():
    """H(q) as printed, in the joint frame whose first axis lies in the plane of joints 1 and 3."""
    system = reg_spherical().compile(cut=["j2"])
    rng = np.random.default_rng(0)
    for q1, q2 in [(0.0, 0.0), *rng.normal(size=(5, 2))]:
        q = np.zeros(3)
        names = system.coordinate_names
        q[names.index("j0")], q[names.index("j1")] = q1, q2
        V = [
            ct.spatial_jacobian(system, q, b)[:, names.index(j)] for b, j in (("b1", "j0"), ("b2", "j3"), ("b1", "j1"))
        ]
        H = np.column_stack([-V[0], V[1], -V[2]])
        printed = reg_jacobian(q1, q2)
        seen = to_reg_frame(ct.poses(system, q)[system.row_of("b1")], H)
        assert np.abs(seen - printed).max() < 1e-14


def to_reg_frame(C: np.ndarray, H: np.ndarray) -> np.ndarray:
    """Held components of twists in the frame of the cut joint on body 2."""
    e3, e1 = np.array([-1.0, -1.0, 1.0]) / np.sqrt(3), -np.array([1.0, 1.0, 1.0])
    x = e1 - e3 * (e3 @ e1)
    x /= np.linalg.norm(x)
    F = pose(np.column_stack([x, np.cross(e3, x), e3]), np.sqrt(3) * e3)
    return (Ad(inverse(C @ F)) @ H)[[0, 1, 3, 4, 5]]


def test_reg_rank_at_the_reference():
    """Reg's text says that H(0) would suggest one equation. As printed it has rank 2; flattened it has rank 1."""
    assert np.linalg.matrix_rank(reg_jacobian(0.0, 0.0)) == 2
    for flat, rank in ((False, 2), (True, 1)):
        system = reg_spherical(flat).compile(cut=["j2"])
        J = ct.constraint_jacobian(system, system.q0, regularized=False)
        assert np.linalg.matrix_rank(J, 1e-9) == rank


@pytest.mark.parametrize("flat", [False, True], ids=["as printed", "flattened"])
def test_reg_rows(flat):
    """Two rows in either case, and the row space of the printed U-bar; the joint frame's turn about its axis drops out."""
    system = reg_spherical(flat).compile(cut=["j2"])
    assert system.n_constraints == 2
    assert system.loop_rows[0].full == 5
    rows = system.loop_rows[0].select[:, [0, 1, 3, 4, 5]]
    assert np.abs(system.loop_rows[0].select[:, 2]).max() < 1e-15
    projectors = [np.linalg.pinv(U) @ U for U in (rows, REG_U_BAR)]
    assert np.abs(projectors[0] - projectors[1]).max() < 1e-6


@pytest.mark.parametrize("flat", [False, True], ids=["as printed", "flattened"])
def test_reg_spherical_moves(flat):
    """Kept rows describe the motion away from either reference: the full rows stay closed along it."""
    system = reg_spherical(flat).compile(cut=["j2"])
    rng = np.random.default_rng(4)
    for _ in range(5):
        q = ct.assemble(system, ct.displace(system, system.q0, 0.6 * rng.normal(size=system.nv)))
        assert np.linalg.matrix_rank(ct.constraint_jacobian(system, q), 1e-6) == 2
        assert np.abs(ct.constraint_residual(system, q, regularized=False)).max() < 1e-12


# -- single steps --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("elbow", ["Revolute", "Spherical", "Universal"])
def test_planar_loops_with_other_joints(elbow):
    """A ball or universal joint in a planar loop turns about the normal only: two rows, as for a revolute."""
    system = slider_crank(elbow).compile(cut=["j2"])
    assert system.n_constraints == 2
    assert system.nv - system.n_constraints == ct.mobility(system).local == 1


@pytest.mark.parametrize("axes", [("z", "x"), ("x", "z"), ("x", "y"), ("tilted", "z")], ids=str)
def test_turn_row_of_universal_joints(axes):
    """It goes when the loop can turn the joint about one of its axes only; other universals leave the loop locked."""
    directions = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "tilted": (1, 1, 1)}
    a, b = (directions[w] for w in axes)
    joints = [
        ("Revolute", (0, 0, 0), (0, 0, 1)),
        ("Revolute", (0.3, 0.4, 0), (0, 0, 1)),
        ("Universal", (1.2, 0.1, 0), a, b),
    ]
    system = single_loop([*joints, ("Prismatic", (1.2, 0.1, 0), (1, 0, 0))]).compile(cut=["j2"])
    assert system.n_constraints == (2 if "z" in axes else 3)
    assert ct.mobility(system).local == (1 if "z" in axes else 0)


def test_screws_of_different_pitch():
    """A nut on two screws is locked; the bound on its motion is not taken for granted, since it fits elsewhere too."""
    system = helical_jacks().compile()
    assert ct.mobility(system).local == 0
    turn = 2 * np.pi * 0.3 / (0.3 - 0.2)  # there the two screws have climbed alike, one of them a whole turn ahead
    assert np.abs(ct.constraint_residual(system, [turn])).max() < 1e-12


def known_after_closing(data: TreeData) -> dict[int, dict[int, tuple[int, ...]]]:
    """Shapes of the bounds that a closed loop has given, by pairs of bodies."""
    assembly = assemble_graph(data.mechanism(), False, ())
    network = networks(joint_screws(assembly))[0]
    network.close(tree_cycle(assembly.graph, assembly.tree, assembly.tree.cotree[0]))
    return {
        a: {b: network.algebras.bases[x].shape for b, x in found.items() if b > a}
        for a, found in network.known.items()
        if max(found) > a
    }


def test_bounds_of_closed_loops():
    """A body on two skew hinges is locked for good. One on two screws may sit elsewhere, turned: nothing is noted."""
    hinges = single_loop([("Revolute", (0, 0, 0), (0, 0, 1)), ("Revolute", (1, 0, 0), (0, 1, 1))])
    assert known_after_closing(hinges) == {0: {1: (6, 0)}}
    assert known_after_closing(helical_jacks()) == {}


def test_closure_of_one_screw():
    """The short way gives what the long way gives."""
    Y = np.array([0.0, 0.6, 0.0, 0.3, 0.2, 0.1])
    assert np.allclose(np.abs(closure(Y)[:, 0] @ Y), np.linalg.norm(Y))
    assert closure(1e-9 * Y).shape == (6, 0)


def test_loops_do_not_drop_each_others_rows():
    """Body b0 on a hinge j0; four slides close a loop with it, which therefore cannot turn; a chain of hinge, universal joint
    and slide bridges the hinge. If the second loop is cut at j0 and takes b0 to be fixed, since the first loop is closed,
    nothing holds the hinge: all rows together have rank 6, so must those that are kept."""
    sketch = Sketch()
    sketch.joint("j0", "Revolute", GROUND, "b0", (-1.2, -1.9, -0.7), (0.24, -0.9, -0.36))
    for k, axis in enumerate([(-0.95, 0.27, 0.14), (0.84, 0.01, 0.55), (0.25, 0.93, -0.29), (0.5, -0.22, 0.84)], 1):
        sketch.joint(f"j{k}", "Prismatic", f"b{k - 1}", f"b{k}" if k < 4 else GROUND, (0.1 * k, 0.2, -0.6), axis)
    sketch.joint("k0", "Revolute", "b0", "c0", (-0.2, 0.26, 1.7), (-0.09, 0.84, 0.54))
    sketch.joint("k1", "Universal", "c0", "c1", (0, -1.5, -0.7), (-0.54, -0.84, -0.1))
    sketch.joint("k2", "Prismatic", "c1", GROUND, (1.5, 0.9, -0.1), (0.3, -0.92, -0.25))
    system = sketch.data().compile()
    everything, kept = (ct.constraint_jacobian(system, system.q0, regularized=r) for r in (False, True))
    assert np.linalg.matrix_rank(everything) == np.linalg.matrix_rank(kept) == system.nv - 1
