"""Closed loops: geometric regularization once [Reg] against a numerical decomposition of all rows in each step."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dposv

import cotree as ct
from benchmarks.timing import best, interleaved
from cotree.system.assembly import assemble_graph
from cotree.system.regularization import regularize


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


def evaluate(system: ct.System, q: np.ndarray, v: np.ndarray, regularized: bool) -> tuple[np.ndarray, np.ndarray]:
    """Jacobian and right-hand side, the residual along with them."""
    ct.constraint_residual(system, q, regularized=regularized)
    J = ct.constraint_jacobian(system, q, regularized=regularized)
    return J, ct.constraint_bias(system, q, v, regularized=regularized)


def by_kept_rows(system: ct.System, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Least-norm acceleration that the rows require: their Gram matrix is regular."""
    J, eta = evaluate(system, q, v, True)
    return np.asarray(J.T @ dposv(J @ J.T, eta)[1])


def by_singular_values(system: ct.System, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The same from all rows, whose rank an SVD has to find."""
    J, eta = evaluate(system, q, v, False)
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    keep = s > 1e-9 * s[0]
    return np.asarray(Vt[keep].T @ ((U[:, keep].T @ eta) / s[keep]))


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
    print("Constraints of one step: residual, Jacobian, right-hand side, and a solution [us]")
    print(f"{'loops':>6} {'rows kept':>10} {'of':>5} {'kept rows, Cholesky':>20} {'all rows, SVD':>14} {'ratio':>6}")
    for n in (1, 3, 10, 30, 100):
        system = ladder(n).compile()
        q, v = system.q0, ct.consistent_velocity(system, system.q0, np.ones(system.nv))
        if np.abs(by_kept_rows(system, q, v) - by_singular_values(system, q, v)).max() > 1e-9:
            raise RuntimeError("the two solutions differ")
        calls = [lambda s=system, f=f, x=(q, v): f(s, *x) for f in (by_kept_rows, by_singular_values)]
        kept, full = interleaved(calls, [1, 1], rounds=20 if n < 30 else 5)
        rows = int(system.cuts["full"].sum())
        print(f"{n:6d} {system.n_constraints:10d} {rows:5d} {kept * 1e6:20.1f} {full * 1e6:14.1f} {full / kept:6.1f}")


if __name__ == "__main__":
    main()
