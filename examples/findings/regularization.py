"""What geometric regularization [Reg] saves: rows chosen once, against all rows with a decomposition at every step.

For each mechanism, at a closed configuration off the reference, microseconds of processor time (best of several rounds):
- rows: the Jacobian of the rows kept, and of all rows;
- svd, qr: singular values with vectors, and column-pivoted QR (LAPACK's geqp3), of all rows: what a program without
  preprocessing spends to know which rows are independent;
- acceleration: forward dynamics (index 1) of the system compiled with regularization and without, both with regard to rank;
- once: milliseconds of the analysis, when the model is compiled.
Prints the table, with ratios that are meaningful within one run.
"""

from __future__ import annotations

import time

import numpy as np
from scipy.linalg import lapack

import cotree as ct
from cotree.system.reference_assembly import assemble_graph
from cotree.system.regularization import regularize

CASES = {
    "four-bar": ct.gallery.four_bar,
    "Bennett": ct.gallery.bennett,
    "spherical four-bar": ct.gallery.spherical_four_bar,
    "3-PRRR": ct.gallery.three_prrr,
    "ladder of 10": lambda: ct.gallery.n_four_bar(10),
    "ladder of 40": lambda: ct.gallery.n_four_bar(40),
}


def best(calls, rounds=9, least=0.02):
    """Seconds of each call, the best of several rounds taken in turns; each lasts about so long."""
    counts = []
    for call in calls.values():
        call()
        start = time.thread_time()
        call()
        counts.append(max(1, round(least / max(time.thread_time() - start, 1e-6))))
    found = dict.fromkeys(calls, np.inf)
    for _ in range(rounds):
        for (name, call), n in zip(calls.items(), counts, strict=True):
            start = time.thread_time()
            for _ in range(n):
                call()
            found[name] = min(found[name], (time.thread_time() - start) / n)
    return found


def state(system):
    """A closed configuration off the reference, and an admissible velocity."""
    rng = np.random.default_rng(0)
    q = ct.assemble(system, ct.displace(system, system.q0, 0.1 * rng.standard_normal(system.nv)))
    return q, ct.consistent_velocity(system, q, rng.standard_normal(system.nv))


def measure(make):
    """(times [s] by name, sizes)."""
    kept = make().compile()
    full = make().compile(cut=list(kept.cut_joints), regularize=False)
    q, v = state(kept)
    J = ct.constraint_jacobian(full, q)
    F = np.asfortranarray(J)
    assembly = assemble_graph(make(), False, ())
    times = best(
        {
            "kept": lambda: ct.constraint_jacobian(kept, q),
            "all": lambda: ct.constraint_jacobian(full, q),
            "svd": lambda: np.linalg.svd(J),
            "qr": lambda: lapack.dgeqp3(F),
            "acc": lambda: ct.forward_dynamics(kept, q, v, formulation="index1").v_dot,
            "acc all": lambda: ct.forward_dynamics(full, q, v, formulation="index1").v_dot,
            "once": lambda: regularize(assembly, assembly.tree, True),
        }
    )
    return times, (kept.n_constraints, full.n_constraints, int(np.linalg.matrix_rank(J, 1e-7)), kept.nv)


def line(name, times, sizes):
    """One row of the table."""
    kept, full, rank, nv = sizes
    us = {k: 1e6 * x for k, x in times.items()}
    ratios = [(us["all"] + us["svd"]) / us["kept"], (us["all"] + us["qr"]) / us["kept"], us["acc all"] / us["acc"]]
    return (
        f"{name:20}{f'{kept}/{full}/{rank}':>13}{nv:>5}"
        + "".join(f"{us[k]:>9.1f}" for k in ("kept", "all", "svd", "qr", "acc", "acc all"))
        + "".join(f"{r:>8.1f}" for r in ratios)
        + f"{1e-3 * us['once']:>9.2f}"
    )


def main() -> None:
    words = ("kept us", "all us", "svd us", "qr us", "acc us", "acc all")
    print(
        f"{'':20}{'kept/all/rank':>13}{'nv':>5}"
        + "".join(f"{w:>9}" for w in words)
        + f"{'x svd':>8}{'x qr':>8}{'x acc':>8}{'once ms':>9}"
    )
    for name, make in CASES.items():
        print(line(name, *measure(make)), flush=True)
    print("x svd, x qr: all rows and the decomposition, by the rows kept; x acc: the two accelerations")


if __name__ == "__main__":
    main()
