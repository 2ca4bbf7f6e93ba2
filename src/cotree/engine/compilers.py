"""Numba's compiler and its options as kernels use them.

Numba asks for the hash of all its 25 options each time it types a call of a NumPy function, and compiles that function again
for every combination of options, also of those that make no difference to it. Here only those count that callees take over.
"""

from __future__ import annotations

from typing import Any

from numba.core import compiler
from numba.core.ccallback import _CFuncCompiler  # type: ignore[attr-defined]
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]

from cotree.engine.bar import bar, name_of
from cotree.engine.linking import linked_only

PASSED_ON = ("error_model", "forceinline", "nrt", "boundscheck", "debuginfo")


class KernelFlags(compiler.Flags):
    """Options of a kernel; equal to others that mean the same to what the kernel calls."""

    __slots__ = ()

    def _passed_on(self) -> tuple[Any, ...]:
        fast: Any = self.fastmath
        return frozenset(fast.flags), *(getattr(self, name) for name in PASSED_ON)

    def __hash__(self) -> int:
        return hash(self._passed_on())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KernelFlags) and self._passed_on() == other._passed_on()


class ForPython(_FunctionCompiler):  # type: ignore[misc]
    """Compiles what Python calls, and all that it reaches."""

    def compile(self, args: Any, return_type: Any) -> Any:
        with linked_only(), bar.over(self.py_func):
            return super().compile(args, return_type)

    def _customize_flags(self, flags: Any) -> Any:
        flags.no_cfunc_wrapper = True
        return KernelFlags(flags)


class ForKernels(_FunctionCompiler):  # type: ignore[misc]
    """Compiles what kernels call, as far as code that can be linked."""

    def compile(self, args: Any, return_type: Any) -> Any:
        found = super().compile(args, return_type)
        bar.finished(name_of(self.py_func))
        return found

    def _customize_flags(self, flags: Any) -> Any:
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.no_compile = True
        return KernelFlags(flags)


class ForAddresses(_CFuncCompiler):  # type: ignore[misc]
    """Compiles what is called by its address, and all that it reaches."""

    def compile(self, args: Any, return_type: Any) -> Any:
        with linked_only(), bar.over(self.py_func):
            found = super().compile(args, return_type)
            found.library.finalize()
            return found

    def _customize_flags(self, flags: Any) -> Any:
        return KernelFlags(super()._customize_flags(flags))
