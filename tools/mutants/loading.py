"""A module with a fault, put in as it is loaded: no file is changed."""

from __future__ import annotations

import ast
import builtins
import dataclasses
import importlib.machinery
from pathlib import Path
from typing import Any

import numpy as np

from tools.mutants.mutations import SPOILED, ZEROED, Mutation, mutated


def install(path: Path, name: str, mutation: Mutation) -> None:
    """From now on the module at a path has a fault in the function of this name."""
    tree = mutated(ast.parse(path.read_text(encoding="utf-8")), name, mutation)
    as_before = importlib.machinery.SourceFileLoader.get_code

    def get_code(loader: Any, module: str) -> Any:
        if Path(loader.get_filename(module)) != path:
            return as_before(loader, module)
        return compile(tree, str(path), "exec")

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
    setattr(builtins, SPOILED, spoiled)
    setattr(builtins, ZEROED, zeroed)


def spoiled(result: Any) -> Any:
    """A result that is wrong: numbers by a hundredth of them and more, something left out of what has none."""
    match result:
        case bool():
            return not result
        case int():
            return result + 1
        case float():
            return 1.01 * result + 1e-3
        case np.ndarray() if result.dtype.kind == "f" and result.size:
            return 1.01 * result + 1e-3 * (1 + np.arange(result.size).reshape(result.shape))
        case tuple() if type(result) is tuple:
            return tuple(spoiled(x) for x in result)
        case list() | dict() | set() | str():
            return type(result)()
    if dataclasses.is_dataclass(result):
        return _spoiled_field(result)
    return None


def zeroed(result: Any) -> Any:
    """Zero in the place of a number or of each of an array of numbers, anything else spoiled."""
    is_number = isinstance(result, float) or (isinstance(result, np.ndarray) and result.dtype.kind == "f")
    return 0.0 * result if is_number else spoiled(result)


def _spoiled_field(result: Any) -> Any:
    """The same with its first field of numbers spoiled."""
    made = object.__new__(type(result))
    made.__dict__.update(result.__dict__)
    for field in dataclasses.fields(result):
        value = getattr(result, field.name)
        if isinstance(value, float | np.ndarray):
            object.__setattr__(made, field.name, spoiled(value))
            return made
    return None
