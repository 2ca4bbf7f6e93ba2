"""Kinds of constraint rows, one file each; all files here are loaded, and register their kind."""

from importlib import import_module
from pkgutil import iter_modules

for _file in iter_modules(__path__):
    import_module(f"{__name__}.{_file.name}")
