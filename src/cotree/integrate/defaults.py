"""Numbers that options of runs have where none is given."""

from __future__ import annotations


class Default(float):
    """The number of an option that was not given, so that it can be told from the same number given."""


RTOL = Default(1e-8)
ATOL = Default(1e-8)  # m, rad, and per second
BAUMGARTE = Default(20.0)  # 1/s
SPECTRAL_RADIUS = Default(0.8)
