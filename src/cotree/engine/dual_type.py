"""Dual numbers: a number with its derivatives along several directions, which sums, products and functions carry along.

A dual lies in memory as lanes do (`cotree.engine.lane_type`): the number in the first lane, a derivative in each of the others.
Kernels that run on lanes run on duals as they stand, and some that do not, since a comparison of duals compares the numbers, so
that a branch on it is one. A number beside duals is a constant. The modulus of a vector is taken to have no slope at zero,
where it has none: what kernels compute of it are even functions.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.imputils import lower_builtin, lower_cast
from numba.core.typeconv.castgraph import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, models, overload, register_model

from cotree.engine.kernel import kernel
from cotree.engine.lane_type import LANES, VECTOR, WORD, in_all

DIRECTIONS = LANES - 1  # derivatives that a dual carries


class DualType(types.Type):
    """A number and its derivatives; a number can become one."""

    bitwidth = 64 * LANES

    def __init__(self) -> None:
        super().__init__(f"dual{DIRECTIONS}")

    def can_convert_from(self, context: Any, other: Any) -> Any:
        return Conversion.safe if isinstance(other, (types.Float, types.Integer, types.Boolean)) else None


dual_t = DualType()


@register_model(DualType)
class _DualModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, VECTOR)


def _first(builder: Any, x: Any) -> Any:
    """The number itself."""
    return builder.extract_element(x, WORD(0))


def _with_first(builder: Any, number: Any, x: Any) -> Any:
    """x with another number before its derivatives."""
    return builder.insert_element(x, number, WORD(0))


def _constant(context: Any, builder: Any, of: Any, to: Any, x: Any) -> Any:
    return _with_first(builder, context.cast(builder, x, of, types.float64), ir.Constant(VECTOR, [0.0] * LANES))


for _kind in (types.Float, types.Integer, types.Boolean):
    lower_cast(_kind, DualType)(_constant)


def _takes(arguments: tuple[Any, ...]) -> bool:
    """Whether there are duals, and beside them nothing but numbers."""
    numbers = (DualType, types.Float, types.Integer, types.Boolean)
    return any(isinstance(a, DualType) for a in arguments) and all(isinstance(a, numbers) for a in arguments)


def _operator(symbol: Any, gives: Any, generate: Any) -> None:
    """Let an operator of Python take duals."""

    class Typing(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            return signature(gives, *(dual_t,) * len(args)) if _takes(args) else None

    infer_global(symbol)(Typing)
    n = 1 if symbol in (operator.neg, operator.pos, abs) else 2
    lower_builtin(symbol, *(DualType,) * n)(lambda context, builder, sig, args: generate(builder, *args))


def _product(builder: Any, a: Any, b: Any) -> Any:
    x, y = _first(builder, a), _first(builder, b)
    sums = builder.fadd(builder.fmul(in_all(builder, x), b), builder.fmul(in_all(builder, y), a))
    return _with_first(builder, builder.fmul(x, y), sums)


def _quotient(builder: Any, a: Any, b: Any) -> Any:
    y = _first(builder, b)
    x = builder.fdiv(_first(builder, a), y)
    rest = builder.fsub(a, builder.fmul(in_all(builder, x), b))
    return _with_first(builder, x, builder.fdiv(rest, in_all(builder, y)))


def _compare(word: str) -> Any:
    ordered = word != "!="
    return lambda builder, a, b: (builder.fcmp_ordered if ordered else builder.fcmp_unordered)(
        word, _first(builder, a), _first(builder, b)
    )


def _choice(word: str) -> Any:
    """As Python does it: the first where they are equal, or one is not a number."""
    return lambda builder, a, b: builder.select(_compare(word)(builder, b, a), b, a)


def _modulus(builder: Any, a: Any) -> Any:
    return builder.select(_compare("<")(builder, a, ir.Constant(VECTOR, [0.0] * LANES)), builder.fneg(a), a)


_SUMS = {
    "add": lambda builder, a, b: builder.fadd(a, b),
    "sub": lambda builder, a, b: builder.fsub(a, b),
    "mul": _product,
    "truediv": _quotient,
}
for _word, _generate in _SUMS.items():
    _operator(getattr(operator, _word), dual_t, _generate)
    _operator(getattr(operator, f"i{_word}"), dual_t, _generate)
for _word, _sign in {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}.items():
    _operator(getattr(operator, _word), types.boolean, _compare(_sign))
_operator(operator.neg, dual_t, lambda builder, a: builder.fneg(a))
_operator(operator.pos, dual_t, lambda builder, a: a)
_operator(abs, dual_t, _modulus)
_operator(max, dual_t, _choice(">"))
_operator(min, dual_t, _choice("<"))


def _value(context: Any, x: Any) -> tuple[Any, Any]:
    """The number itself."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _first(builder, arguments[0])

    return types.float64(dual_t), generate


def _chained(context: Any, x: Any, number: Any, slope: Any) -> tuple[Any, Any]:
    """A function of x by its value and its slope there."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        x, number, slope = arguments
        return _with_first(builder, number, builder.fmul(in_all(builder, slope), x))

    return dual_t(dual_t, types.float64, types.float64), generate


value: Any = intrinsic(_value)
chained: Any = intrinsic(_chained)


def _smooth(function: Any, at: Any) -> None:
    """Let a function of NumPy take duals; `at` computes it with its slope from a number."""

    def of_dual(x: Any) -> Any:
        if not isinstance(x, DualType):
            return None

        def evaluate(x: Any) -> Any:
            number, slope = at(value(x))
            return chained(x, number, slope)

        return evaluate

    overload(function)(of_dual)


@kernel
def _root(x):
    root = np.sqrt(x)
    return root, (0.5 / root if root > 0.0 else 0.0)


@kernel
def _sine(x):
    return np.sin(x), np.cos(x)


@kernel
def _cosine(x):
    return np.cos(x), -np.sin(x)


@kernel
def _exponential(x):
    return np.exp(x), np.exp(x)


@kernel
def _rounded(x):
    return np.rint(x), 0.0


_smooth(np.sqrt, _root)
_smooth(np.sin, _sine)
_smooth(np.cos, _cosine)
_smooth(np.exp, _exponential)
_smooth(np.rint, _rounded)


@kernel
def angle_of(y, x):
    """Angle of the point (x, y)."""
    a, b = value(x), value(y)
    n = a * a + b * b
    turned = (y * a - x * b) / n
    return chained(turned, np.arctan2(b, a), 1.0)


@overload(np.arctan2)
def _of_arctan2(y, x):
    if not (isinstance(x, DualType) or isinstance(y, DualType)):
        return None
    return lambda y, x: angle_of(y + 0.0 * x, x + 0.0 * y)
