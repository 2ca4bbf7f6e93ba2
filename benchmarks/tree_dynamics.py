"""Forward dynamics, inverse dynamics and mass matrix of trees beside Pinocchio, in a compiled loop and from Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

import cotree as ct
from benchmarks.timing import interleaved, repeated
from benchmarks.trees import branched_parents, chain_parents, cotree_tree, pinocchio_tree
from cotree.dynamics import api, forward

Timed = Callable[[list[Callable[[], object]], list[int]], list[float]]


@njit
def _loop_forward(count, here, values, q, v, tau, out):
    for _ in range(count):
        forward._forward_dynamics(here, values, q, v, tau, out)


@njit
def _loop_inverse(count, here, values, q, v, a, out):
    for _ in range(count):
        api._inverse_dynamics(here, values, q, v, a, out)


@njit
def _loop_mass(count, here, q, M):
    for _ in range(count):
        api._mass_matrix(here, q, M)


def rows(name: str, parents: list[int], timed: Timed = interleaved) -> list[tuple[Any, ...]]:
    """(case, quantity, loop, from Python, Pinocchio, greatest difference) in microseconds."""
    import pinocchio as pin

    system = cotree_tree(parents).compile()
    model = pinocchio_tree(parents)
    data = model.createData()
    n = system.nv
    order = [int(name[1:]) for name in system.coordinate_names]  # Pinocchio's joints are in the order of construction
    rng = np.random.default_rng(1)
    q, v, tau = rng.standard_normal((3, n))
    qp, vp, tp = np.empty((3, n))
    qp[order], vp[order], tp[order] = q, v, tau
    values, h, out, M = system.elements.constants, system.here, np.empty(n), np.empty((n, n))
    count = max(20, 60_000 // n)
    cases = {
        "forward dynamics": (
            lambda: _loop_forward(count, h, values, q, v, tau, out),
            lambda: ct.forward_dynamics(system, q, v, tau).v_dot,
            lambda: pin.aba(model, data, qp, vp, tp),
        ),
        "inverse dynamics": (
            lambda: _loop_inverse(count, h, values, q, v, tau, out),
            lambda: ct.inverse_dynamics(system, q, v, tau),
            lambda: pin.rnea(model, data, qp, vp, tp),
        ),
        "mass matrix": (
            lambda: _loop_mass(count, h, q, M),
            lambda: ct.mass_matrix(system, q),
            lambda: pin.crba(model, data, qp),
        ),
    }
    found = []
    for quantity, (loop, ours, peer) in cases.items():
        theirs = peer()
        theirs = theirs[order] if theirs.ndim == 1 else theirs[np.ix_(order, order)]
        difference = np.abs(ours() - theirs).max() / np.abs(theirs).max()
        seconds = timed([loop, repeated(ours, count), repeated(peer, count)], [count] * 3)
        found.append((name, quantity, *(1e6 * s for s in seconds), difference))
    return found


def main() -> None:
    print("Trees beside Pinocchio, one core [us per evaluation]; ratios are Pinocchio's time over ours")
    head = (
        ("quantity", 17),
        ("loop", 9),
        ("Python", 9),
        ("Pinocchio", 9),
        ("loop x", 7),
        ("Python x", 8),
        ("difference", 10),
    )
    print(f"{'case':>16} " + " ".join(f"{word:>{width}}" for word, width in head))
    cases = [(f"chain {n}", chain_parents(n)) for n in (7, 30, 100, 300)] + [("branched 100", branched_parents(100))]
    for name, parents in cases:
        for case, quantity, loop, python, peer, difference in rows(name, parents):
            print(
                f"{case:>16} {quantity:>17} {loop:9.2f} {python:9.2f} {peer:9.2f} {peer / loop:7.2f} {peer / python:8.2f} "
                f"{difference:10.1e}"
            )


if __name__ == "__main__":
    main()
