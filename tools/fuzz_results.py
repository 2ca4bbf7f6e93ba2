"""Load results files with damage in them and see how it ends: `python -m tools.fuzz_results --seed 1 --files 1000`.

A file ends well when it gives an error of the package that begins with its name, or a run that can be printed and whose numbers
are finite. It ends badly with another exception (`raw`), with an error that does not say which file (`nameless`), with numbers
that are not finite (`nonfinite`), or with the process (`crash`): files are loaded in a child process. Ends with 1 if any did.
"""

from __future__ import annotations

import argparse
import faulthandler
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

import cotree as ct
from tests.io.damaged_results import damaged, good_file

ROOT = Path(__file__).resolve().parent.parent
WELL = ("loads", "named")
STUCK = 120.0  # seconds for one file, after which the process ends
CHUNK = 250  # files a child process


def ending(path: Path) -> str:
    """How it ends to load and print a file."""
    try:
        run = ct.load_run(path)
        str(run)
        return "loads" if all(np.isfinite(x).all() for x in (run.t, run.q, run.v, run.work)) else "nonfinite"
    except ct.errors.CotreeError as error:
        return "named" if str(error).startswith(path.name) else f"nameless {type(error).__name__}: {error}"
    except Exception as error:
        return f"raw {type(error).__name__}: {error}\n{traceback.format_exc(limit=-2)}"


def child(good: Path, seed: int, count: int) -> None:
    """Load `count` files and print how each ended: a line each, what is bad at length on the other stream."""
    warnings.simplefilter("ignore")
    for k in range(seed, seed + count):
        faulthandler.dump_traceback_later(STUCK, exit=True)
        path = damaged(good, k)
        how = ending(path)
        path.unlink()
        print(how.split()[0], flush=True)
        if how not in WELL:
            print(f"file {k}: {how}", file=sys.stderr, flush=True)


def loaded(good: Path, seed: int, count: int) -> Counter[str]:
    """Endings of `count` files, loaded in child processes; one that breaks down is followed by another behind its file."""
    found, end = Counter[str](), seed + count
    while seed < end:
        n = min(CHUNK, end - seed)
        words = [
            sys.executable,
            "-m",
            "tools.fuzz_results",
            "--child",
            str(good),
            "--seed",
            str(seed),
            "--files",
            str(n),
        ]
        done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False).stdout.split()
        found.update(done)
        if len(done) < n:
            print(f"file {seed + len(done)}: the process broke down", file=sys.stderr)
            found["crash"] += 1
        seed += min(len(done) + 1, n)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the first file; the others follow")
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        child(asked.child, asked.seed, asked.files)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        good_file(Path(folder) / "good.h5")
        found = loaded(Path(folder) / "good.h5", asked.seed, asked.files)
    print(f"seed {asked.seed}: " + ", ".join(f"{n} {how}" for how, n in found.most_common()))
    return int(any(how not in WELL for how in found))


if __name__ == "__main__":
    sys.exit(main())
