"""`Varied`: an array with its derivatives along several directions, for functions written with NumPy.

Arithmetic, NumPy's functions of single numbers, sums, products and changes of shape carry the derivatives along, exactly. What
is not known here raises an error: nothing loses its derivatives without a word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from cotree.errors import ArgumentError

Array = NDArray[np.float64]


class Varied(NDArrayOperatorsMixin):
    """value (...): an array; slopes (directions, ...): its derivatives."""

    __slots__ = ("slopes", "value")

    def __init__(self, value: Any, slopes: Any) -> None:
        self.value, self.slopes = np.asarray(value, dtype=float), np.asarray(slopes, dtype=float)
        if self.slopes.shape[1:] != self.value.shape:
            raise ArgumentError(
                f"slopes of shape {self.slopes.shape} do not belong to an array of shape {self.value.shape}"
            )

    @staticmethod
    def constant(value: Any, directions: int) -> Varied:
        x = np.asarray(value, dtype=float)
        return Varied(x, np.zeros((directions, *x.shape)))

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape

    @property
    def ndim(self) -> int:
        return self.value.ndim

    @property
    def size(self) -> int:
        return self.value.size

    @property
    def T(self) -> Varied:
        return _first(np.transpose, (self,), {})

    def __len__(self) -> int:
        return len(self.value)

    def __getitem__(self, key: Any) -> Varied:
        keys = key if isinstance(key, tuple) else (key,)
        if all(k is None or k is Ellipsis or isinstance(k, (int, np.integer, slice)) for k in keys):
            return Varied(self.value[keys], self.slopes[(slice(None), *keys)])
        return _each(self, lambda x: x[key])

    def reshape(self, *shape: Any) -> Varied:
        return _each(self, lambda x: x.reshape(*shape))

    def ravel(self) -> Varied:
        return self.reshape(-1)

    def copy(self) -> Varied:
        return Varied(self.value.copy(), self.slopes.copy())

    def sum(self, axis: Any = None) -> Varied:
        return _each(self, lambda x: x.sum(axis=axis))

    def mean(self, axis: Any = None) -> Varied:
        return _each(self, lambda x: x.mean(axis=axis))

    def dot(self, other: Any) -> Varied:
        return _product(np.dot, (self, other), {}, (0, 1))

    def __bool__(self) -> bool:
        return bool(self.value)

    def __repr__(self) -> str:
        return f"<Varied {self.value!r} along {len(self.slopes)} directions>"

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **more: Any) -> Any:
        if method == "reduce" and ufunc is np.add and set(more) <= {"axis"}:
            return inputs[0].sum(**more)
        if method != "__call__" or more:
            return NotImplemented
        plain = tuple(value_of(x) for x in inputs)
        if ufunc in STEPS:
            return ufunc(*plain)
        if ufunc is np.matmul:
            return _product(np.matmul, inputs, {}, (0, 1))
        if ufunc not in PARTIALS:
            return NotImplemented
        out = np.asarray(ufunc(*plain), dtype=float)
        slopes = np.zeros((_directions(inputs), *out.shape))
        for x, partial in zip(inputs, PARTIALS[ufunc], strict=True):
            if isinstance(x, Varied):
                slopes += partial(*plain, out) * _wide(x.slopes, out.ndim)
        return Varied(out, slopes)

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, more: Any) -> Any:
        rule = FUNCTIONS.get(function)
        return NotImplemented if rule is None else rule(function, args, more)


def value_of(x: Any) -> Any:
    """Of a varied array its value, of anything else itself."""
    return x.value if isinstance(x, Varied) else x


def as_array(x: Any) -> Any:
    """`numpy.asarray`, but what carries derivatives keeps them."""
    return x if isinstance(x, Varied) else np.asarray(x)


def _directions(given: Sequence[Any]) -> int:
    return next(len(x.slopes) for x in given if isinstance(x, Varied))


def _wide(slopes: Array, ndim: int) -> Array:
    """Slopes of an array that is broadcast to so many axes."""
    return slopes.reshape(len(slopes), *(1,) * (ndim - slopes.ndim + 1), *slopes.shape[1:])


def _each(x: Varied, f: Callable[[Array], Any]) -> Varied:
    """A linear function of one array."""
    value = np.asarray(f(x.value))
    return Varied(value, np.array([f(s) for s in x.slopes]).reshape(len(x.slopes), *value.shape))


# -- rules of functions other than ufuncs -------------------------------------------------------------------------------


def _first(f: Callable[..., Any], args: Any, more: Any) -> Varied:
    """Linear in the first argument."""
    return _each(args[0], lambda x: f(x, *args[1:], **more))


def _sequence(f: Callable[..., Any], args: Any, more: Any) -> Varied:
    """Linear in all arrays of a sequence, which is the first argument."""
    parts = list(args[0])
    count = _directions(parts)
    parts = [x if isinstance(x, Varied) else Varied.constant(x, count) for x in parts]
    value = f([x.value for x in parts], *args[1:], **more)
    slopes = [f([x.slopes[k] for x in parts], *args[1:], **more) for k in range(count)]
    return Varied(value, np.array(slopes).reshape(count, *value.shape))


def _product(f: Callable[..., Any], args: Any, more: Any, places: Sequence[int]) -> Varied:
    """Linear in each of the arguments at these places."""
    plain = [value_of(x) for x in args]
    value = np.asarray(f(*plain, **more))
    slopes = np.zeros((_directions(args), *value.shape))
    for k in places:
        if isinstance(args[k], Varied):
            for d, s in enumerate(args[k].slopes):
                slopes[d] += f(*plain[:k], s, *plain[k + 1 :], **more)
    return Varied(value, slopes)


def _two(f: Callable[..., Any], args: Any, more: Any) -> Varied:
    return _product(f, args, more, (0, 1))


def _all_but_first(f: Callable[..., Any], args: Any, more: Any) -> Varied:
    return _product(f, args, more, range(1, len(args)))


def _norm(f: Callable[..., Any], args: Any, more: Any) -> Varied:
    """Of vectors, along an axis or of all numbers; where it is zero it has no derivative, and NaN says so."""
    if len(args) != 1 or set(more) - {"axis", "keepdims"}:
        raise ArgumentError("numpy.linalg.norm: only the Euclidean norm carries derivatives")
    (x,), axis = args, more.get("axis")
    return np.sqrt(_each(x * x, lambda a: a.sum(axis=axis, keepdims=more.get("keepdims", False))))


def _where(f: Callable[..., Any], args: Any, more: Any) -> Varied:
    condition, a, b = args
    count = _directions((a, b))
    a, b = (x if isinstance(x, Varied) else Varied.constant(x, count) for x in (a, b))
    condition = np.asarray(condition)
    value = np.where(condition, a.value, b.value)
    slopes = [np.where(condition, x, y) for x, y in zip(a.slopes, b.slopes, strict=True)]
    return Varied(value, np.array(slopes).reshape(count, *value.shape))


def _step(f: Callable[..., Any], args: Any, more: Any) -> Any:
    """Constant but for jumps, or of the shape alone."""
    return f(*(value_of(x) for x in args), **more)


# functions of numbers: derivatives by each argument, from the arguments and the result
_ONE = lambda *_: 1.0  # noqa: E731
PARTIALS: dict[Any, tuple[Callable[..., Any], ...]] = {
    np.add: (_ONE, _ONE),
    np.subtract: (_ONE, lambda *_: -1.0),
    np.multiply: (lambda x, y, _: y, lambda x, y, _: x),
    np.divide: (lambda x, y, _: 1.0 / y, lambda x, y, z: -z / y),
    np.negative: (lambda *_: -1.0,),
    np.positive: (_ONE,),
    np.power: (lambda x, y, _: y * x ** (y - 1.0), lambda x, y, z: z * np.log(x)),
    np.float_power: (lambda x, y, _: y * x ** (y - 1.0), lambda x, y, z: z * np.log(x)),
    np.square: (lambda x, _: 2.0 * x,),
    np.sqrt: (lambda _, z: np.divide(0.5, z, out=np.full(np.shape(z), np.nan), where=z != 0.0),),
    np.reciprocal: (lambda _, z: -z * z,),
    np.exp: (lambda _, z: z,),
    np.log: (lambda x, _: 1.0 / x,),
    np.sin: (lambda x, _: np.cos(x),),
    np.cos: (lambda x, _: -np.sin(x),),
    np.tan: (lambda _, z: 1.0 + z * z,),
    np.arcsin: (lambda x, _: 1.0 / np.sqrt(1.0 - x * x),),
    np.arccos: (lambda x, _: -1.0 / np.sqrt(1.0 - x * x),),
    np.arctan: (lambda x, _: 1.0 / (1.0 + x * x),),
    np.arctan2: (lambda y, x, _: x / (x * x + y * y), lambda y, x, _: -y / (x * x + y * y)),
    np.hypot: (lambda x, _, z: x / z, lambda _, y, z: y / z),
    np.sinh: (lambda x, _: np.cosh(x),),
    np.cosh: (lambda x, _: np.sinh(x),),
    np.tanh: (lambda _, z: 1.0 - z * z,),
    np.absolute: (lambda x, _: np.sign(x),),
    np.maximum: (lambda x, y, _: 1.0 * (x >= y), lambda x, y, _: 1.0 * (y > x)),
    np.minimum: (lambda x, y, _: 1.0 * (x <= y), lambda x, y, _: 1.0 * (y < x)),
    np.degrees: (lambda *_: 180.0 / np.pi,),
    np.rad2deg: (lambda *_: 180.0 / np.pi,),
    np.radians: (lambda *_: np.pi / 180.0,),
    np.deg2rad: (lambda *_: np.pi / 180.0,),
}
STEPS = {
    np.rint, np.floor, np.ceil, np.trunc, np.sign, np.less, np.less_equal, np.greater, np.greater_equal, np.equal,
    np.not_equal, np.isfinite, np.isnan, np.isinf, np.signbit,
}  # fmt: skip
FUNCTIONS: dict[Any, Callable[..., Any]] = {
    **dict.fromkeys((np.concatenate, np.stack, np.hstack, np.vstack, np.column_stack), _sequence),
    **dict.fromkeys(
        (
            np.reshape, np.ravel, np.transpose, np.swapaxes, np.moveaxis, np.squeeze, np.expand_dims, np.broadcast_to, np.sum,
            np.mean, np.cumsum, np.diff, np.trace, np.diagonal, np.atleast_1d, np.atleast_2d, np.flip, np.roll, np.copy,
        ),
        _first,
    ),
    **dict.fromkeys((np.dot, np.inner, np.outer, np.cross, np.tensordot), _two),
    np.einsum: _all_but_first,
    np.linalg.norm: _norm,
    np.where: _where,
    **dict.fromkeys((np.round, np.shape, np.ndim, np.size, np.zeros_like, np.ones_like), _step),
}  # fmt: skip
