"""Kernels as Numba compiles them, with one difference: what only other kernels call is not finished on its own.

Numba compiles each function to machine code of its own, wraps it for Python, stores it, and then links and optimizes the same
code again in each of its callers, level by level. A kernel that is reached from another kernel is compiled here as far as
code that can be linked; it is optimized once, inside what Python calls. Called from Python, it is finished as usual.
"""

from __future__ import annotations

from functools import cached_property
from types import FunctionType, MethodType
from typing import Any

from numba.core.caching import NullCache
from numba.core.ccallback import CFunc
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.sigutils import normalize_signature

from cotree.engine.cache import cache_of, give_up, is_compiled_elsewhere, lacks
from cotree.engine.compilers import ForAddresses, ForKernels, ForPython
from cotree.engine.linking import link
from cotree.engine.stored import cannot_be_linked


class KernelDispatcher(CPUDispatcher):
    """A compiled function that knows whether Python or another kernel asks for it."""

    def __init__(self, function: FunctionType, options: dict[str, Any]) -> None:
        self._given = function, options
        self._stored: Any = None
        super().__init__(function, {}, options)
        self._linked: dict[tuple[Any, ...], tuple[Any, ...]] = {}  # argument types of unfinished code, and its key
        self._asked_by_kernels = 0

    @cached_property
    def _for_python(self) -> Any:
        return ForPython(self._given[0], self.targetdescr, self._given[1], {}, Compiler)

    @cached_property
    def _for_kernels(self) -> Any:
        return ForKernels(self._given[0], self.targetdescr, self._given[1], {}, Compiler)

    @property
    def _cache(self) -> Any:
        """Made when it is asked for: few of the kernels are called from Python."""
        if self._stored is None:
            self._stored = cache_of(*self._given)
        return self._stored

    @_cache.setter
    def _cache(self, value: Any) -> None:
        self._stored = None if type(value) is NullCache else value  # Numba begins with a cache that stores nothing

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Numba asks for this where a kernel calls the function."""
        self._asked_by_kernels += 1
        try:
            return super().get_call_template(args, kws)
        finally:
            self._asked_by_kernels -= 1

    def get_overload(self, sig: Any) -> Any:
        """Key of the code for these arguments: its address, or for code without one a key of its own."""
        key = self._linked.get(tuple(normalize_signature(sig)[0]))
        return super().get_overload(sig) if key is None else key

    def compile(self, sig: Any) -> Any:
        args = tuple(normalize_signature(sig)[0])
        if not self._asked_by_kernels:
            if self._linked.pop(args, None) is not None:
                del self.overloads[args]
            self._compiler = self._for_python
            try:
                return super().compile(sig)
            finally:
                give_up(self._stored)
        if args not in self.overloads or cannot_be_linked(self.overloads[args]):
            self._compile_for_kernels(args)
        return getattr(self.overloads[args], "entry_point", None)

    def is_missing(self, args: tuple[Any, ...]) -> bool:
        """Whether code for these arguments has to be compiled, and can be stored."""
        return (args not in self.overloads or args in self._linked) and lacks(self._cache, args)

    def is_awaited(self, args: tuple[Any, ...]) -> bool:
        """Whether another process is at work on it."""
        return is_compiled_elsewhere(self._cache, args)

    def _compile_for_kernels(self, args: tuple[Any, ...]) -> None:
        with global_compiler_lock, self._compiling_counter:
            found = self._for_kernels.compile(args, None)
            found.library.finalize = MethodType(link, found.library)
            key = (self.py_func, args)
            self.targetctx.insert_user_function(key, found.fndesc, [found.library])
            self.overloads[args], self._linked[args] = found, key


class AddressedKernel(CFunc):
    """A compiled function that is called by its address."""

    _cache: Any

    def __init__(self, function: FunctionType, signature: Any, options: dict[str, Any]) -> None:
        super().__init__(function, (signature.args, signature.return_type), {}, options)
        self._compiler = ForAddresses(function, cpu_target, options, {}, Compiler)

    def compile(self) -> None:
        try:
            super().compile()
        finally:
            give_up(self._cache)
