"""Studies of rest and of small motions do not know states of laws, and say so."""

from __future__ import annotations

from cotree.dynamics.laws import laws_of
from cotree.errors import StudyError
from cotree.system.system import System


def refuse_law_states(system: System, study: str) -> None:
    """Raise where a law has states of its own or is sampled: what it gives does not depend on positions and rates alone."""
    for law in laws_of(system):
        if law.place.states or law.place.held:
            what = "is sampled" if law.place.held else f"has states of its own ({', '.join(law.user.states)})"
            raise StudyError(
                f"{study}: the law of {law.whose} {what}, and this study knows positions and velocities only; replace the "
                "law by one of position and rate, or use ct.simulate"
            )
