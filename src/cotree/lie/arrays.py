"""The array faces by their former address; `cotree.lie` has the same names."""

from cotree.lie import *  # noqa: F403
