"""Tolerance analysis: what deviations of dimensions do to results, at worst and statistically."""

from cotree.studies.tolerancing.analysis import Tolerances, tolerances

__all__ = ["Tolerances", "tolerances"]
