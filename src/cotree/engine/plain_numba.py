"""Whether Numba is used as it is: kernels are ordinary `njit` functions, entries ordinary `cfunc`s.

What this folder changes in Numba (`linking`, `compilers`, `dispatcher`, `quicker`, `stored`) makes a first run wait a third of
the time, and reaches into its inside. It is done for the versions of Numba that it was compared with (tests/engine);
with any other one everything works, and takes longer to compile.
"""

from __future__ import annotations

import os
import re
import warnings
from importlib import import_module

import numba

from cotree.engine.interpreted import INTERPRETED
from cotree.errors import CacheWarning

SWITCH = "COTREE_PLAIN_NUMBA"
OLDEST, NEWEST = (0, 63), (0, 68)  # versions that were compared
INSIDE = {  # what is replaced or called
    "numba._dynfunc": ("make_function",),
    "numba.core.caching": ("FunctionCache._load_overload", "IndexDataCacheFile._save_data"),
    "numba.core.ccallback": ("CFunc.compile", "_CFuncCompiler._customize_flags"),
    "numba.core.codegen": (
        "CPUCodeLibrary._ensure_finalized", "CPUCodeLibrary._finalize_dynamic_globals",
        "CPUCodeLibrary._finalize_final_module", "CPUCodeLibrary._get_module_for_linking",
        "CPUCodeLibrary._optimize_final_module", "CPUCodeLibrary._optimize_functions", "CPUCodegen._function_pass_manager",
        "CPUCodegen._module_pass_manager",
    ),
    "numba.core.cpu": ("CPUContext.get_abi_sizeof", "CPUContext.get_executable", "CPUContext.refresh"),
    "numba.core.dispatcher": ("_FunctionCompiler._customize_flags", "Dispatcher.get_call_template"),
    "numba.core.environment": ("Environment._memo", "_rebuild_env"),
    "numba.core.ir": ("Inst._rec_list_vars",),
    "numba.core.postproc": ("PostProcessor._insert_var_dels", "PostProcessor.run"),
    "numba.core.types.functions": ("BaseFunction.get_call_type",),
    "numba.core.typing.context": ("Context.refresh",),
}  # fmt: skip


def why_plain(version: str = numba.__version__, inside: dict[str, tuple[str, ...]] = INSIDE) -> str:
    """Why Numba is used as it is; empty where it is not."""
    if os.environ.get(SWITCH, "") not in ("", "0"):
        return f"{SWITCH} is set"
    numbers = re.match(r"(\d+)\.(\d+)", version)
    if numbers is None or not OLDEST <= tuple(map(int, numbers.groups())) <= NEWEST:
        between = " to ".join(".".join(map(str, v)) for v in (OLDEST, NEWEST))
        return f"Numba {version} was not tried with this version of Cotree, which knows {between}"
    absent = next(
        (f"{module}.{name}" for module, names in inside.items() for name in names if _lacks(module, name)), ""
    )
    return absent and f"Numba {version} has no {absent}"


def _lacks(module: str, name: str) -> bool:
    try:
        found: object = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError):
        return True
    return False


def warn_if_plain() -> bool:
    """Whether Numba is used as it is, with a warning where it is."""
    why = "" if INTERPRETED else why_plain()
    if why:
        text = f"kernels are compiled by Numba as it is, which takes several times as long: {why}"
        warnings.warn(text, CacheWarning, stacklevel=2)
    return bool(why)


PLAIN = warn_if_plain()
