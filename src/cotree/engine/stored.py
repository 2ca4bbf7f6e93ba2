"""What is stored of a compiled function, and the function made from it again.

Numba stores machine code together with code for linking into other functions, and with the surroundings of every function that
was linked into it, for which it imports their modules. Stored kernels are never linked into others (`dispatcher`), so
that the machine code is enough; each function in it must have surroundings, but only those in which something is kept are
its own.
"""

from __future__ import annotations

import io
import pickle
import sys
from types import ModuleType
from typing import Any

from numba.core.compiler import CompileResult
from numba.core.environment import Environment, _rebuild_env, lookup_environment

FORMAT = "7"  # of what is stored
EMPTY = Environment({})


def reduced(result: Any) -> tuple[Any, ...]:
    """What is stored of a compiled function."""
    library, fndesc = result.library, result.fndesc
    library._ensure_finalized()
    fndesc.typemap = fndesc.calltypes = None
    around = result._find_referenced_environments()
    own, empty = tuple(e for e in around if e.consts), tuple(e.env_name for e in around if not e.consts)
    symbols = (fndesc.llvm_func_name, fndesc.llvm_cpython_wrapper_name, fndesc.llvm_cfunc_wrapper_name)
    there = tuple(x for x in symbols if library.codegen._engine.is_symbol_defined(x))
    code = library.name, library._get_compiled_object(), there
    return code, fndesc, result.environment, result.signature, tuple(result.reload_init or ()), own, empty


def rebuilt(context: Any, stored: tuple[Any, ...]) -> Any:
    """The function again."""
    (name, code, symbols), fndesc, environment, signature, reload_init, around, empty = stored
    for function in reload_init:
        function()
    library = context.codegen().create_library(name)
    library.enable_object_caching()
    library._set_compiled_object(code)
    library._finalize_final_module()
    library.is_stored = True
    library.codegen._engine._defined_symbols.update(symbols)
    set_env = library.codegen.set_env
    for other in empty:
        set_env(other, EMPTY)
    for other in around:
        set_env(other.env_name, other)
    made = context.get_executable(library, fndesc, environment)
    make: Any = CompileResult  # Numba adds its fields where type checkers do not see them
    return make(
        target_context=context, typing_context=context.typing_context, library=library, environment=environment,
        entry_point=made, fndesc=fndesc, type_annotation="", signature=signature, objectmode=False, lifted=(),
        typing_error=None, call_helper=None, metadata=None, reload_init=list(reload_init), referenced_envs=around,
    )  # fmt: skip


def cannot_be_linked(result: Any) -> bool:
    """Whether a compiled function was stored, so that it can be called but not linked into others."""
    return getattr(result.library, "is_stored", False)


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        found = super().find_class(module, name)
        return _surroundings if found is _rebuild_env else found


def unpickled(data: bytes) -> Any:
    """What was stored; modules that only surroundings name are not imported."""
    return _Unpickler(io.BytesIO(data)).load()


def _surroundings(module: str, consts: list[Any], name: str) -> Any:
    """As Numba rebuilds an environment, without importing its module: compiled code does not look at the names in it."""
    found = lookup_environment(name)
    if found is None:
        found = Environment(sys.modules.get(module, ModuleType(module)).__dict__)
        found.consts[:] = consts
        found.env_name = name
        Environment._memo[name] = found
    return found
