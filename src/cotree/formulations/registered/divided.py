"""The formulation by divide and conquer, by name."""

from cotree.formulations.contract import FORMULATIONS, Formulation
from cotree.formulations.odca.time_loop import by_division, terms

FORMULATIONS["odca"] = Formulation(terms, None, by_division, None)
