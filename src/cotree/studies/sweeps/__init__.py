"""Sweeps: one measurement of many mechanisms, on all cores or on a cluster, resumable, as one labelled dataset."""

from cotree.studies.sweeps.indices import sobol_indices
from cotree.studies.sweeps.journal import load_sweep
from cotree.studies.sweeps.sweeping import sweep

__all__ = ["load_sweep", "sobol_indices", "sweep"]
