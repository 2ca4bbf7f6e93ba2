"""Rows over many bodies as a border of the divided system: the same as matrices, and as imposing them in the plan."""

import numpy as np
import pytest

import cotree as ct
from cotree.constraints.api import holonomic_rows
from cotree.formulations.odca import planned as planning
from cotree.formulations.odca.closing import shortest
from cotree.formulations.odca.division import division, total_work_of, use_threads
from cotree.formulations.odca.forward import by_division
from cotree.formulations.odca.merge import factor_by_pivots
from cotree.formulations.odca.solve import kinetic_size, put_correction, put_results, solve_again
from tests.constraints.test_rolling import disk
from tests.formulations.test_odca_hubs import star
from tests.random_mechanisms import error

from .divided import WAYS, check, state

N = 12
RIM = np.array([(np.cos(0.4 * k), np.sin(0.4 * k), 0.1 * (k % 3)) for k in range(N + 1)])


def chain(n=N):
    """A chain in space, not straight, on hinges in three directions."""
    mech, body = ct.Mechanism("chain", gravity=(0, -9.81, 0)), "ground"
    for k in range(n):
        mech.body(f"b{k}", 1.0 + 0.1 * k, (RIM[k] + RIM[k + 1]) / 2, (0.1, 0.2, 0.15))
        mech.joint(f"j{k}", body, f"b{k}", ct.Revolute(RIM[k], np.eye(3)[k % 3]))
        body = f"b{k}"
    return mech


def coupled(*sets):
    mech = chain()
    for i, joints in enumerate(sets):
        mech.coupling(f"sum {i}", {f"j{k}": 1.0 + k % 3 for k in joints})
    return mech


def ladder():
    """Ten loops, and a row over all cranks beside them."""
    mech = ct.gallery.n_four_bar(10)
    joints = list(mech.compile().v_names)
    mech.coupling("all", {name: 1.0 + 0.3 * k for k, name in enumerate(joints)})
    return mech


def momentum():
    """A hub of which there are copies, with a row of each kind: one holds velocities only."""
    mech = star(13)
    mech.conserve("spin", "angular momentum", axis=(0, 0, 1), value=0.7)
    mech.coupling("arms", {f"j{k}": 1.0 + 0.1 * k for k in range(13)})
    return mech


def rotors():
    """With the inertia of motors along two joints, which has rows of its own."""
    mech = coupled(range(N))
    mech.joint_inertia("slow", "j1", 0.3)
    mech.joint_inertia("fast", "j5", 0.1)
    return mech


CASES = {
    "one row": lambda: coupled(range(N)),
    "three rows": lambda: coupled(range(N), range(0, N, 2), range(1, N)),
    "rows that depend on each other": lambda: coupled(range(N), range(N), range(1, N)),
    "loops": ladder,
    "momentum of a hub with arms": momentum,
}


ABSOLUTE = ("one row", "momentum of a hub with arms")


@pytest.mark.parametrize(
    ("name", "way"),
    [(n, w) for n in CASES for w in WAYS if "coordinates" not in w or n in ABSOLUTE],
    ids=lambda x: x if isinstance(x, str) else " ".join(map(str, x.values())) or "plain",
)
def test_accelerations_and_forces(name, way):
    system = CASES[name]().compile(**way)
    assert division(system).record.border_rows > 0
    check(system, *state(system, np.random.default_rng(4), 0.1), tolerance=1e-9)


def test_rotors():
    system = rotors().compile()
    check(system, *state(system, np.random.default_rng(5), 0.1), tolerance=1e-10)


def test_dependent_rows_are_found():
    system = CASES["rows that depend on each other"]().compile()
    q, v, tau = state(system, np.random.default_rng(4), 0.1)
    v_dot, lam, rank, ratios = by_division(system, q, v, tau, 0.0)
    assert (rank, np.count_nonzero(lam)) == (2, 2)  # what is left out carries nothing
    assert ratios[0] > 1e-4 > 1e-13 > ratios[1]
    assert error(v_dot, ct.forward_dynamics(system, q, v, tau, formulation="index1").v_dot) < 1e-10
    assert division(system).record.border_rows == 3


@pytest.mark.parametrize("name", ["three rows", "loops", "momentum of a hub with arms"])
def test_as_imposed_in_the_plan(name, monkeypatch):
    """The other way that division has for such rows."""
    bordered = CASES[name]().compile()
    assert division(bordered).record.border_rows > 0
    monkeypatch.setattr(planning, "WIDE", (1000,))
    imposed = CASES[name]().compile()
    q, v, tau = state(bordered, np.random.default_rng(6), 0.1)
    a, b = (ct.forward_dynamics(s, q, v, tau, formulation="odca") for s in (bordered, imposed))
    assert division(imposed).record.border_rows == 0
    assert a.rank == b.rank
    assert error(a.v_dot, b.v_dot) < 1e-11
    assert error(a.multipliers, b.multipliers) < 1e-11


@pytest.mark.parametrize("positions", [False, True])
@pytest.mark.parametrize("name", ["one row", "rows that depend on each other", "loops", "momentum of a hub with arms"])
def test_corrections(name, positions):
    """The shortest x with J x = c in the metric of M, by least squares; of positions only in rows that hold them."""
    system, rng = CASES[name]().compile(), np.random.default_rng(7)
    q, _, _ = state(system, rng, 0.1)
    J, L = ct.constraint_jacobian(system, q), np.linalg.cholesky(ct.mass_matrix(system, q))
    if positions:
        J = J * holonomic_rows(system)[:, None]
    c = J @ rng.normal(size=system.nv)
    want = np.linalg.solve(L.T, np.linalg.lstsq(np.linalg.solve(L, J.T).T, c, rcond=1e-10)[0])
    x, rank = shortest(system, q, c, positions)
    assert rank == np.linalg.matrix_rank(J, 1e-9)
    assert error(x, want) < 1e-10
    assert kinetic_size(division(system).record) == pytest.approx(x @ (L @ (L.T @ x)), rel=1e-9)


def test_other_right_hand_sides_with_the_same_factors():
    system, rng = CASES["three rows"]().compile(), np.random.default_rng(8)
    q, _, _ = state(system, rng, 0.1)
    c = [ct.constraint_jacobian(system, q) @ rng.normal(size=system.nv) for _ in range(2)]
    want = shortest(system, q, c[1], False)[0]
    shortest(system, q, c[0], False)
    d, x, lam = division(system).record, np.empty(system.nv), np.empty(system.n_constraints)
    put_correction(d, c[1], False)
    solve_again(d)
    solve_again(d)  # right-hand sides are left as they were
    put_results(d, x, lam)
    assert error(x, want) < 1e-13


def test_threads_make_no_difference():
    system = ladder().compile()
    q, v, tau = state(system, np.random.default_rng(9), 0.1)
    alone, together = (
        [use_threads(system, n), ct.forward_dynamics(system, q, v, tau, formulation="odca").v_dot][1] for n in (1, 2)
    )
    assert np.array_equal(alone, together)


@pytest.mark.parametrize("n", [100, 1000])
def test_one_row_leaves_the_depth_as_it_is(n):
    mech, axes = ct.Mechanism("chain"), np.eye(3)[[2, 1]]
    body = mech.ground
    for k in range(n):
        outer = mech.body(f"b{k}", 1.0, (0.3 * k + 0.15, 0, 0), (0.1, 0.1, 0.1))
        mech.joint(f"j{k}", body, outer, ct.Revolute((0.3 * k, 0, 0), axes[k % 2]))
        body = outer
    plain = division(mech.compile())
    mech.coupling("sum", {f"j{k}": 1.0 for k in range(n)})
    bordered = division(mech.compile())
    assert bordered.plan.depth == plain.plan.depth <= np.log2(n) + 1.0
    assert bordered.plan.widest == plain.plan.widest
    assert total_work_of(plain) < total_work_of(bordered) < 3.0 * total_work_of(plain)


def test_the_plan_names_its_border():
    assert "; border: sum 0\n" in str(ct.theory.assembly_plan(coupled(range(N))))
    assert "border" not in str(ct.theory.assembly_plan(chain()))


def test_a_run_keeps_all_rows():
    """Velocities, positions and momentum, as with matrices; the start is off the rows."""
    mech = momentum()
    runs = [
        ct.simulate(mech.compile(), 0.2, formulation=f, rtol=1e-9, atol=1e-11, output=5) for f in ("odca", "index1")
    ]
    assert error(runs[0].q, runs[1].q) < 1e-8
    assert error(runs[0].v, runs[1].v) < 1e-7
    assert runs[0].violation.max() < 1e-10


def test_rows_that_hold_velocities_do_not_hide_gaps():
    """A disk above its plane comes down onto it, though its rows of rolling, which come first, are left out."""
    system = disk().compile()
    holds = holonomic_rows(system)
    assert holds.tolist() == [False, False, True]
    x, rank = shortest(system, system.q0, np.where(holds, 0.01, 0.0), True)
    assert rank == 1
    assert ct.constraint_jacobian(system, system.q0)[holds] @ x == pytest.approx(0.01)


def test_a_row_that_is_left_out_from_the_start_does_not_hide_others():
    X, order, ratios = np.diag([0.0, 3.0, 0.0, 2.0]), np.zeros(4, dtype=np.int64), np.array([np.inf, 0.0])
    assert factor_by_pivots(X, np.array([0.0, 1.0, 0.0, 1.0]), order, ratios) == 2
    assert sorted(order[:2]) == [1, 3]
