"""Sensitivities of runs: how states and outputs change with start, parameters and inputs."""

from cotree.studies.sensitivity.api import Sensitivities, sensitivities

__all__ = ["Sensitivities", "sensitivities"]
