"""`python -m benchmarks.field [KEY ...] [--work] [--store]`."""

from __future__ import annotations

import argparse

from benchmarks.field.catalogue import PROBLEMS
from benchmarks.field.peers import beside
from benchmarks.field.solving import Solved, solved, work
from benchmarks.field.storing import store


def show(found: Solved, full: bool) -> None:
    p = found.problem
    errors = f"error about {found.error:.1e} m, energy balance error {found.energy:.1e} J"
    print(f"{p.key}: {p.title}, {p.t_end:g} s: {errors}", flush=True)
    if not full:
        return
    print(f"  another formulation, method and other coordinates: {found.other:.1e} m apart")
    print(f"  {p.why_second}: {found.second:.1e} m apart")
    for known, difference in zip(p.known, found.known, strict=True):
        print(f"  {known.source}: {difference:.1e} apart")
    for name, value in zip(p.columns, found.rows[-1], strict=True):
        print(f"  {name} at {p.t_end:g} s: {value:.12f}")


def shown(error: float | None) -> str:
    return "gave up" if error is None else f"{error:.1e} m"


def main() -> None:
    reader = argparse.ArgumentParser(
        prog="python -m benchmarks.field", description="Published problems of the field, solved."
    )
    reader.add_argument("keys", nargs="*", help=f"all if none is named: {', '.join(PROBLEMS)}", metavar="KEY")
    reader.add_argument("--work", action="store_true", help="what accuracy costs, by method and tolerance")
    reader.add_argument("--store", action="store_true", help="write models, solutions and benchmarks/field/README.md")
    given = reader.parse_args()
    unknown = [key for key in given.keys if key not in PROBLEMS]
    if unknown:
        reader.error(f"there is no problem {unknown[0]!r}; choose from {', '.join(PROBLEMS)}")
    for key in given.keys or PROBLEMS:
        found = solved(PROBLEMS[key])
        show(found, bool(given.keys))
        with_costs = given.work or given.store
        costs = work(found.problem, found.rows) if with_costs else []
        others = beside(found.problem, found.rows) if with_costs else []
        for row in costs:
            fineness = f"step {row['step']:.1e}" if "step" in row else f"tolerance {row['rtol']:.0e}"
            print(f"  {row['method']:>17}, {fineness}: {shown(row['error'])}, {row['seconds']:.4f} s")
        for row in others:
            print(f"  {row['tool']:>17}, {row['setting']}: {shown(row['error'])}, {row['seconds']:.4f} s", flush=True)
        if given.store:
            store(found, costs, others)


if __name__ == "__main__":
    main()
