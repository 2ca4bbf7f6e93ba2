"""Kernels that kernels call: linked there, finished only when Python calls them; the same numbers either way."""

import gc

import numpy as np
import pytest
from llvmlite.binding import Linkage
from numba import njit
from numba.core.caching import NullCache
from numba.core.codegen import CPUCodeLibrary

from cotree.engine import dispatcher, linking
from cotree.engine.kernel import dense, inlined, kernel


@inlined
def square(x):
    return x * x


@kernel
def shifted(x, by=1.0):
    return square(x) + by


@dense
def total(n):
    s = 0.0
    for i in range(n):
        s += shifted(float(i))
    return s


@kernel
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


@kernel
def outer(n):
    return total(n) + shifted(2.0, 0.5) + factorial(n)


def expected(n):
    return sum(i * i + 1.0 for i in range(n)) + 4.5 + [1, 1, 2, 6, 24, 120][n]


@pytest.fixture(scope="module")
def _called():
    outer(3)


@pytest.mark.usefixtures("_called")
def test_what_kernels_call_is_not_finished():
    assert [r.entry_point for r in total.overloads.values()] in ([], [None])  # none where the whole was on disk
    assert all(r.entry_point for r in outer.overloads.values())


@pytest.mark.parametrize("n", range(6))
def test_numbers(n):
    assert outer(n) == expected(n)


@pytest.mark.usefixtures("_called")
def test_called_from_python_afterwards():
    """Code that was linked before is finished then, and callers compiled later link it again."""
    assert total(4) == sum(i * i + 1.0 for i in range(4))
    assert all(r.entry_point for r in total.overloads.values())
    assert square(3) == 9
    assert square(3.0) == 9.0

    @kernel
    def later(n):
        return total(n) + square(2.0)

    assert later(4) == total(4) + 4.0


def test_a_function_that_is_asked_for_by_both():
    @kernel
    def inner(x):
        return x + 1

    @kernel
    def first(x):
        return 2 * inner(x)

    assert inner(1) == 2
    assert first(1) == 4
    assert first(1.5) == 5.0
    assert inner(1.5) == 2.5
    assert first(1.5) == 5.0


def test_errors_of_types_name_the_function():
    @kernel
    def broken(x):
        return x.nothing

    @kernel
    def caller(x):
        return broken(x)

    with pytest.raises(Exception, match="nothing"):
        caller(1.0)


def test_functions_of_numpy_are_linked_and_not_finished(monkeypatch):
    """They are optimized once, inside what Python calls; compiling leaves Numba as it was, and the collector of garbage on."""
    finished = []
    original = CPUCodeLibrary.finalize

    def finalize(library):
        finished.append(library.name)
        original(library)

    monkeypatch.setattr(CPUCodeLibrary, "finalize", finalize)
    before = [getattr(owner, name) for owner, name in linking._REPLACED]

    def sums(n):
        x = np.zeros((n, n))
        x[0, :] = np.arange(n)
        return np.dot(x, np.ones(n)).sum()

    assert kernel(sums)(4) == sums(4)
    assert len(finished) <= 1  # none where it was on disk
    assert [getattr(owner, name) for owner, name in linking._REPLACED] == before
    assert gc.isenabled()


def test_functions_of_the_user_inside_a_kernel_can_be_called():
    @njit
    def own(x):
        return np.full(3, x).sum()

    @kernel
    def caller(x):
        return own(x) + 1.0

    assert caller(2.0) == 7.0
    assert own(2.0) == 6.0


def test_what_was_linked_in_is_private(monkeypatch):
    """So LLVM may inline what has one caller, and remove it."""
    before, original = {}, linking._optimize_module

    def optimize(library):
        before.update({f.name: f.linkage for f in library._final_module.functions if not f.is_declaration})
        original(library)
        before["left"] = [f.name for f in library._final_module.functions if "shifted" in f.name]

    monkeypatch.setattr(linking, "_optimize_module", optimize)
    monkeypatch.setattr(dispatcher, "cache_of", lambda *given: NullCache())

    @kernel
    def later(x):
        return shifted(x, 3.0) + 1.0

    assert later(2.0) == 8.0
    assert before.pop("left") == []
    assert [linkage for name, linkage in before.items() if "shifted" in name] == [Linkage.private]
    assert {Linkage.linkonce_odr, Linkage.internal}.isdisjoint(
        before.values()
    )  # the loader would mistake local symbols
