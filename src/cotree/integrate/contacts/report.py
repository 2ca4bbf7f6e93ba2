"""What the certificate of a run says of its contacts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from cotree.integrate.contacts.history import ContactHistory
from cotree.transitions.contacts.cones import OPEN, STICK

if TYPE_CHECKING:
    from cotree.integrate.results.run import Run

SHOWN = 3


def contact_lines(run: Run) -> list[str]:
    """Lines about impacts, penetration, cones, and what is not determined."""
    if run.contacts is None or not len(run.t):
        return []
    return [*_impacts(run), _rows(run, run.contacts), *_several(run), *_ends(run), *_undetermined(run)]


def _impacts(run: Run) -> list[str]:
    if not run.impacts:
        return []
    laws = [i.law for i in run.impacts]
    words = ", ".join(f"{laws.count(law)} by law {law!r}" for law in dict.fromkeys(laws))
    return [f"impacts of contacts: {len(laws)} ({words}), {sum(i.energy_loss for i in run.impacts):.6g} J lost"]


def _rows(run: Run, h: ContactHistory) -> str:
    deepest = max(0.0, -float(h.gap.min(initial=0.0)))
    slip = float(h.slip[h.codes == STICK].max(initial=0.0))
    return (
        f"contacts at the rows: deepest penetration {deepest:.1e} m, residual of the friction cones {cone_residual(run):.1e} "
        f"of the largest force, slip of what sticks {slip:.1e} m/s"
    )


def cone_residual(run: Run) -> float:
    """Largest violation of N >= 0, N = 0 where open, |T| <= mu N, by the largest force."""
    h = run.contacts
    assert h is not None
    devices: Any = run.system.mechanism.devices
    mu = np.array([devices[name].static for name in h.contacts])
    total = np.linalg.norm(h.force, axis=2)
    across = np.sqrt(np.maximum(total**2 - h.normal_force**2, 0.0))
    pulls, pushes = np.maximum(-h.normal_force, 0.0), np.where(h.codes == OPEN, total, 0.0)
    beyond = np.maximum(across - mu * h.normal_force, 0.0)
    most = float(total.max(initial=0.0))
    return max(float(x.max(initial=0.0)) for x in (pulls, pushes, beyond)) / most if most > 0.0 else 0.0


def _several(run: Run) -> list[str]:
    both = [i for i in run.impacts if i.simultaneous]
    if not both:
        return []
    first = both[0]
    times = f"at t = {first.t:.9g} s" + (f" and {len(both) - 1} more times" if len(both) > 1 else "")
    return [
        f"several contacts at once {times}, first {_named([*first.contacts, *first.impulses])}: rigid bodies do not determine "
        f"the order of impacts; all were solved together"
    ]


def _ends(run: Run) -> list[str]:
    ends = run.statistics.get("bounces_ended", [])
    lines = [f"bounces of {_named(names)} ended at t = {t:.9g} s, after {count} impacts" for t, names, count in ends]
    return [*lines[:SHOWN], *([f"and {len(ends) - SHOWN} more ends of bounces"] if len(ends) > SHOWN else [])]


def _undetermined(run: Run) -> list[str]:
    points = run.statistics.get("undetermined_contacts", {})
    if not points:
        return []
    return [f"forces at {_named(points)} are not determined, though the motion is: one distribution of them is given"]


def _named(names: Iterable[str]) -> str:
    some = list(dict.fromkeys(names))
    return ", ".join(map(repr, some[:SHOWN])) + (f" and {len(some) - SHOWN} more" if len(some) > SHOWN else "")
