"""Lanes: several numbers in one value, computed with together by the processor's vector instructions.

A kernel that is written for a number runs on lanes as it stands: `+ - * /`, `max`, `min`, comparisons, and NumPy's `sqrt`,
`abs`, `rint`, `sin`, `cos` and `arctan2` are defined for them, and a number beside lanes stands for itself in each. A
comparison gives a mask, which cannot be branched on: `select`, `every` and `some` (`cotree.engine.choosing`) take it. Arrays
and record fields of lanes are opened by `cotree.engine.lane_records`.
"""

from __future__ import annotations

import operator
import os
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_builtin, lower_cast
from numba.core.registry import cpu_target
from numba.core.typeconv.castgraph import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, models, overload, register_model

SWITCH = "COTREE_LANES"  # numbers in a value; 0: no lanes


def count() -> int:
    """How many numbers there are in a value: as many as the processor's widest registers hold, but at least four."""
    asked = os.environ.get(SWITCH, "")
    if asked in ("0", "2", "4", "8"):
        return int(asked)
    return 8 if "+avx512f" in cpu_target.target_context.codegen().magic_tuple()[2] else 4


LANES = count() or 4
DOUBLE, BIT, WORD = ir.DoubleType(), ir.IntType(1), ir.IntType(32)
VECTOR, BITS = ir.VectorType(DOUBLE, LANES), ir.VectorType(BIT, LANES)


class LaneType(types.Type):
    """The numbers of all lanes; a number can become one."""

    bitwidth = 64 * LANES

    def __init__(self) -> None:
        super().__init__(f"lanes{LANES}")

    def can_convert_from(self, context: Any, other: Any) -> Any:
        return Conversion.safe if isinstance(other, (types.Float, types.Integer, types.Boolean)) else None


class MaskType(types.Type):
    """What a comparison of lanes gives; what one of numbers gives can become one."""

    def __init__(self) -> None:
        super().__init__(f"mask{LANES}")

    def can_convert_from(self, context: Any, other: Any) -> Any:
        return Conversion.safe if isinstance(other, types.Boolean) else None


lanes_t, mask_t = LaneType(), MaskType()


@register_model(LaneType)
class _LaneModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, VECTOR)


@register_model(MaskType)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, BITS)


def in_all(builder: Any, x: Any) -> Any:
    """A number in each lane."""
    first = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), x, WORD(0))
    return builder.shuffle_vector(
        first, ir.Constant(VECTOR, ir.Undefined), ir.Constant(ir.VectorType(WORD, LANES), [0] * LANES)
    )


def _spread(context: Any, builder: Any, of: Any, to: Any, x: Any) -> Any:
    return in_all(builder, context.cast(builder, x, of, types.float64))


def _spread_bit(context: Any, builder: Any, of: Any, to: Any, x: Any) -> Any:
    return builder.select(x, ir.Constant(BITS, [1] * LANES), ir.Constant(BITS, [0] * LANES))


for _kind in (types.Float, types.Integer, types.Boolean):
    lower_cast(_kind, LaneType)(_spread)
lower_cast(types.Boolean, MaskType)(_spread_bit)


def _takes(arguments: tuple[Any, ...]) -> bool:
    """Whether there are lanes, and beside them nothing but numbers."""
    numbers = (LaneType, types.Float, types.Integer, types.Boolean)
    return any(isinstance(a, LaneType) for a in arguments) and all(isinstance(a, numbers) for a in arguments)


def _operator(symbol: Any, gives: Any, generate: Any) -> None:
    """Let an operator of Python take lanes."""

    class Typing(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            return signature(gives, *(lanes_t,) * len(args)) if _takes(args) else None

    infer_global(symbol)(Typing)
    n = 1 if symbol in (operator.neg, operator.pos, abs) else 2
    lower_builtin(symbol, *(LaneType,) * n)(lambda context, builder, sig, args: generate(builder, *args))


def _instruction(word: str) -> Any:
    name = "fdiv" if word == "truediv" else f"f{word}"
    return lambda builder, a, b: getattr(builder, name)(a, b)


def _compare(word: str) -> Any:
    return lambda builder, a, b: builder.fcmp_ordered(word, a, b)


def call_vector(builder: Any, name: str, *args: Any) -> Any:
    """Call an intrinsic function of LLVM on all lanes."""
    kind = ir.FunctionType(VECTOR, [VECTOR] * len(args))
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{LANES}f64"), args)


for _word in ("add", "sub", "mul", "truediv"):
    _operator(getattr(operator, _word), lanes_t, _instruction(_word))
    _operator(getattr(operator, f"i{_word}"), lanes_t, _instruction(_word))
_operator(operator.neg, lanes_t, lambda builder, a: builder.fneg(a))
_operator(operator.pos, lanes_t, lambda builder, a: a)
_operator(abs, lanes_t, lambda builder, a: call_vector(builder, "fabs", a))
_operator(operator.lt, mask_t, _compare("<"))
_operator(operator.le, mask_t, _compare("<="))
_operator(operator.gt, mask_t, _compare(">"))
_operator(operator.ge, mask_t, _compare(">="))
_operator(operator.eq, mask_t, _compare("=="))
# as Python does it: the first where they are equal, or one is not a number
_operator(max, lanes_t, lambda builder, a, b: builder.select(builder.fcmp_ordered(">", b, a), b, a))
_operator(min, lanes_t, lambda builder, a, b: builder.select(builder.fcmp_ordered("<", b, a), b, a))


def _each(name: str) -> Any:
    """A function of LLVM, in each lane."""

    @intrinsic
    def call(context, x):
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return call_vector(builder, name, *arguments)

        return lanes_t(lanes_t), generate

    return call


_sqrt, _rint = _each("sqrt"), _each("rint")


@overload(np.sqrt)
def _of_sqrt(x):
    return (lambda x: _sqrt(x)) if isinstance(x, LaneType) else None


@overload(np.rint)
def _of_rint(x):
    return (lambda x: _rint(x)) if isinstance(x, LaneType) else None


def _lane(context: Any, x: Any, i: Any) -> tuple[Any, Any]:
    """The number in lane i."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.extract_element(arguments[0], builder.trunc(arguments[1], WORD))

    return types.float64(lanes_t, types.int64), generate


def _with_lane(context: Any, x: Any, i: Any, number: Any) -> tuple[Any, Any]:
    """The same with another number in lane i."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.insert_element(arguments[0], arguments[2], builder.trunc(arguments[1], WORD))

    return lanes_t(lanes_t, types.int64, types.float64), generate


lane: Any = intrinsic(_lane)
with_lane: Any = intrinsic(_with_lane)
