"""Kernels are compiled by fewer passes than Numba has, and by quicker versions of some of its functions: the same results."""

import numpy as np
import pytest
from numba import njit, typeof
from numba.core import compiler, ir, types

from cotree.engine import passes, quicker
from cotree.engine.interpreted import INTERPRETED
from cotree.engine.kernel import released
from cotree.lie import so3

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")


def branches(x, n):
    """Branches that types decide, loops, tuples, and a list of numbers."""
    if x.ndim == 1:
        s = x[0]
    else:
        s = x[0, 0]
    a, (b, c) = 1.0, (2.0, 3.0)
    for i in range(n):
        if i % 2:
            a, b = b + s, a * c
        else:
            c += a
    while c > 10.0:
        c *= 0.5
    return a, b, c


def inside(x, n):
    """A function inside."""

    def twice(y):
        return 2.0 * y

    return twice(x[0]) + sum([twice(float(i)) for i in range(n)])


@pytest.mark.parametrize("function", [branches, inside])
def test_the_result_is_that_of_all_passes(function):
    x = np.array([0.25, 1.0])
    assert released(function)(x, 7) == njit(error_model="numpy")(function)(x, 7) == function(x, 7)


def test_a_function_with_others_inside_is_compiled_by_all_passes():
    assert passes._has_functions_inside(inside.__code__)
    assert not passes._has_functions_inside(branches.__code__)


def test_variables_are_listed_as_by_numba():
    seen = 0
    for function in (branches, inside, so3.exp.py_func, so3.log.py_func):
        for block in compiler.run_frontend(function).blocks.values():
            for line in block.body:
                for part in (line.__dict__, getattr(line, "value", None)):
                    expected = quicker._list_vars(line, part)
                    assert quicker.variables_in(line, part) == expected
                    seen += len(expected)
    assert seen > 100
    assert quicker.variables_in(None, [(), {"a": ir.Loc("x", 1)}]) == []


def test_names_of_records_are_as_by_numba():
    kind = typeof(np.zeros(1, [("a", "f8"), ("b", [("c", "i8", 3)])])[0])
    assert isinstance(kind, types.Record)
    assert quicker.name_of_record(kind) == quicker.name_of_record(kind) == repr(kind)
