"""What geometric regularization [Reg] saves: rows chosen once, against all rows with a decomposition at every step.

For each mechanism, at a closed configuration off the reference, microseconds of processor time (best of several rounds):
- rows: the Jacobian of the rows kept, and of all rows;
- svd, qr: singular values with vectors, and column-pivoted QR (LAPACK's geqp3), of all rows: what a program without
  preprocessing spends to know which rows are independent;
- acceleration: forward dynamics (index 1) of the system compiled with regularization and without, both with regard to rank;
- once: seconds that the analysis takes when the model is compiled, as the difference of compile times with and without.
Prints the table, with ratios that are meaningful within one run.
"""

from __future__ import annotations

import time

import numpy as np
from scipy.linalg import lapack

import cotree as ct

CASES = {
    "four-bar": ct.gallery.four_bar,
    "Bennett": ct.gallery.bennett,
    "spherical four-bar": ct.gallery.spherical_four_bar,
    "3-PRRR": ct.gallery.three_prrr,
    "ladder of 10": lambda: ct.gallery.n_four_bar(10),
    "ladder of 40": lambda: ct.gallery.n_four_bar(40),
}


def best(call, rounds=7, least=0.02):
    """Seconds of one call, the best of several rounds of at least so long."""
    n = 1
    while True:
        start = time.thread_time()
        for _ in range(n):
            call()
        if (took := time.thread_time() - start) > least:
            break
        n *= 2
    found = [took / n]
    for _ in range(rounds - 1):
        start = time.thread_time()
        for _ in range(n):
            call()
        found.append((time.thread_time() - start) / n)
    return min(found)


def state(system):
    """A closed configuration off the reference, and an admissible velocity."""
    rng = np.random.default_rng(0)
    q = ct.assemble(system, ct.displace(system, system.q0, 0.1 * rng.standard_normal(system.nv)))
    return q, ct.consistent_velocity(system, q, rng.standard_normal(system.nv))


def compile_seconds(make, regularize):
    """Best of three."""
    mechs = [make() for _ in range(3)]
    found = []
    for mech in mechs:
        start = time.thread_time()
        mech.compile(regularize=regularize)
        found.append(time.thread_time() - start)
    return min(found)


def measure(make):
    """Times [s] by name, and sizes."""
    kept = make().compile()
    full = make().compile(cut=list(kept.cut_joints), regularize=False)
    q, v = state(kept)
    J = ct.constraint_jacobian(full, q)
    F = np.asfortranarray(J)
    compiled = [compile_seconds(make, r) for r in (True, False)]
    return {
        "rows kept": best(lambda: ct.constraint_jacobian(kept, q)),
        "all rows": best(lambda: ct.constraint_jacobian(full, q)),
        "svd": best(lambda: np.linalg.svd(J)),
        "qr": best(lambda: lapack.dgeqp3(F)),
        "acceleration": best(lambda: ct.forward_dynamics(kept, q, v, formulation="index1").v_dot),
        "acceleration, all rows": best(lambda: ct.forward_dynamics(full, q, v, formulation="index1").v_dot),
        "once": compiled[0] - compiled[1],
        "sizes": (kept.n_constraints, full.n_constraints, kept.nv, int(np.linalg.matrix_rank(J, 1e-7))),
    }


def line(name, m):
    """One row of the table."""
    kept, full, nv, rank = m["sizes"]
    us = {k: 1e6 * m[k] for k in ("rows kept", "all rows", "svd", "qr", "acceleration", "acceleration, all rows")}
    ratios = [(m["all rows"] + m[k]) / m["rows kept"] for k in ("svd", "qr")]
    return (
        f"{name:20}{f'{kept}/{full}/{rank}':>13}{nv:>5}"
        + "".join(f"{us[k]:>10.1f}" for k in us)
        + "".join(f"{r:>8.1f}" for r in ratios)
        + f"{m['acceleration, all rows'] / m['acceleration']:>8.1f}{1e3 * m['once']:>9.1f}"
    )


def main() -> None:
    head = f"{'':20}{'kept/all/rank':>13}{'nv':>5}" + "".join(
        f"{w:>10}" for w in ("kept us", "all us", "svd us", "qr us", "acc us", "acc all")
    )
    print(head + f"{'x svd':>8}{'x qr':>8}{'x acc':>8}{'once ms':>9}")
    for name, make in CASES.items():
        print(line(name, measure(make)), flush=True)
    print("x svd, x qr: all rows and the decomposition, by the rows kept; x acc: the two accelerations")


if __name__ == "__main__":
    main()
