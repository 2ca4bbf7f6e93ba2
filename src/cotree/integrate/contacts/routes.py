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


def register_route(word: str, route: Route) -> Route:
    """Let `contact=word` of `simulate` be this route."""
    ROUTES[word] = route
    return route


def route_of(system: System, asked: str) -> Route | None:
    """The route that a run takes; None for phases between events, as of systems without contacts."""
    word = "events" if asked == "auto" else asked
    if word == "events" or "contacts" not in system.features:
        return None
    if word in HOMES:
        import_module(HOMES[word])
    if word not in ROUTES:
        raise ChoiceError(f"contact={word!r} is not available yet; use contact='events'")
    return ROUTES[word]
