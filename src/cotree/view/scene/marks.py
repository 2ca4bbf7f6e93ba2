"""Marks on the time line of a run: events, changes of topology, singular configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cotree.integrate.phases.phase import Switch
from cotree.view.switch_marks import told

if TYPE_CHECKING:
    from cotree.integrate.results.run import Run


def marks(run: Run) -> list[dict[str, Any]]:
    """In time order: kind "event" or "crossing", text, t [s]."""
    events = [{"kind": "event", "text": _words(e), "t": float(e.t)} for e in run.events]
    crossings = [{"kind": "crossing", "text": str(c), "t": float(c.t)} for c in run.crossings]
    return sorted([*events, *crossings], key=lambda mark: mark["t"])


def _words(event: Any) -> str:
    return told(event) if isinstance(event, Switch) and event.changes else str(event.name)
