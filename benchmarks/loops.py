"""Closed loops: geometric regularization once [Reg] against a numerical decomposition of all rows in each step."""

from __future__ import annotations

import numpy as np
from numba import njit

import cotree as ct
from benchmarks.timing import best, interleaved
from cotree.constraints import all_rows, api
from cotree.formulations.linalg import cholesky, solve_lower, solve_lower_transposed
from cotree.kinematics.sweep import move_all
from cotree.system.reference_assembly import assemble_graph
from cotree.system.regularization import regularize
from cotree.system.views import open_rows, open_tables


def ladder(n: int) -> ct.Mechanism:
    """n planar parallelograms side by side: 2 n + 1 bodies, n loops, 1 dof."""
    mech = ct.Mechanism(f"ladder of {n}", gravity=(0, -9.81, 0))
    cranks = [mech.body(f"crank{i}", 1.0, (i + 0.1, 0.5, 0), (0.1, 0.1, 0.1)) for i in range(n + 1)]
    for i, crank in enumerate(cranks):
        mech.joint(f"A{i}", mech.ground, crank, ct.Revolute((i, 0, 0), (0, 0, 1)))
    for i in range(n):
        coupler = mech.body(f"coupler{i}", 1.0, (i + 0.7, 1, 0), (0.1, 0.1, 0.1))
        mech.joint(f"B{i}", cranks[i], coupler, ct.Revolute((i + 0.2, 1, 0), (0, 0, 1)))
        mech.joint(f"C{i}", coupler, cranks[i + 1], ct.Revolute((i + 1.2, 1, 0), (0, 0, 1)))
    return mech


@njit
def _evaluate(here, q, v, g, J, eta):
    """Residual, Jacobian and right-hand side in one sweep, as a simulation does it."""
    tables = open_tables(here)
    move_all(tables, q, v)
    api.put_bias_accelerations(tables.links, tables.work)
    rows, motions = open_rows(here), np.zeros((0, 3))
    all_rows.put_gaps(here, q, motions, g)
    all_rows.put_wrenches(here)
    J[:] = 0.0
    all_rows.put_jacobian(rows, tables.links, tables.dof_work, J)
    all_rows.put_rates(here)
    all_rows.put_bias(rows, tables.work, motions, eta)


@njit
def by_kept_rows(count, here, q, v, g, J, eta, x):
    """Least-norm acceleration that the rows require: their Gram matrix is regular."""
    for _ in range(count):
        _evaluate(here, q, v, g, J, eta)
        S, y = J @ J.T, eta.copy()
        cholesky(S)
        solve_lower(S, y)
        solve_lower_transposed(S, y)
        x[:] = J.T @ y


@njit
def by_singular_values(count, here, q, v, g, J, eta, x):
    """The same from all rows, whose rank an SVD has to find."""
    for _ in range(count):
        _evaluate(here, q, v, g, J, eta)
        U, s, Vt = np.linalg.svd(J, False)
        y = U.T @ eta
        for k in range(s.size):
            y[k] = y[k] / s[k] if s[k] > 1e-9 * s[0] else 0.0
        x[:] = Vt.T @ y


def main() -> None:
    preprocessing()
    print()
    evaluation()


def preprocessing() -> None:
    print("Preprocessing of planar ladders, after warm-up: regularization alone, and all of compile() [ms]")
    print(f"{'loops':>6} {'regularize':>11} {'compile':>9}")
    for n in (10, 100):
        mech = ladder(n)
        assembly = assemble_graph(mech, False, ())
        alone = best(lambda a=assembly: regularize(a, a.tree, search=True))  # type: ignore[misc]
        print(f"{n:6d} {alone * 1e3:11.1f} {best(mech.compile) * 1e3:9.1f}")


def evaluation() -> None:
    print("Constraints of one step, compiled: residual, Jacobian, right-hand side, and a solution [us]")
    print(f"{'loops':>6} {'rows kept':>10} {'of':>5} {'kept rows, Cholesky':>20} {'all rows, SVD':>14} {'ratio':>6}")
    for n in (1, 3, 10, 30, 100):
        system = ladder(n).compile()
        q, v = system.q0, ct.consistent_velocity(system, system.q0, np.ones(system.nv))
        calls, found, count = [], [], max(1, 2000 // n**2)
        for solve, regularized in ((by_kept_rows, True), (by_singular_values, False)):
            here, m = api.with_rows(system, regularized)
            x = np.zeros(system.nv)
            arrays = (np.zeros(m), np.zeros((m, system.nv)), np.zeros(m), x)
            found.append(x)
            arguments = (count, here, q, v, *arrays)
            calls.append(lambda f=solve, a=arguments: f(*a))
        kept, full = interleaved(calls, [count, count])
        if np.abs(found[0] - found[1]).max() > 1e-9:
            raise RuntimeError("the two solutions differ")
        rows = int(system.cuts["full"].sum())
        print(f"{n:6d} {system.n_constraints:10d} {rows:5d} {kept * 1e6:20.1f} {full * 1e6:14.1f} {full / kept:6.1f}")


if __name__ == "__main__":
    main()
