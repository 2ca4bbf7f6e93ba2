"""Warnings of Cotree that one thread meets, kept for its results; several threads of a worker may be at work at a time."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from cotree.errors import CotreeWarning

_own = threading.local()
_lock = threading.Lock()
_state: dict[str, Any] = {"threads": 0}


@contextmanager
def noticed() -> Iterator[list[str]]:
    """The texts of warnings that this thread meets within the block."""
    texts: list[str] = []
    before, _own.texts = getattr(_own, "texts", None), texts
    _enter()
    try:
        yield texts
    finally:
        _leave()
        _own.texts = before


def _enter() -> None:
    """The first thread replaces the way in which warnings are shown, the last one restores it."""
    with _lock:
        _state["threads"] += 1
        if _state["threads"] == 1:
            _state["caught"] = warnings.catch_warnings()
            _state["caught"].__enter__()
            warnings.simplefilter("always", CotreeWarning)
            _state["shown"], warnings.showwarning = warnings.showwarning, _keep_warning


def _leave() -> None:
    with _lock:
        _state["threads"] -= 1
        if not _state["threads"]:
            warnings.showwarning = _state["shown"]
            _state["caught"].__exit__(None, None, None)


def _keep_warning(message: Any, category: Any, *where: Any, **more: Any) -> None:
    texts = getattr(_own, "texts", None)
    if texts is None or not issubclass(category, CotreeWarning):
        _state["shown"](message, category, *where, **more)
    elif str(message) not in texts:
        texts.append(str(message))
