"""What runs with beams cannot vouch for: elements that turn too far, and explicit steps that follow the fastest wave only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cotree.integrate.methods.contract import METHODS
from cotree.sensors.beams import beams_of, fastest_wave, overturned

if TYPE_CHECKING:
    from cotree.integrate.results.run import Run

LIMITED = (
    0.5  # steps times the angular frequency of the fastest wave, on average: explicit methods cannot take much more
)
MANY = 1000  # steps: nothing is said of runs with fewer


def overturned_beams(run: Run) -> list[str]:
    """What to say of elements that turn too far, at any row."""
    if not beams_of(run.system):
        return []
    words = [text for block in run.sensors.blocks for text in overturned(block.system, block)]
    return list(dict.fromkeys(words))[:1]


def limited_steps(run: Run) -> list[str]:
    """What to say where an explicit method takes many steps, each as short as the fastest wave asks for."""
    steps, beams = int(run.statistics["steps"]), beams_of(run.system)
    if steps < MANY or not beams or METHODS[run.statistics["method"]].implicit:
        return []
    step = float(run.t[-1] - run.t[0]) / steps
    name = max(beams, key=lambda n: fastest_wave(run.system, n))
    if step * fastest_wave(run.system, name) < LIMITED:
        return []
    return [
        f"{steps} steps of {step:.2g} s on average: they are so short for the fastest waves in beam {name!r}; "
        "method='generalized-alpha' takes longer ones"
    ]
