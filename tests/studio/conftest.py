"""For all tests of the studio: time does not pass for drags, which end on their way after half a second."""

from types import SimpleNamespace

import pytest

from cotree.studio import dragging


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """The clock of drags, which a test may set."""
    made = SimpleNamespace(now=0.0)
    monkeypatch.setattr(dragging, "time", SimpleNamespace(monotonic=lambda: made.now))
    return made
