"""What the first use costs, each in a fresh process: nothing stored, the same on all cores, stored, and ready-made in a wheel.

CPU seconds count where the machine has other work to do, seconds by the clock where it has not. Python's own bytecode is stored
beforehand, as it is after an installation and after each first import. Where PYTHONDONTWRITEBYTECODE keeps it from being
stored, every process translates the sources of NumPy, Numba and Cotree again, which is measured too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

from cotree.engine import packaged
from cotree.engine.helper_pool import SWITCH
from cotree.engine.together import cores

SCRIPT = """
import json, os, sys, time
def now():
    return [time.perf_counter(), sum(os.times()[:4])]
laps = [now()]
import cotree as ct
four_bar = ct.gallery.four_bar()
laps.append(now())
ct.mobility(four_bar)
ct.simulate(four_bar, 1.0)
laps.append(now())
if "division" in sys.argv:
    ct.simulate(four_bar, 1.0, formulation="odca")
laps.append(now())
print(json.dumps([[b[k] - a[k] for a, b in zip(laps, laps[1:])] for k in (0, 1)]))
"""


PRIME = """
import cotree as ct
ct.simulate, ct.mobility
system = ct.gallery.pendulum_chain(1).compile()
ct.displace(system, system.q0, [0.1])
"""


def environment_with(bytecode: str, **more: str) -> dict[str, str]:
    """In which Python stores bytecode in a folder; "": in which it stores none."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return kept | ({"PYTHONPYCACHEPREFIX": bytecode} if bytecode else {"PYTHONDONTWRITEBYTECODE": "1"}) | more


def prime(bytecode: str) -> None:
    """Import and compile a little, so that bytecode is stored."""
    with tempfile.TemporaryDirectory() as folder:
        environment = environment_with(bytecode, NUMBA_CACHE_DIR=folder)
        subprocess.run([sys.executable, "-c", PRIME], env=environment, check=True)


def measured(bytecode: str, folder: str, jobs: int, *asked: str) -> list[list[float]]:
    """Seconds by the clock and of the processors, for: import, first result, first division."""
    environment = environment_with(bytecode, **{"NUMBA_CACHE_DIR": folder, SWITCH: str(jobs)})
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, *asked], env=environment, capture_output=True, text=True, check=True
    )
    found: list[list[float]] = json.loads(run.stdout)
    return found


def show(name: str, found: list[list[float]]) -> None:
    print(f"{name:>28} " + " ".join(f"{wall:8.2f} {cpu:8.2f}" for wall, cpu in zip(*found, strict=True)))


def main() -> None:
    print(
        "First use: mobility and one second of the four-bar, then its division [s]; load of the machine",
        os.getloadavg(),
    )
    print(f"{'':>28} " + " ".join(f"{what:>17}" for what in ("import", "first result", "first division")))
    print(f"{'':>28} " + " ".join(f"{'clock':>8} {'CPU':>8}" for _ in range(3)))
    with tempfile.TemporaryDirectory() as bytecode:
        prime(bytecode)
        show_all(bytecode)


def show_all(bytecode: str) -> None:
    for jobs in dict.fromkeys((1, cores())):
        with tempfile.TemporaryDirectory() as folder:
            name = f"nothing stored, {jobs} process{'es' if jobs > 1 else ''}"
            show(name, measured(bytecode, folder, jobs, "division"))
            if jobs == 1:
                show("stored", min(measured(bytecode, folder, 1) for _ in range(3)))
                show("stored, without bytecode", min(measured("", folder, 1) for _ in range(3)))
    if packaged.made_for(packaged.FOLDER):
        with tempfile.TemporaryDirectory() as folder:
            show("ready-made, nothing stored", measured(bytecode, folder, 1, "division"))
    else:
        print("no ready-made code here: install a wheel of `make wheel`, or run tools/ready_made.py, to measure it")


if __name__ == "__main__":
    main()
