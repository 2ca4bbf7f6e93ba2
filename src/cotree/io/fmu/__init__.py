"""Functional mock-up units (FMI 3, co-simulation) of mechanisms that are run by Python, by the package pythonfmu3."""

from cotree.io.fmu.exporting import export_python_fmu

__all__ = ["export_python_fmu"]
