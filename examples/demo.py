"""From nothing to a result: the README's four-bar, released under gravity, and how far its ten seconds can be trusted."""

from __future__ import annotations

import time
from pathlib import Path

import cotree as ct


def main() -> None:
    print("compiling (once per machine, then cached) ...")
    start = time.perf_counter()
    mech = ct.gallery.four_bar()
    system = mech.compile()
    print(system)
    print()
    print(ct.mobility(system))
    ct.simulate(system, t_end=10.0)
    print(f"first calls took {time.perf_counter() - start:.1f} s")
    print()
    start = time.perf_counter()
    run = ct.simulate(system, t_end=10.0)
    print(f"ten seconds simulated in {1e3 * (time.perf_counter() - start):.0f} ms")
    print(run)
    path = Path("out") / "demo.png"
    path.parent.mkdir(exist_ok=True)
    run.plot(path)
    page = path.with_suffix(".html")
    run.html(page)
    print(f"  picture: {path}")
    print(f"  page that plays the motion: {page}")


if __name__ == "__main__":
    main()
