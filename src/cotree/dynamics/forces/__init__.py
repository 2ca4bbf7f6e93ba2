"""Kinds of force elements, one file each; all files here are loaded, and register their kind."""

from cotree._folders import load_files

load_files(__name__, __path__)
