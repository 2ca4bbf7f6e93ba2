"""`python -m tools.mutants [PAPER or code ...]`: breaks each function that equations.toml names, in two ways, and expects each
test that is named with it to fail. First nothing is compiled, which is quick; what then passes or takes long runs compiled."""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Iterable

from tools.mutants.register import ROOT, trials_of
from tools.mutants.running import Outcome, Trial, run_all

PATIENCE = 90.0  # seconds without compiled code
MORE = 480.0  # seconds with it


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__)
    parser.add_argument("names", nargs="*", help="papers, or parts of the names of functions")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="nothing is compiled; what is not noticed so, is not")
    parser.add_argument("--unbroken", action="store_true", help="run the tests without faults, to see that they pass")
    given = parser.parse_args(arguments)
    registry = tomllib.loads((ROOT / "equations.toml").read_text(encoding="utf-8"))
    trials = trials_of(registry, given.names, broken=not given.unbroken)
    return unbroken(trials, given.jobs) if given.unbroken else broken(trials, given.jobs, given.quick)


def broken(trials: list[Trial], jobs: int, quick: bool) -> int:
    """Whether faults were not noticed. Without compiled code a failure counts only of tests that pass there unbroken."""
    tests = [Trial(test, None, "", None) for test in sorted({t.test for t in trials})]
    sound = {o.trial.test for o in run_all(tests, jobs, PATIENCE, interpreted=True) if o.words == "passed"}
    first = [t for t in trials if t.test in sound]
    left = report(run_all(first, jobs, PATIENCE, interpreted=True), final=quick)
    slow = [o.trial for o in left] + [t for t in trials if t.test not in sound]
    if not quick:
        slow = [o.trial for o in report(run_all(slow, jobs, MORE, interpreted=False), final=True)]
    functions = {(t.path, t.function) for t in trials}
    print(f"{len(trials) - len(slow)} of {len(trials)} faults in {len(functions)} functions were noticed")
    return bool(slow)


def report(outcomes: Iterable[Outcome], final: bool) -> list[Outcome]:
    """Those whose fault was not noticed."""
    left = []
    for found in outcomes:
        noticed = found.words == "failed"
        if not noticed:
            left.append(found)
        words = "noticed" if noticed else "NOT NOTICED" if final else "to be compiled"
        t = found.trial
        where = t.path.relative_to(ROOT / "src") if t.path else ""
        print(
            f"{words}: {where}:{t.function}, {t.mutation}; {t.test} {found.words} in {found.seconds:.0f} s", flush=True
        )
    return left


def unbroken(trials: list[Trial], jobs: int) -> int:
    bad = 0
    for found in run_all(trials, jobs, MORE, interpreted=True):
        print(f"{found.words} in {found.seconds:.0f} s: {found.trial.test}", flush=True)
        bad += found.words != "passed"
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
