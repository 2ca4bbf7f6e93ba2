"""Floating-point operations of the kernels of a chain, for each of its bodies: counted, by numbers that count.

`python -m benchmarks operations [GFLOP/s]` lets the kernels run as plain Python (COTREE_INTERPRETED=1), on numbers that count
additions, multiplications, divisions and functions; then times the same kernels in batches on one core, and says which share of
its peak they reach, where that is given: lanes times two units times two operations of a fused instruction times clock.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import time
from collections import Counter
from typing import Any

import numpy as np

SHORT, LONG, STATES, ROUNDS = 20, 30, 4096, 15
QUANTITIES = ("forward dynamics", "inverse dynamics", "mass matrix")
counted: Counter[str] = Counter()


def _counting(name: str, word: str) -> Any:
    plain = getattr(np.float64, name)

    def operate(self: Any, *others: Any) -> Any:
        found = plain(self, *others)
        if found is NotImplemented:
            return found
        counted[word] += 1
        return Number(found)

    return operate


_OPERATIONS = {"add": "+ -", "sub": "+ -", "mul": "*", "truediv": "/"}
_METHODS = {
    f"__{r}{name}__": _counting(f"__{r}{name}__", word) for name, word in _OPERATIONS.items() for r in ("", "r")
}
Number: Any = type("Number", (np.float64,), _METHODS)


class Numbers(np.ndarray):
    """An array that gives out numbers which count."""

    def __getitem__(self, i: Any) -> Any:
        return wrapped(super().__getitem__(i))


def wrapped(value: Any) -> Any:
    """What counts, in the place of a number or an array of them."""
    if type(value) is np.float64:
        return Number(value)
    if type(value) is np.ndarray and value.dtype == float:
        return value.view(Numbers)
    return value


def prepare() -> None:
    """Let records and arrays that kernels open give out numbers that count."""
    from cotree.engine import interpreted

    class Row(interpreted.Row):
        def __getattribute__(self, name: str) -> Any:
            return wrapped(super().__getattribute__(name))

    opened = interpreted._opened
    interpreted.Row = Row  # type: ignore[misc]
    interpreted._opened = lambda given: wrapped(opened(given))
    for name in ("sin", "cos", "sqrt"):
        setattr(np, name, _function(name))


def _function(name: str) -> Any:
    plain = getattr(np, name)

    def function(x: Any) -> Any:
        if not isinstance(x, np.float64):
            return plain(x)
        counted[name] += 1
        return Number(plain(x))

    return function


def calls(n: int) -> dict[str, Any]:
    """The quantities of a chain of n joints, as functions of a state."""
    import cotree as ct
    from benchmarks.trees import chain_parents, cotree_tree

    system = cotree_tree(chain_parents(n)).compile()
    return {
        "forward dynamics": lambda q, v, w: ct.forward_dynamics(system, q, v, w).v_dot,
        "inverse dynamics": lambda q, v, w: ct.inverse_dynamics(system, q, v, w),
        "mass matrix": lambda q, v, w: ct.mass_matrix(system, q),
    }


def count() -> None:
    """Print what each quantity of the short and of the long chain takes, one line each."""
    prepare()
    for n in (SHORT, LONG):
        state = np.random.default_rng(1).standard_normal((3, n))
        for quantity, call in calls(n).items():
            call(*state)
            counted.clear()
            call(*state)
            print(f"{n}\t{quantity}\t{dict(counted)!r}")


def counts() -> dict[tuple[int, str], Counter[str]]:
    """The same, of a process in which nothing is compiled."""
    environment = os.environ | {"COTREE_INTERPRETED": "1"}
    told = subprocess.run(
        [sys.executable, "-m", "benchmarks.operations", "count"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    found = {}
    for line in told.stdout.splitlines():
        n, quantity, parts = line.split("\t")
        found[int(n), quantity] = Counter(ast.literal_eval(parts))
    return found


def microseconds(n: int) -> dict[str, float]:
    """Of a state, on one core, in batches on lanes."""
    states = np.random.default_rng(1).standard_normal((3, STATES, n))
    mine, out = os.sched_getaffinity(0), {}
    os.sched_setaffinity(0, {min(mine)})
    try:
        for quantity, call in calls(n).items():
            least = np.inf
            for _ in range(ROUNDS):
                begun = time.process_time()
                call(*states)
                least = min(least, time.process_time() - begun)
            out[quantity] = 1e6 * least / STATES
    finally:
        os.sched_setaffinity(0, mine)
    return out


def main() -> None:
    peaks = [float(word) for word in sys.argv[1:] if word.replace(".", "", 1).isdecimal()]
    found, times = counts(), microseconds(LONG)
    print(f"operations of a chain of {LONG} joints, and for each further body; {STATES} states in one call on one core")
    for quantity in QUANTITIES:
        whole, short = found[LONG, quantity], found[SHORT, quantity]
        body = {word: (whole[word] - short[word]) / (LONG - SHORT) for word in sorted(whole)}
        rate = 1e-3 * sum(whole.values()) / times[quantity]
        share = f", {rate / peaks[0]:.0%} of the peak" if peaks else ""
        parts = ", ".join(f"{number:.0f} {word}" for word, number in body.items())
        print(
            f"{quantity:>17}: {sum(whole.values())} operations, {sum(body.values()):.0f} a body ({parts}); "
            f"{times[quantity]:.2f} us a state, {rate:.1f} GFLOP/s{share}"
        )


if __name__ == "__main__":
    count() if "count" in sys.argv else main()
