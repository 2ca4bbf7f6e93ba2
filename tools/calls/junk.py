"""Values that nobody should pass, and some that only look so: one of each, made afresh at every draw."""

from __future__ import annotations

import datetime
import decimal
import fractions
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


class BadRepr:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


class BadFloat:
    def __float__(self) -> float:
        raise RuntimeError("no float")


class BadArray:
    def __array__(self, *given: Any, **options: Any) -> Any:
        raise RuntimeError("no array")


class BadLength:
    def __len__(self) -> int:
        return 3

    def __getitem__(self, i: int) -> Any:
        raise IndexError(i)


class BadEquality:
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")


class Text(str):
    """A text of another class."""


NUMBERS: tuple[Any, ...] = (
    0,
    1,
    -1,
    3,
    7,
    2**31,
    2**63,
    2**70,
    -(2**70),
    10**400,
    0.0,
    -0.0,
    0.5,
    1.5,
    -1.5,
    1e-300,
    5e-324,
    1e200,
    1e308,
    -1e308,
    float("nan"),
    float("inf"),
    -float("inf"),
    1j,
    True,
    False,
    np.bool_(True),
    np.float32(1.5),
    np.float64("nan"),
    np.int8(1),
    np.uint64(2**63),
    np.longdouble(2),
    decimal.Decimal("1.5"),
    decimal.Decimal("NaN"),
    decimal.Decimal("1e500"),
    fractions.Fraction(1, 3),
)
TEXTS: tuple[Any, ...] = (
    "",
    " ",
    "abc",
    "1",
    "1.5",
    "nan",
    "ground",
    "crank",
    "coupler",
    "A",
    "B",
    "C",
    "b1",
    "J1",
    "steps",
    "auto",
    "world",
    "no",
    "\x00",
    "a\nb",
    "\ud800",
    "ü",
    "a" * 10000,
    b"abc",
    bytearray(b"abc"),
    Text("A"),
    Path("x.json"),
    Path("nowhere/x.h5"),
    "x.xyz",
    ".",
)
ARRAYS: tuple[Callable[[], Any], ...] = (
    lambda: np.zeros(3),
    lambda: np.ones(3),
    lambda: np.zeros(0),
    lambda: np.zeros((0, 3)),
    lambda: np.eye(3),
    lambda: np.eye(4),
    lambda: np.zeros((2, 2)),
    lambda: np.array(None),
    lambda: np.array("x"),
    lambda: np.array(["A", "B"]),
    lambda: np.full(3, np.nan),
    lambda: np.full(3, np.inf),
    lambda: np.full(3, 1e308),
    lambda: np.full(3, 1e200),
    lambda: np.array([1.5]),
    lambda: np.array(1.5),
    lambda: np.array([1, 2, 3], dtype=object),
    lambda: np.array([1, None, 3], dtype=object),
    lambda: np.array([1j, 2, 3]),
    lambda: np.ones(3, dtype=bool),
    lambda: np.datetime64("2020"),
    lambda: np.zeros(3, dtype=[("x", float)]),
    lambda: np.arange(3)[::-1],
    lambda: np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]),
    lambda: np.ma.masked,
    lambda: np.matrix([1, 2, 3]),
    lambda: np.arange(3.0, dtype=">f8"),
    lambda: np.float32([0.1, 0.2, 0.3]),
    lambda: np.zeros((50, 50)),
    lambda: np.random.default_rng(0),
    lambda: np.zeros(3, dtype="m8[s]"),
)
SEQUENCES: tuple[Callable[[], Any], ...] = (
    list,
    tuple,
    dict,
    set,
    lambda: (0, 0, 1),
    lambda: (0, 0, 0),
    lambda: (1, 2),
    lambda: (1, 2, 3, 4),
    lambda: ("a", "b", "c"),
    lambda: [1, [2, 3]],
    lambda: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    lambda: [None] * 3,
    lambda: ["nan"] * 3,
    lambda: [True] * 3,
    lambda: [1e308] * 3,
    lambda: [float("nan")] * 3,
    lambda: {"A": 1.0},
    lambda: {"A": "x"},
    lambda: {"A": None},
    lambda: {1: 2},
    lambda: ["A"],
    lambda: ["zz"],
    lambda: [["A"]],
    lambda: [None],
    lambda: {"A"},
    lambda: {"position": ["A"], "velocity": ["B"]},
    lambda: {"position": 5},
    lambda: range(3),
    lambda: iter([1, 2, 3]),
    lambda: (x for x in (1.0, 2.0, 3.0)),
    lambda: iter(["A"]),
    lambda: [[[[]]]],
    lambda: [10**400] * 3,
    lambda: ["A", "A"],
    lambda: [0.01, 0.005],
    lambda: {("A", "x"): 1.0},
    lambda: [0.0] * 1000,
    lambda: memoryview(b"abc"),
    lambda: {1.0, 2.0, 3.0},
    lambda: frozenset("A"),
    lambda: [{}],
    lambda: ((),),
    lambda: [Ellipsis],
)
FUNCTIONS: tuple[Any, ...] = (
    lambda: 0,
    lambda t: t,
    lambda t: "x",
    lambda t: None,
    lambda q, v, t: 0.0,
    lambda *given: None,
    lambda x, y, z, w: 0.0,
    lambda t: float("nan"),
    lambda q: q,
    lambda q, v: [1.0, 2.0, 3.0],
    lambda t: True,
    lambda t: 1j,
    lambda t: np.zeros((2, 2)),
    len,
    int,
    print,
    dict.get,
    type,
)
OBJECTS: tuple[Callable[[], Any], ...] = (
    lambda: None,
    object,
    lambda: int,
    lambda: slice(3),
    lambda: Ellipsis,
    lambda: NotImplemented,
    lambda: ValueError("x"),
    BadRepr,
    BadFloat,
    BadArray,
    BadLength,
    BadEquality,
    lambda: datetime.datetime(2020, 1, 1),
    lambda: np,
    lambda: random.Random(0),
    lambda: open,
)


def junk(draw: random.Random, own: tuple[Callable[[], Any], ...] = ()) -> Any:
    """One value; `own`: objects of the package, where such are wrong too."""
    kind = draw.randrange(8 if own else 7)
    if kind < 2:
        return draw.choice(NUMBERS)
    if kind == 2:
        return draw.choice(TEXTS)
    if kind == 5:
        return draw.choice(FUNCTIONS)
    return draw.choice({3: ARRAYS, 4: SEQUENCES, 6: OBJECTS, 7: own}[kind])()


def shown(value: Any) -> str:
    """A value in a report."""
    try:
        return f"{value!r}"[:70]
    except Exception:
        return f"<{type(value).__name__}>"
