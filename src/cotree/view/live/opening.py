"""Implementation of `run.view()`, `mech.view()` and `system.view()`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cotree.model.mechanism import Mechanism
from cotree.system.system import System
from cotree.view.live.playing import RunViewer
from cotree.view.live.posing import PoseViewer
from cotree.view.still_page import start_of, words_of

if TYPE_CHECKING:
    from cotree.integrate.results.run import Run

HOST = "127.0.0.1"


def view_run(
    run: Run, port: int | None = None, open: bool | None = None, wait: bool | None = None, host: str = HOST
) -> RunViewer:
    """Play a run live in the browser; see `Run.view`."""
    viewer = RunViewer(run, host, port)
    viewer.play()
    viewer.show(open, wait)
    return viewer


def view_system(
    mechanism_or_system: Mechanism | System, q: Any = None, port: int | None = None, open: bool | None = None,
    wait: bool | None = None, host: str = HOST,
) -> PoseViewer:  # fmt: skip
    """Show a mechanism live in the browser; see `Mechanism.view`."""
    system, q = start_of(mechanism_or_system, q)
    viewer = PoseViewer(system, q, words_of(system, q), host, port)
    viewer.show(open, wait)
    return viewer
