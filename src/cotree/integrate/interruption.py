"""Ctrl-C in a run: what has been computed is given back."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from cotree.engine.escaped import Kept
from cotree.engine.signals import Hold

if TYPE_CHECKING:
    from cotree.integrate.results.run import Run


class Interruptible(AbstractContextManager["Interruptible"]):
    """While a run is made: Ctrl-C is kept for places where it can end, nothing that callbacks raise is lost."""

    def __enter__(self) -> Interruptible:
        self.stack = ExitStack()
        self.stack.enter_context(Kept())
        self.hold = self.stack.enter_context(Hold())
        return self

    def __exit__(self, *error: object) -> None:
        self.stack.__exit__(*error)  # type: ignore[arg-type]

    def ended(self, run: Run) -> Run:
        """A run that is complete, marked if Ctrl-C came meanwhile; within a function of another run, that one ends too."""
        try:
            self.hold.deliver()
        except KeyboardInterrupt:
            words = "interrupted after the end of the run" + (f"; {run.message}" if run.message else "")
            run = replace(run, status="interrupted", message=words)
        if run.status == "interrupted" and self.hold.outer is not None:
            again = KeyboardInterrupt()
            raise again
        return run
