"""Kept rows and all rows allow the same velocities; what the paper's formula alone would drop."""

import numpy as np
import pytest

import cotree as ct
from cotree.lie import Ad, inverse
from cotree.screws import TOLERANCE, closure
from cotree.system.reference_assembly import assemble_graph
from cotree.system.regularization import selector
from tests.closed_mechanisms import (
    CATALOGUE,
    FAMILIES,
    closed_pose,
    displaced,
    flat_parallelogram,
    perturbed,
    planar_loop,
    prrr3,
    random_loop,
    random_network,
    reg_spherical,
    revolutes,
    sarrus,
    triangle,
    viviani,
)
from tests.random_mechanisms import TreeData


def null_projector(J: np.ndarray, tol: float = 1e-7) -> np.ndarray:
    """Projector onto the null space; nothing may lie near the threshold."""
    if not len(J):
        return np.eye(J.shape[1])
    s, Vt = np.linalg.svd(J)[1:]
    assert not np.any((s > 0.01 * tol) & (s < 100 * tol)), f"singular values too close to call: {s}"
    V = Vt[np.count_nonzero(s > tol) :]
    return V.T @ V


def null_spaces(system: ct.System, q: np.ndarray, tol: float = 1e-7) -> tuple[np.ndarray, np.ndarray]:
    """Of the rows kept and of all rows."""
    return tuple(null_projector(ct.constraint_jacobian(system, q, regularized=r), tol) for r in (True, False))


def same_null_space(system: ct.System, q: np.ndarray) -> None:
    kept, full = null_spaces(system, q)
    assert np.abs(kept - full).max() < 1e-8


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
@pytest.mark.parametrize("name", CATALOGUE)
def test_known_mechanisms(name, coordinates):
    system, rng = CATALOGUE[name][0]().compile(coordinates=coordinates), np.random.default_rng(0)
    for _ in range(5):
        same_null_space(system, closed_pose(system, rng))


CUTS = (
    "Revolute",
    "Prismatic",
    "Helical",
    "Cylindrical",
    "Universal",
    "Spherical",
    "Planar",
    "Translation",
    "Schoenflies",
)


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("families", [(a, b) for a in FAMILIES for b in FAMILIES if a <= b], ids="-".join)
def test_random_loops(families, cut):
    """Chains in groups of their own, joined by a joint that may belong to none of them."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        system = random_loop(rng, families, cut).compile(cut=["cut"])
        for _ in range(2):
            same_null_space(system, closed_pose(system, rng, 0.5))


@pytest.mark.parametrize("family", FAMILIES)
def test_random_networks(family):
    """Several loops that share bodies, cut wherever the search likes."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        system = random_network(rng, family).compile()
        assert system.n_loops == 3
        for _ in range(2):
            same_null_space(system, closed_pose(system, rng, 0.3))


def test_random_loops_do_move_and_lose_rows():
    """The comparisons above are of something: most of these loops move, and many drop rows."""
    moved = dropped = total = 0
    for a in FAMILIES[:3]:
        for cut in CUTS:
            rng = np.random.default_rng(1)
            system = random_loop(rng, (a, a), cut).compile(cut=["cut"])
            q = closed_pose(system, rng, 0.5)
            moved += bool(np.abs(ct.poses(system, q) - ct.poses(system, system.q0)).max() > 1e-2)
            dropped += system.n_constraints < sum(r.full for r in system.loop_rows)
            total += 1
    assert moved > 0.6 * total
    assert dropped > 0.4 * total


@pytest.mark.parametrize("gap", [1e-1, 1e-2, 1e-3, 1e-4])
@pytest.mark.parametrize(
    "build", [flat_parallelogram, lambda: reg_spherical(flat=True)], ids=["parallelogram", "spherical"]
)
def test_next_to_a_singular_configuration(build, gap):
    """Kept rows have the smallest singular value of all rows, as small as it is."""
    system = build().compile()
    q = ct.assemble(system, ct.displace(system, system.q0, gap * np.arange(1, 4)))
    assert np.abs(q).max() > 0.1 * gap
    s = [np.linalg.svd(ct.constraint_jacobian(system, q, regularized=r), compute_uv=False)[:2] for r in (True, False)]
    assert 0.01 * gap < s[0][1] < 10 * gap
    assert 0.3 < s[0][1] / s[1][1] < 3.0
    kept, full = null_spaces(system, q, tol=1e-6)
    assert np.abs(kept - full).max() < 1e-8


@pytest.mark.parametrize(
    "build", [flat_parallelogram, lambda: reg_spherical(flat=True), triangle], ids=["flat", "spherical", "rigid"]
)
def test_in_a_singular_configuration(build):
    system = build().compile()
    same_null_space(system, system.q0)


@pytest.mark.parametrize("name", CATALOGUE)
def test_closing_the_kept_rows_closes_all(name):
    """Newton's method on the kept rows alone, from a little off a closed configuration."""
    system, rng = CATALOGUE[name][0]().compile(), np.random.default_rng(3)
    for _ in range(3):
        q = ct.displace(system, closed_pose(system, rng), 1e-2 * rng.normal(size=system.nv))
        for _ in range(30):
            step = np.linalg.lstsq(ct.constraint_jacobian(system, q), -ct.constraint_residual(system, q), rcond=1e-6)[0]
            q = ct.displace(system, q, step)
        assert np.abs(ct.constraint_residual(system, q, regularized=False)).max() < 1e-9


# -- Reg (27) as it stands -----------------------------------------------------------------------------------


def naive_rows(data: TreeData, cut: str, on_parent: bool) -> tuple[np.ndarray, ct.System]:
    """U-bar W of Reg (27), (28) for a single loop: D_k' + D_l'' + Y taken as they stand in the reference assembly."""
    system = data.compile(cut=[cut], regularize=False)
    assembly = assemble_graph(system.mechanism, False, [cut])
    loop = system.loops[0]
    Y = [Ad(c.joint.frame()) @ c.joint.screws() for c in assembly.joints]
    sides = [[Y[system.tree.edge[k]] for k in chain] for chain in (loop.tail_chain, loop.head_chain)]
    D = [closure(np.concatenate(side, axis=1)) for side in sides]
    F = assembly.joints[loop.cut].joint.frame()
    W = selector(assembly.joints[loop.cut].joint)
    U, s, _ = np.linalg.svd(W @ Ad(inverse(F)) @ np.concatenate([*D, Y[loop.cut]], axis=1), full_matrices=False)
    return U[:, s > TOLERANCE].T @ W, system


def naive_jacobian(data: TreeData, cut: str, on_parent: bool, q: np.ndarray) -> np.ndarray:
    """Reg (29): those rows on the relative twist in the joint frame, fixed on one of the two bodies."""
    rows, system = naive_rows(data, cut, on_parent)
    connection = system.mechanism.joints[cut]
    J = [
        ct.spatial_jacobian(system, q, b) if b != "ground" else np.zeros((6, system.nv))
        for b in connection_ends(connection)
    ]
    carrier = connection_ends(connection)[0 if on_parent else 1]
    C = ct.poses(system, q)[system.row_of(carrier)] if carrier != "ground" else np.eye(4)
    F = connection.joint.frame()
    return rows @ Ad(inverse(C @ F)) @ (J[1] - J[0])


def connection_ends(connection) -> tuple[str, str]:
    return connection.parent, connection.child


@pytest.mark.parametrize("on_parent", [True, False], ids=["parent", "child"])
def test_viviani_needs_a_row_that_reg_27_drops(on_parent):
    """Two rows by Reg (27), on whichever body the frame is; away from the reference all three are needed."""
    data = viviani()
    assert naive_rows(data, "j1", on_parent)[0].shape == (2, 6)
    system, rng = data.compile(cut=["j1"]), np.random.default_rng(0)
    assert system.n_constraints == 3
    assert system.loop_rows[0].full == 3
    assert np.abs(system.loop_rows[0].select[:, :3]).max() < 1e-12  # the joint's point is held, no rotation
    lost = 0
    for _ in range(6):
        q = ct.assemble(system, ct.displace(system, system.q0, 0.5 * rng.normal(size=system.nv)))
        kept, full = null_spaces(system, q)
        naive = null_projector(naive_jacobian(data, "j1", on_parent, q))
        assert np.abs(kept - full).max() < 1e-8
        assert round(np.trace(full)) == 2
        lost += round(np.trace(naive)) == 3
    assert lost == 6


def test_viviani_is_left_by_the_two_rows():
    """With the rows of Reg (27) the joint comes apart: a closed path of theirs opens the full residual."""
    data = viviani()
    _, system = naive_rows(data, "j1", True)
    start = ct.displace(system, system.q0, np.where(np.array(system.coordinate_names) == "j2.wz", 1.0, 0.1))
    q = ct.assemble(system, start, fixed="j2.wz")
    J, full = naive_jacobian(data, "j1", True, q), ct.constraint_jacobian(system, q)
    null = np.linalg.svd(J)[2][2:].T
    assert np.abs(full @ null).max() > 0.1


LOWER, UPPER = np.array([0.6, 0.5]), np.array([-0.6, 0.3])  # links of a Sarrus linkage, outward and up


def low_sarrus() -> TreeData:
    """Sarrus' linkage whose upper links can go down past the horizontal; j2 and j3 are the joints of the plate."""
    (a, b), c = LOWER, UPPER[1]
    points = [(1, 0, 0), (1 + a, 0, b), (1, 0, b + c), (0, 1, b + c), (0, 1 + a, b), (0, 1, 0)]
    return revolutes((p, (0, 1, 0) if i < 3 else (1, 0, 0)) for i, p in enumerate(points))


def with_upper_link_turned(system: ct.System, angle: float) -> np.ndarray:
    """Closed configuration in which the upper link b1 has turned by this angle, down and outward, from the drawing."""
    c, s = np.cos(angle), np.sin(angle)
    upper = np.array([[c, -s], [s, c]]) @ UPPER
    lower = np.array([-upper[0], np.sqrt(LOWER @ LOWER - upper[0] ** 2)])
    rise = np.arctan2(lower[1], lower[0]) - np.arctan2(LOWER[1], LOWER[0])
    start = {"j0": -rise, "j1": rise - angle, "j4": rise - angle, "j5": -rise}  # rotations about y lead downward
    q = np.array([start.get(name, 0.0) * (-1 if name in ("j4", "j5") else 1) for name in system.coordinate_names])
    q = ct.assemble(system, q, fixed=("j0", "j1"))
    assert ct.poses(system, q)[system.row_of("b1")][0, 0] == pytest.approx(c)
    assert np.abs(ct.poses(system, q)[system.row_of("b2")][:3, :3] - np.eye(3)).max() < 1e-9
    return q


@pytest.mark.parametrize("degrees", [0, 30, 60, 90])
def test_sarrus_by_reg_27_depends_on_the_frame(degrees):
    """In the frame on the plate four rows do. In the frame on the link the formula keeps four as well, but one of them turns
    with the link against what it has to hold: it weakens with the cosine of the turn and is gone at a right angle."""
    data = low_sarrus()
    system = data.compile(cut=["j2"])
    q = with_upper_link_turned(system, np.radians(degrees))
    on_link, on_plate = (naive_jacobian(data, "j2", parent, q) for parent in (True, False))
    full = null_projector(ct.constraint_jacobian(system, q, regularized=False))
    assert len(on_link) == len(on_plate) == system.n_constraints == 4
    assert np.abs(null_projector(on_plate) - full).max() < 1e-8
    same_null_space(system, q)
    assert round(np.trace(full)) == 1
    assert round(np.trace(null_projector(on_link))) == (2 if degrees == 90 else 1)


def test_collinear_triangle_by_reg_27():
    """Three parallel revolutes on a line: the formula keeps one row and would let the triangle move. It is rigid."""
    data = triangle(collinear=True)
    assert len(naive_rows(data, "j1", True)[0]) == 1
    system = data.compile(cut=["j1"])
    assert system.n_constraints == 2
    assert ct.mobility(system).local == 0


def test_naive_formula_holds_where_the_joint_belongs_to_both_sides():
    """Planar loops: the same row space, so that the comparison above is with the paper's formula."""
    data = planar_loop([(0, 0), (0.6, 0.8), (2.4, 1.4), (2.5, 0), (1.0, -1.0)])
    system = data.compile(cut=["j2"])
    rows, ours = naive_rows(data, "j2", True)[0], system.loop_rows[0].select
    assert len(rows) == len(ours) == 2
    assert np.abs(np.linalg.pinv(rows) @ rows - np.linalg.pinv(ours) @ ours).max() < 1e-12


@pytest.mark.parametrize("seed", range(3))
def test_rows_do_not_depend_on_where_the_mechanism_is(seed):
    """The null space, in coordinates that turn with the mechanism, is the same turned, moved, and inexact by 1e-10."""
    rng = np.random.default_rng(seed)
    for build in (sarrus, prrr3):
        data = build()
        system, other = data.compile(), perturbed(displaced(data, rng), rng, 1e-12).compile()
        q = closed_pose(system, rng, 0.4)
        x = ct.assemble(other, q)
        assert np.abs(null_spaces(system, q)[0] - null_spaces(other, x, 1e-6)[0]).max() < 1e-6
