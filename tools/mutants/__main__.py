"""`python -m tools.mutants [PAPER or code ...]`: breaks each function that equations.toml names, in two ways, and expects each
test that is named with it to fail. First nothing is compiled, which is quick; what then passes or takes long runs compiled.
What was noticed before, and whose files have not changed since, is not tried again, unless by --again."""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache

from tools.mutants.noticed import keep, key_of, known
from tools.mutants.register import ROOT, trials_of
from tools.mutants.running import Outcome, Trial, run_all

NOTICED = "failed"
MARKS = ("<!-- mutants -->", "<!-- end -->")
PATIENCE = 15.0  # seconds without compiled code
MORE = 480.0  # seconds with it


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__)
    parser.add_argument("names", nargs="*", help="papers, or parts of the names of functions")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="nothing is compiled; what is not noticed so, is not")
    parser.add_argument("--unbroken", action="store_true", help="run the tests without faults, to see that they pass")
    parser.add_argument("--write", action="store_true", help="put the figure into docs/papers.md")
    parser.add_argument("--again", action="store_true", help="try what was noticed before too")
    given = parser.parse_args(arguments)
    registry = tomllib.loads((ROOT / "equations.toml").read_text(encoding="utf-8"))
    trials = trials_of(registry, given.names, broken=not given.unbroken)
    return (
        unbroken(trials, given.jobs)
        if given.unbroken
        else broken(trials, given.jobs, given.quick, given.write, given.again)
    )


def broken(trials: list[Trial], jobs: int, quick: bool, write: bool, again: bool) -> int:
    """Whether faults were not noticed."""
    before = {} if again else known()
    slow = [t for t in trials if before.get(key_of(t)) != NOTICED]
    slow = report(interpreted(slow, jobs), final=quick)
    if not quick:
        slow = report(run_all(slow, jobs, MORE, interpreted=False), final=True)
    return outcome(trials, slow, write)


def outcome(trials: list[Trial], slow: list[Trial], write: bool) -> int:
    """Prints how many faults were noticed, and writes it where that is wanted; whether there are others."""
    functions = {(t.path, t.function) for t in trials}
    words = f"{len(trials) - len(slow)} of {len(trials)} faults in {len(functions)} functions were noticed"
    print(words)
    if write:
        put_figure(words)
    return bool(slow)


def put_figure(words: str) -> None:
    """Write the outcome into the page on the papers, between its two marks."""
    page = ROOT / "docs" / "papers.md"
    before, _, rest = page.read_text(encoding="utf-8").partition(MARKS[0])
    page.write_text(f"{before}{MARKS[0]}{words}{MARKS[1]}{rest.partition(MARKS[1])[2]}", encoding="utf-8")


def interpreted(trials: list[Trial], jobs: int) -> Iterator[Outcome]:
    """Outcomes without compiled code; a failure counts only of a case that passes there unbroken."""
    for found in run_all(trials, jobs, PATIENCE, interpreted=True):
        if found.words == NOTICED and found.case and not sound(found.case):
            yield found._replace(words=f"cannot be run without compiled code: {found.case}")
        else:
            yield found


@cache
def sound(case: str) -> bool:
    """Whether a case of a test passes without faults and without compiled code."""
    test = Trial(case, None, "", None)
    if known().get(key_of(test)) == "passed":
        return True
    (found,) = run_all([test], 1, 2 * PATIENCE, interpreted=True)
    keep(found)
    return found.words == "passed"


def report(outcomes: Iterable[Outcome], final: bool) -> list[Trial]:
    """Those whose fault was not noticed."""
    left = []
    for found in outcomes:
        keep(found)
        noticed = found.words == NOTICED
        if not noticed:
            left.append(found.trial)
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
