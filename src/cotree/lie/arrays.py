"""The array faces of this folder under one name, the same as those of `cotree.lie`."""

from cotree.lie import *  # noqa: F403
