"""Code that is linked into its callers and optimized there, and not on its own.

Numba optimizes each function, makes machine code of it, and then links and optimizes the same code again in each of its
callers. That is done once here, inside what Python calls: for kernels (`dispatcher`), and, while kernels are compiled, for
the functions of Numba that stand for NumPy's.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite.binding import Linkage
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core.codegen import CPUCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.cpu import CPUContext

from cotree.engine import quicker


def link(library: Any) -> None:
    """In the place of `finalize`: put the callees' code to the function's own, and neither optimize nor load it."""
    if library._finalized:
        return
    for other in dict.fromkeys(library._linking_libraries):
        library._reload_init.update(other._reload_init)
        library._final_module.link_in(other._get_module_for_linking(), preserve=True)
    library._finalize_dynamic_globals()
    library._finalized = True


@contextmanager
def linked_only() -> Iterator[None]:
    """While this lasts, Numba's own functions are linked and not finished. Only one thread compiles at a time. Garbage is not
    looked for, which takes a tenth of the time: the compiler makes many small objects that live until it is done."""
    with global_compiler_lock:
        collects = gc.isenabled()
        gc.disable()
        kept = {(owner, name): getattr(owner, name) for owner, name in _REPLACED}
        try:
            for (owner, name), new in _REPLACED.items():
                setattr(owner, name, new)
            with quicker.without_notices():
                yield
        finally:
            for (owner, name), old in kept.items():
                setattr(owner, name, old)
            if collects:
                _let_age()
                gc.enable()


def _let_age() -> None:
    """Count what was made as old, which is looked through seldom, without a look at each object: the collector would go through
    all of them at once, although they stay."""
    if gc.get_freeze_count() == 0:  # else somebody keeps objects from being collected, and unfreezing would end that
        gc.freeze()
        gc.unfreeze()


_executable = CPUContext.get_executable


def _get_executable(context: Any, library: Any, fndesc: Any, env: Any) -> Any:
    """What Python can call; for functions of Numba, which only compiled code calls, something that stands for it."""
    if not _inside_numba(fndesc.modname):
        if not library._finalized:
            library.finalize()
        return _executable(context, library, fndesc, env)
    link(library)
    return _dynfunc.make_function(
        fndesc.lookup_module(), fndesc.qualname.split(".")[-1], "linked only", 0, env, (library,)
    )


def _inside_numba(module: str) -> bool:
    return module.startswith("numba.") and not module.startswith("numba.typed")  # those are called from Python as well


def _optimize_functions(library: Any, module: Any) -> None:
    """As Numba does it, without a visit to functions that are only declared."""
    module.data_layout = library._codegen._data_layout
    passes, builder = library._codegen._function_pass_manager()
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, builder)


_optimize_module = CPUCodeLibrary._optimize_final_module
COUNTS = {"NRT_incref", "NRT_decref"}  # of references to arrays


def _optimize_final_module(library: Any) -> None:
    """As Numba does it, when what was linked in cannot be called from outside: only then LLVM inlines a function with
    one caller, and removes what is left of it. Where references are counted, most counts cancel after that, and what they
    were in the way of is done in one more run.

    Private, not internal: LLVM may change the arguments of such a function, and the loader takes symbols of one name, local
    ones too, for the same function wherever they come from."""
    for function in library._final_module.functions:
        if not function.is_declaration and function.linkage == Linkage.linkonce_odr:
            function.linkage = "private"
    _optimize_module(library)
    if any(function.name in COUNTS for function in library._final_module.functions):
        passes, builder = library._codegen._module_pass_manager()
        passes.run(library._final_module, builder)


_REPLACED: dict[tuple[Any, str], Any] = {
    (CPUCodeLibrary, "_ensure_finalized"): link,
    (CPUCodeLibrary, "_optimize_functions"): _optimize_functions,
    (CPUCodeLibrary, "_optimize_final_module"): _optimize_final_module,
    (CPUContext, "get_executable"): _get_executable,
    **quicker.REPLACED,
}
