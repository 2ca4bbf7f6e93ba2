"""Options of a run that were given and have no effect beside the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cotree.errors import RunWarning
from cotree.integrate.checks.run_warnings import warning
from cotree.integrate.defaults import Default
from cotree.integrate.methods.contract import METHODS
from cotree.integrate.stabilization.contract import STABILIZATIONS

if TYPE_CHECKING:
    from cotree.integrate.settings import Settings


def without_effect(asked: Settings, settings: Settings) -> list[RunWarning]:
    """What to say of them; asked: as they were given; settings: with words instead of "auto"."""
    read = METHODS[settings.method].reads
    given = [name for name in ("rtol", "atol") if name not in read and _is_given(asked, name)]
    found = []
    if given and settings.step is not None:
        words = f"{' and '.join(given)} {'have' if len(given) > 1 else 'has'} no effect with step={settings.step:g}"
        found.append(f"{words}, which fixes the step size; leave step out for steps that follow tolerances")
    if _is_given(asked, "baumgarte") and not STABILIZATIONS[settings.stabilize].pulls:
        found.append(f"baumgarte has no effect with stabilize={settings.stabilize!r}; it is for stabilize='baumgarte'")
    if _is_given(asked, "spectral_radius") and "spectral_radius" not in read:
        users = " or ".join(repr(name) for name, method in METHODS.items() if "spectral_radius" in method.reads)
        found.append(f"spectral_radius has no effect with method={settings.method!r}; it is for method={users}")
    return [warning("input", text) for text in found]


def _is_given(asked: Settings, name: str) -> bool:
    return not isinstance(getattr(asked, name), Default)
