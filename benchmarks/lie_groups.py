"""Cost of the two groups of [Lie], SE(3) and SO(3) x R3, and drift: the paper's examples in absolute coordinates.

`python -m benchmarks lie_groups`: a Munthe-Kaas step of rk4 without stabilization, in processor time of one thread.
"""

from __future__ import annotations

import cotree as ct
from benchmarks.timing import warm

CASES = {
    "heavy top": ct.gallery.heavy_top,
    "spherical double pendulum": ct.gallery.spherical_double_pendulum,
    "four-bar": ct.gallery.four_bar,
    "3-PRRR": ct.gallery.three_prrr,
    "ladder of 10": lambda: ct.gallery.n_four_bar(10),
}
STEPS = 400
STEP = 1e-4


def main() -> None:
    print("one step of rk4, absolute coordinates [us], and SE(3) over SO(3) x R3")
    print(f"  {'':<28}{'bodies':>8}{'SE3':>10}{'SO3xR3':>10}{'ratio':>8}")
    for name, make in CASES.items():
        systems = [make().compile(coordinates="absolute", group=group) for group in ("SE3", "SO3xR3")]
        calls = [
            lambda s=s, n=n: ct.simulate(s, n * STEP, method="rk4", step=STEP, stabilize="none", output=[n * STEP])
            for s in systems
            for n in (1, 1 + STEPS)
        ]
        found = warm(calls)
        one, other = ((found[k + 1] - found[k]) / STEPS * 1e6 for k in (0, 2))
        print(f"  {name:<28}{systems[0].n_bodies:8d}{one:10.2f}{other:10.2f}{one / other:8.2f}", flush=True)


if __name__ == "__main__":
    main()
