"""Run the property tests on new random examples, round after round, until the time is over.

The test command draws the same examples every time. Here each round draws others; an example that fails is printed with the
line that reproduces it, and belongs into its test as `@example(...)`. Ends with 1 if anything failed.
"""

from __future__ import annotations

import argparse
import re
import secrets
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def property_tests() -> list[str]:
    """Files with tests on drawn examples."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return [f.relative_to(ROOT).as_posix() for f in files if re.search(r"^@given|^    @given", f.read_text(), re.M)]


def command(seed: int, jobs: int, files: list[str]) -> list[str]:
    """One round: only tests that draw, with this seed."""
    draws = ["--hypothesis-profile=fuzz", f"--hypothesis-seed={seed}", "-m", "hypothesis"]
    return [sys.executable, "-m", "pytest", "-n", str(jobs), "--no-header", "-rf", "--tb=short", *draws, *files]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="begin no round after this time")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes")
    asked = parser.parse_args()
    files, end, rounds, failed = property_tests(), time.monotonic() + 60.0 * asked.minutes, 0, []
    while time.monotonic() < end:
        seed = secrets.randbelow(2**32)
        print(f"round {rounds + 1}, seed {seed}", flush=True)
        if subprocess.run(command(seed, asked.jobs, files), cwd=ROOT, check=False).returncode:
            failed.append(seed)
        rounds += 1
    print(
        f"{rounds} rounds of {len(files)} files; {len(failed)} with failures" + (f", seeds {failed}" if failed else "")
    )
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
