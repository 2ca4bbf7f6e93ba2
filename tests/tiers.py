"""Which cases every run has, and which only `make test-long`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def some(values: Iterable[Any], first: int) -> list[Any]:
    """Parameters: the first so many in every run, the others marked `long`."""
    return [v if k < first else pytest.param(v, marks=pytest.mark.long) for k, v in enumerate(values)]
