"""What a run counted, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cotree.integrate.events.pace import has_functions
from cotree.integrate.stabilization.contract import STABILIZATIONS

if TYPE_CHECKING:
    from cotree.integrate.driver import Driver


def statistics(driver: Driver) -> dict[str, Any]:
    """Counts by name."""
    c, s, o = driver.state.counts, driver.settings, driver.state.options
    names = {"steps": "steps", "rejected": "rejected", "evaluations": "evaluations"}
    if driver.system.n_constraints:
        names |= {"smallest_rank": "rank_least", "greatest_rank": "rank_most"}
    found: dict[str, Any] = {"method": s.method, **{name: int(c[field]) for name, field in names.items()}}
    if (driver.system.n_constraints and STABILIZATIONS[s.stabilize].partitions) or s.formulation == "voronets":
        found["partitions_changed"] = int(c.partitions)
    if o.stabilize:
        correction = driver.state.run.correction
        found["position_correction"], found["velocity_correction"] = map(
            float, (correction.position, correction.velocity)
        )
    if s.stabilize_above is not None:
        found["steps_corrected"], found["steps_tolerated"] = int(c.corrected), int(c.tolerated)
    if driver.state.problem.n_switches:
        found["switches_of_laws"] = int(c.flips)
    if has_functions(driver.system):
        found["functions_every"] = float(o.h_max)
    if driver.callback.events:
        found["events_every"] = float(min(o.h_max, o.spacing))
    found["next_step"] = float(driver.state.clock.h_next)
    return found
