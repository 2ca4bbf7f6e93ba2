"""Choices that depend on numbers, written so that several numbers can be computed with at once.

A kernel that runs on lanes as well as on numbers (`cotree.engine.lane_type`) cannot branch on a comparison: the lanes may
differ. It computes both values and selects, or asks whether something holds for every one, or for some.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from cotree.engine.interpreted import INTERPRETED


def _is_mask(kind: Any) -> bool:
    return str(kind.name).startswith("mask")


def _select(context: Any, condition: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """a where the condition holds, else b, lane by lane; both have been computed."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.select(*arguments)

    value = context.unify_types(a, b)
    if _is_mask(condition) and isinstance(value, types.Number):  # two numbers, of which lanes take one or the other
        from cotree.engine.lane_type import lanes_t

        value = lanes_t
    return value(condition if _is_mask(condition) else types.boolean, value, value), generate


def _every(context: Any, condition: Any) -> tuple[Any, Any]:
    """Whether a condition holds in all lanes."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (mask,) = arguments
        if not _is_mask(signature.args[0]):
            return mask
        n = mask.type.count
        bits = builder.bitcast(mask, ir.IntType(n))
        return builder.icmp_unsigned("==", bits, ir.Constant(ir.IntType(n), (1 << n) - 1))

    return types.boolean(condition if _is_mask(condition) else types.boolean), generate


def _some(context: Any, condition: Any) -> tuple[Any, Any]:
    """Whether a condition holds in one lane or more."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (mask,) = arguments
        if not _is_mask(signature.args[0]):
            return mask
        n = mask.type.count
        return builder.icmp_unsigned("!=", builder.bitcast(mask, ir.IntType(n)), ir.Constant(ir.IntType(n), 0))

    return types.boolean(condition if _is_mask(condition) else types.boolean), generate


select: Any = intrinsic(_select)
every: Any = intrinsic(_every)
some: Any = intrinsic(_some)

if INTERPRETED:

    def _either(condition: bool, a: Any, b: Any) -> Any:
        return a if condition else b

    select, every, some = _either, bool, bool
