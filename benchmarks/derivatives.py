"""Derivatives of inverse and forward dynamics beside Pinocchio, from Python in one run, each checked against the other."""

from __future__ import annotations

from typing import Any

import numpy as np

import cotree as ct
from benchmarks.timing import short_turns
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
        seconds = short_turns([ours, peer, one])
        found.append((name, quantity, *(1e6 * s for s in seconds), difference))
    return found


def ladder_row(n: int) -> tuple[Any, ...]:
    """The same for the N-four-bar: forward dynamics with loops, each on the tree that suits it."""
    from benchmarks.peers.ladder_chain import ANGLE, LadderChain

    theirs, system = LadderChain(n), ct.gallery.n_four_bar(n, ANGLE).compile()
    same, order = theirs.system, theirs.order
    q, v, tau = same.q0.copy(), ct.consistent_velocity(same, same.q0, np.ones(same.nv)), np.linspace(-1, 1, same.nv)
    vp, tp = np.empty((2, same.nv))
    vp[order], tp[order] = v, tau
    found, data = ct.forward_dynamics_derivatives(same, q, v, tau), theirs.derivatives(vp, tp)
    Z = np.linalg.svd(ct.constraint_jacobian(same, q))[2][same.n_constraints :].T
    pairs = ((found.dq @ Z, data.ddq_dq), (found.dv @ Z, data.ddq_dv))
    worst = max(float(np.abs(a - b[np.ix_(order, order)] @ Z).max() / np.abs(found.dq @ Z).max()) for a, b in pairs)
    x, u = system.q0.copy(), ct.consistent_velocity(system, system.q0, np.ones(system.nv))
    calls = (
        lambda: ct.forward_dynamics_derivatives(system, x, u, tau),
        lambda: theirs.derivatives(vp, tp),
        lambda: ct.forward_dynamics(system, x, u, tau),
    )
    seconds = short_turns(list(calls))
    return (f"{n} four-bars", "with loops", *(1e6 * s for s in seconds), worst)


def _difference(ours: Any, theirs: Any, order: list[int]) -> float:
    """Relative to the largest entry, over derivatives by q and by v."""
    worst = 0.0
    for a, b in zip((ours.dq, ours.dv), theirs[:2], strict=True):
        b = b[np.ix_(order, order)]
        worst = max(worst, float(np.abs(a - b).max() / np.abs(b).max()))
    return worst


def all_rows() -> list[tuple[Any, ...]]:
    """Of all cases."""
    cases = [(f"chain {n}", chain_parents(n)) for n in (7, 30, 100)] + [("branched 100", branched_parents(100))]
    return [row for name, parents in cases for row in rows(name, parents)] + [ladder_row(n) for n in (2, 10, 40)]


def main() -> None:
    print("Derivatives of the dynamics of trees beside Pinocchio, from Python, one core [us]")
    print(
        f"{'case':>14} {'quantity':>17} {'Cotree':>9} {'Pinocchio':>9} {'ratio':>6} {'evaluations':>11} {'difference':>10}"
    )
    shown = "{:>14} {:>17} {:9.2f} {:9.2f} {:6.2f} {:11.2f} {:10.1e}"
    for case, quantity, ours, peer, one, difference in all_rows():
        print(shown.format(case, quantity, ours, peer, peer / ours, ours / one, difference))


if __name__ == "__main__":
    main()
