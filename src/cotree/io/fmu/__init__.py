"""Functional mock-up units (FMI 3, co-simulation) of mechanisms, by the package pythonfmu3."""

from cotree.io.fmu.exporting import export_fmu

__all__ = ["export_fmu"]
