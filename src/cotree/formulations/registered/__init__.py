"""The formulations of the package: all files here are loaded, and register theirs."""

from cotree._folders import load_files

load_files(__name__, __path__)
