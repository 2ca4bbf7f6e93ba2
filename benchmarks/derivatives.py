"""Derivatives of inverse and forward dynamics beside Pinocchio, from Python in one run, each checked against the other."""

from __future__ import annotations

from typing import Any

import numpy as np

import cotree as ct
from benchmarks.timing import interleaved, repeated
from benchmarks.trees import branched_parents, chain_parents, cotree_tree, pinocchio_tree


def rows(name: str, parents: list[int]) -> list[tuple[Any, ...]]:
    """(case, quantity, ours, Pinocchio's, one evaluation of ours, greatest difference), times in microseconds."""
    import pinocchio as pin

    system, model = cotree_tree(parents).compile(), pinocchio_tree(parents)
    data, n = model.createData(), system.nv
    order = [int(name[1:]) for name in system.coordinate_names]  # Pinocchio's joints are in the order of construction
    q, v, x = np.random.default_rng(1).standard_normal((3, n))
    qp, vp, xp = np.empty((3, n))
    qp[order], vp[order], xp[order] = q, v, x
    count = max(10, 20_000 // n)
    cases = {
        "inverse dynamics": (
            lambda: ct.inverse_dynamics_derivatives(system, q, v, x),
            lambda: pin.computeRNEADerivatives(model, data, qp, vp, xp),
            lambda: ct.inverse_dynamics(system, q, v, x),
        ),
        "forward dynamics": (
            lambda: ct.forward_dynamics_derivatives(system, q, v, x),
            lambda: pin.computeABADerivatives(model, data, qp, vp, xp),
            lambda: ct.forward_dynamics(system, q, v, x),
        ),
    }
    found = []
    for quantity, (ours, peer, one) in cases.items():
        difference = _difference(ours(), peer(), order)
        seconds = interleaved([repeated(call, count) for call in (ours, peer, one)], [count] * 3)
        found.append((name, quantity, *(1e6 * s for s in seconds), difference))
    return found


def _difference(ours: Any, theirs: Any, order: list[int]) -> float:
    """Relative to the largest entry, over derivatives by q and by v."""
    worst = 0.0
    for a, b in zip((ours.dq, ours.dv), theirs[:2], strict=True):
        b = b[np.ix_(order, order)]
        worst = max(worst, float(np.abs(a - b).max() / np.abs(b).max()))
    return worst


def main() -> None:
    print("Derivatives of the dynamics of trees beside Pinocchio, from Python, one core [us]")
    print(
        f"{'case':>14} {'quantity':>17} {'Cotree':>9} {'Pinocchio':>9} {'ratio':>6} {'evaluations':>11} {'difference':>10}"
    )
    cases = [(f"chain {n}", chain_parents(n)) for n in (7, 30, 100)] + [("branched 100", branched_parents(100))]
    for name, parents in cases:
        for case, quantity, ours, peer, one, difference in rows(name, parents):
            print(
                f"{case:>14} {quantity:>17} {ours:9.2f} {peer:9.2f} {peer / ours:6.2f} {ours / one:11.2f} {difference:10.1e}"
            )


if __name__ == "__main__":
    main()
