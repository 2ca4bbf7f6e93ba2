"""Kernels behind function pointers.

Numba links a callee's code into each caller and optimizes it there again, so that a time loop that reaches everything
takes a minute to compile. An entry is compiled once, cached, and called by its address; all have one signature:
status = entry(problem, t, a, b, c), the problem and up to three arrays given by address.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from llvmlite import ir
from numba import carray, from_dtype, types
from numba.extending import intrinsic

from cotree.engine.cache import keep_on_disk, lacks
from cotree.engine.dispatcher import AddressedKernel
from cotree.engine.kernel import FAST_MATH, kernel

SIGNATURE = types.int64(types.int64, types.float64, types.int64, types.int64, types.int64)


class Entry:
    """A function of the common signature; compiled when its address is first asked for."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    @cached_property
    def kernel(self) -> Any:
        """Not compiled yet."""
        options = {"nopython": True, "fastmath": FAST_MATH, "error_model": "numpy"}
        kernel = AddressedKernel(self.function, SIGNATURE, options)
        keep_on_disk(kernel, self.function, options)
        return kernel

    @cached_property
    def compiled(self) -> Any:
        self.kernel.compile()
        return self.kernel

    @property
    def address(self) -> int:
        return int(self.compiled.address)

    def is_missing(self, _types: Any = None) -> bool:
        """Whether it has to be compiled, and can be stored."""
        return "compiled" not in self.__dict__ and lacks(self.kernel._cache, self.kernel._sig)


def entry(function: Any) -> Entry:
    """A kernel to be called by address."""
    return Entry(function)


def _call(context, address, problem, t, a, b, c):
    """Call what is at an address, with the common signature."""

    def generate(context, builder, signature, arguments):
        word, number = ir.IntType(64), ir.DoubleType()
        kind = ir.FunctionType(word, [word, number, word, word, word])
        return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), arguments[1:])

    return types.int64(types.int64, *SIGNATURE.args), generate


call: Any = intrinsic(_call)


def _cast(to: Any) -> Any:
    """Compiled cast from an address to a pointer."""

    @intrinsic
    def cast(context, address):
        def generate(context, builder, signature, arguments):
            return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

        return types.CPointer(to)(types.int64), generate

    return cast


def pointer_to(dtype: np.dtype[np.void]) -> Any:
    """Compiled cast from an address to a pointer to rows of a table of this type."""
    return _cast(from_dtype(dtype))


_floats, _integers = _cast(types.float64), _cast(types.int64)


@kernel
def vector_at(address, n):
    """Floats at an address."""
    return carray(_floats(address), (n,))


@kernel
def matrix_at(address, m, n):
    """m rows of n floats at an address."""
    return carray(_floats(address), (m, n))


@kernel
def integers_at(address, n):
    """Integers at an address."""
    return carray(_integers(address), (n,))
