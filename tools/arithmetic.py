"""Run the tests in other arithmetic, one variant after another, and print a table: verdicts must not depend on rounding.

Processors round differently: OpenBLAS, NumPy and Numba choose kernels by what a processor can do, sums are taken in other
orders, products and sums are fused or not. Each variant is chosen by variables of the environment, before anything is loaded;
the last one runs the tests beside eight busy processes. Ends with 1 if any test fails in any of them.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
BUSY = 8
LOAD = "load"


class Outcome(NamedTuple):
    """What a run of pytest came to; failed: tests that failed or could not be begun."""

    passed: int
    failed: int
    skipped: int
    seconds: float
    code: int


def plain_numpy() -> str:
    """NumPy's name for all it does beyond its least, on this processor."""
    return " ".join(np.show_config(mode="dicts")["SIMD Extensions"].get("found", ()))


def variants() -> dict[str, dict[str, str]]:
    """Variables of the environment by the name of the variant."""
    return {
        "as is": {},
        **{name: {"OPENBLAS_CORETYPE": name} for name in ("Haswell", "Nehalem", "Zen")},
        # by its name alone Numba would keep all that this processor can do, fused products too
        **{name: {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": ""} for name in ("x86-64-v2", "x86-64-v3")},
        "plain NumPy": {"NPY_DISABLE_CPU_FEATURES": plain_numpy()},
        LOAD: {},
    }


def counts(text: str) -> tuple[int, int, int]:
    """(passed, failed, skipped) from pytest's last lines."""
    tally = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|error|skipped)", text)}
    return tally.get("passed", 0), tally.get("failed", 0) + tally.get("error", 0), tally.get("skipped", 0)


@contextmanager
def busy_processes(number: int) -> Iterator[None]:
    """That many processes that compute all the while."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def run_variant(name: str, environment: dict[str, str], pytest: list[str]) -> Outcome:
    """Runs the tests, what fails shown as it comes."""
    # -v over the -q of the project's own options: else pytest says no numbers
    command = [sys.executable, "-m", "pytest", "-v", "--no-header", "-rfE", "--tb=short", *pytest]
    start = time.monotonic()
    with busy_processes(BUSY if name == LOAD else 0):
        done = subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        print(done.stdout[-20_000:], flush=True)
    return Outcome(*counts(done.stdout[-400:]), time.monotonic() - start, done.returncode)


def line_of(name: str, environment: dict[str, str], found: Outcome) -> str:
    how = " ".join(f"{key}={value!r}" for key, value in environment.items()) or (
        f"{BUSY} busy processes" if name == LOAD else ""
    )
    red = "" if found.code == 0 else "RED"
    return (
        f"{name:12} {found.passed:7} {found.failed:7} {found.skipped:7} {found.seconds:7.0f} s  {red:4}{how}".rstrip()
    )


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="arithmetic", description=__doc__)
    parser.add_argument("tests", nargs="*", help="files or folders of tests, or other words for pytest; all by default")
    parser.add_argument("--variants", default="", help=f"some of: {', '.join(variants())}; with commas between them")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes")
    given = parser.parse_args(arguments)
    asked = [name.strip() for name in given.variants.split(",") if name.strip()] or list(variants())
    unknown = [name for name in asked if name not in variants()]
    if unknown:
        parser.error(f"there is no variant {unknown[0]!r}; there are {', '.join(variants())}")
    lines, codes = [f"{'variant':12} {'passed':>7} {'failed':>7} {'skipped':>7} {'time':>9}"], []
    for name in asked:
        found = run_variant(name, variants()[name], ["-n", str(given.jobs), *given.tests])
        lines.append(line_of(name, variants()[name], found))
        codes.append(found.code)
        print(lines[-1], flush=True)
    print("\n".join(["", *lines]))
    return int(any(codes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
