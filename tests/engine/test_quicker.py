"""Kernels are compiled by quicker versions of some functions of Numba: the same results."""

import gc
import io
import itertools
import operator
import weakref
from types import SimpleNamespace

import numpy as np
import pytest
from numba import njit, typeof
from numba.core import compiler, ir, types
from numba.core.imputils import Registry
from numba.core.postproc import PostProcessor
from numba.core.registry import cpu_target
from numba.extending import overload

from cotree.engine import linking, quicker
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
def test_the_result_is_that_of_numba_alone(function):
    x = np.array([0.25, 1.0])
    assert released(function)(x, 7) == njit(error_model="numpy")(function)(x, 7) == function(x, 7)


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


def test_operators_on_numbers_are_typed_as_by_numba():
    context = cpu_target.typing_context
    context.refresh()
    kinds = (types.int64, types.float64, types.boolean, types.literal(3), types.int32)
    for name in ("add", "truediv", "lt", "iadd", "mul", "eq", "mod"):
        function = context.resolve_value_type(getattr(operator, name))
        for args in itertools.product(kinds, repeat=2):
            expected = quicker._call_type(function, context, args, {})
            key = function.get_impl_key(expected)
            for _ in range(2):  # found, and remembered
                assert quicker.call_type(function, context, args, {}) == expected
                assert function.get_impl_key(expected) == key


def test_operators_on_arrays_are_left_to_numba():
    context, before = cpu_target.typing_context, len(quicker._operations)
    context.refresh()
    function, args = context.resolve_value_type(operator.add), (types.float64[::1], types.float64)
    assert quicker.call_type(function, context, args, {}) == quicker._call_type(function, context, args, {})
    assert len(quicker._operations) == before


def test_deletions_are_as_by_numba():
    for function in (branches, inside, so3.exp.py_func, so3.log.py_func):
        texts = []
        for run in (PostProcessor.run, quicker.post_process):
            code = compiler.run_frontend(function)
            run(PostProcessor(code), emit_dels=True)
            written = io.StringIO()
            code.dump(written)
            texts.append(written.getvalue())
        assert texts[0] == texts[1]
        assert "del " in texts[0]


def test_contexts_look_for_registrations_where_there_are_new_ones():
    looked = []
    context = SimpleNamespace(_registries={Registry(): None})
    (registry,) = context._registries
    refresh = quicker._refreshing(looked.append)
    for _ in range(2):
        refresh(context)
    assert len(looked) == 1
    registry.functions.append(object())
    for _ in range(2):
        refresh(context)
    assert len(looked) == 2


def test_a_function_registered_after_kernels_were_compiled_is_found():
    released(branches)(np.ones(2), 1)

    def late(x):
        raise NotImplementedError

    overload(late)(lambda x: lambda x: 3.0 * x)

    def uses(x):
        return late(x)

    assert released(uses)(2.0) == 6.0


def test_sizes_of_types_are_as_by_numba():
    context = cpu_target.target_context
    for kind in (
        types.float64[:, ::1],
        types.UniTuple(types.float64, 3),
        types.boolean,
        types.Tuple((types.int8, types.float64)),
    ):
        layout = context.get_value_type(kind)
        for _ in range(2):
            assert quicker.size_of(context, layout) == quicker._size_of(context, layout)


def test_what_somebody_froze_stays_frozen():
    gc.collect()
    linking._let_age()
    assert gc.get_freeze_count() == 0
    gc.freeze()
    try:
        linking._let_age()
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()


def test_what_was_made_while_compiling_is_collected_later():
    class Cycle:
        pass

    one = Cycle()
    one.itself, seen = one, weakref.ref(one)
    del one
    linking._let_age()
    gc.collect()
    assert seen() is None
