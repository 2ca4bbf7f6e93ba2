"""Call everything public with wrong values and see how it ends: `python -m tools.fuzz_calls --seed 1 --calls 20000`.

A call ends well when it raises an error of the package (`clean`), passes on that of a user's function with a note of whose it
is (`noted`), when the system refuses a file (`file`), or when the value is accepted and everything that comes out is finite.
It ends badly with another exception (`raw`), with NaN or infinity that nobody was told of (`nonfinite`), after the time limit
(`slow`), or with the process (`crash`): calls are made in child processes, which end themselves where compiled code does not
come back. Ends with 1 if anything crashed, was slow or not finite, or if more than one call in a thousand was raw.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import faulthandler
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from tools.calls.junk import junk, shown

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "cotree"
LIMIT = 10.0  # seconds of the processor a call; others may keep it busy
STUCK = 120.0  # seconds after which the process ends: the alarm is not heard in compiled code, nor while it waits
CHUNK = 1000  # calls a child process
MOST_RAW = 1e-3


class TooSlow(BaseException):
    """The alarm rang."""


def _rings(*_: Any) -> None:
    raise TooSlow


# -- in the child ------------------------------------------------------------------------------------------------


def finite(x: Any, depth: int = 0) -> bool:
    """Whether all numbers in a result are; distances to what there is none of are infinite."""
    if isinstance(x, np.ndarray):
        return x.dtype.kind not in "fc" or bool(np.isfinite(x).all())
    if isinstance(x, float):
        return bool(np.isfinite(x))
    if isinstance(x, (tuple, list)) and depth < 3:
        return all(finite(y, depth + 1) for y in x)
    if dataclasses.is_dataclass(x) and not isinstance(x, type) and depth < 2:
        fields = [
            f.name
            for f in dataclasses.fields(x)
            if f.name not in ("system", "before", "settings", "statistics", "problem", "distance")
        ]
        return all(finite(getattr(x, name), depth + 1) for name in fields)
    return True


def judged(call: Any, arguments: dict[str, Any]) -> tuple[str, str]:
    """(how it ended, where and what)."""
    import cotree as ct

    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        out = call(**arguments)
        str(out)
        if isinstance(out, ct.Run) and out.status == "failed":
            return ("failed run" if finite((out.q, out.v, out.t)) else "nonfinite"), out.message
        return "accepted" if finite(out) else "nonfinite", ""
    except TooSlow:
        return "slow", ""
    except ct.errors.CotreeError as error:
        return "clean", f"{type(error).__name__}: {str(error)[:300]}"
    except Exception as error:
        noted = [note for note in getattr(error, "__notes__", ()) if note.startswith("in ")]
        return ("noted", f"{type(error).__name__} {noted[0]}") if noted else _unnamed(error)
    except BaseException as error:
        return _unnamed(error)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _unnamed(error: BaseException) -> tuple[str, str]:
    try:
        words = str(error)[:160]
    except Exception:
        words = ""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).is_relative_to(PACKAGE)]
    where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
    return "file" if isinstance(error, OSError) else "raw", f"{where} {type(error).__name__}: {words}"


def calls(seed: int, first: int, count: int, only: str = "", without: tuple[str, ...] = ()) -> Any:
    """(number, name, arguments in words, how it ended, where); each call has a seed of its own and can be made alone."""
    import cotree as ct
    from tools.calls.bench import Bench
    from tools.calls.drawing import given, targets

    bench = Bench()
    ct.save(bench.mech, "good.json")
    bench.run.save("good.h5")
    Path("good.sweep").unlink(missing_ok=True)
    ct.sweep(lambda mass: bench.mech, {"mass": [1.0]}, lambda mech: 1.0, path="good.sweep", workers=1)
    all_targets, own = [t for t in targets(bench) if only in t.name and t.name not in without], bench.own()
    for target in all_targets:  # nothing is left to compile, and every call is valid before it is spoiled
        with contextlib.suppress(ct.errors.CotreeError):
            target.call(**{n: target.arguments[n]() for n in target.needed})
    signal.signal(signal.SIGPROF, _rings)
    for k in range(first, first + count):
        draw = random.Random(f"{seed} {k}")
        target = draw.choice(all_targets)
        arguments, spoiled = given(draw, target, lambda draw=draw: junk(draw, own), one=draw.random() < 0.6)
        if beyond_patience(target.name, arguments):
            continue
        yield k, target.name, ", ".join(f"{n}={shown(arguments[n])}" for n in spoiled if n in arguments), "begun", ""
        try:
            found = judged(target.call, arguments)
        except TooSlow:  # it rang just when the call had ended
            found = "slow", ""
        yield k, target.name, "", *found


def beyond_patience(name: str, arguments: dict[str, Any]) -> bool:
    """What takes its time rightly: simulating for ages, or in tiny steps."""

    def large(x: Any, most: float) -> bool:
        try:
            return isinstance(x, (int, float, np.generic)) and abs(float(x)) > most
        except (TypeError, ValueError, OverflowError):
            return False

    return large(arguments.get("t_end"), 100.0) or large(arguments.get("restarts"), 1e4)


def child(seed: int, first: int, count: int, only: str) -> None:
    """Calls in an empty directory, one line of JSON before each and one after."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    lines = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for record in calls(seed, first, count, only):
            os.write(lines, (json.dumps(record) + "\n").encode())
            faulthandler.dump_traceback_later(STUCK, exit=True)
        faulthandler.cancel_dump_traceback_later()
        os.chdir("/")


# -- in the parent -----------------------------------------------------------------------------------------------


def chunk(seed: int, first: int, count: int, only: str) -> tuple[list[Any], int | None]:
    """(ended calls, where to go on after a crash)."""
    command = [sys.executable, "-m", "tools.fuzz_calls", "--child", "--seed", str(seed), "--first", str(first)]
    command += ["--calls", str(count), "--only", only]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=3600, check=False)
    records, begun = [], None
    for k, name, words, kind, where in map(json.loads, done.stdout.splitlines()):
        if kind == "begun":
            begun = (k, name, words)
        else:
            records.append((k, name, begun[2], kind, where))
            begun = None
    if begun is None and done.returncode == 0:
        return records, None
    if begun is None:
        raise SystemExit(f"the child does not start:\n{done.stderr[-2000:]}")
    records.append((*begun, "crash", f"exit code {done.returncode}; {done.stderr[-200:]}"))
    return records, begun[0] + 1


def fuzz(seed: int, count: int, first: int = 0, only: str = "") -> list[Any]:
    records: list[Any] = []
    end = first + count
    while first < end:
        several = min(CHUNK, end - first)
        found, after = chunk(seed, first, several, only)
        records += found
        first = first + several if after is None else after
    return records


def report(records: list[Any], details: str) -> bool:
    """Print it; whether all is well."""
    kinds = Counter(kind for *_, kind, _ in records)
    print(f"{len(records)} calls: " + ", ".join(f"{n} {kind}" for kind, n in kinds.most_common()))
    bad = [r for r in records if r[3] in ("raw", "slow", "nonfinite", "crash", details)]
    seen = Counter((name, kind, where.split(":")[0]) for _, name, _, kind, where in bad)
    shown_already = set()
    for k, name, words, kind, where in sorted(bad, key=lambda r: (r[3], r[4])):
        key = (name, kind, where.split(":")[0])
        if key not in shown_already:
            shown_already.add(key)
            print(f"{kind} ({seen[key]}) {name} #{k} [{words}] {where}")
    return not (kinds["crash"] or kinds["slow"] or kinds["nonfinite"]) and kinds["raw"] <= MOST_RAW * len(records)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=int, default=20000)
    parser.add_argument("--first", type=int, default=0, help="number of the first call, to make one alone")
    parser.add_argument("--only", default="", help="targets whose name contains this")
    parser.add_argument("--details", default="raw", help="another kind of ending to list, such as accepted")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        child(asked.seed, asked.first, asked.calls, asked.only)
        return 0
    return not report(fuzz(asked.seed, asked.calls, asked.first, asked.only), asked.details)


if __name__ == "__main__":
    sys.exit(main())
