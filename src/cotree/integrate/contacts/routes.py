"""The ways through contacts: by events, phase by phase, and others that register here."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from cotree.errors import ChoiceError
from cotree.system.system import System

if TYPE_CHECKING:
    from cotree.integrate.results.run import Run

WORDS = ("auto", "events", "stepping")
HOMES: dict[str, str] = {
    "stepping": "cotree.integrate.contacts.steps.route"
}  # modules that register a route when they are imported, by its word
# route(system, settings as asked for, begin, q, v, times, end, events, progress, noted) gives the run, with `contacts` and
# `impacts` filled; the state is admissible and closed
Route = Callable[..., "Run"]
ROUTES: dict[str, Route] = {}
STEPPING_METHOD = "moreau-jean"


def register_route(word: str, route: Route) -> Route:
    """Let `contact=word` of `simulate` be this route."""
    ROUTES[word] = route
    return route


def route_of(system: System, asked: str, method: str = "auto") -> Route | None:
    """The route that a run takes; None for phases between events, as of systems without contacts. A method that steps through
    contacts does so through all else that switches."""
    steps = method == STEPPING_METHOD
    word = ("stepping" if steps else "events") if asked == "auto" else asked
    if steps and word == "events":
        raise ChoiceError(f"method {method!r} steps through contacts; use contact='stepping', or another method")
    if word == "events" or not (steps or "contacts" in system.features):
        return None
    if word in HOMES:
        import_module(HOMES[word])
    if word not in ROUTES:
        raise ChoiceError(f"contact={word!r} is not available yet; use contact='events'")
    return ROUTES[word]
