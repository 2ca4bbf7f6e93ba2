"""Compiled code that comes with the package: used where it fits, passed over where anything is different."""

import json

import pytest
from llvmlite import binding
from numba import types
from numba.core.registry import cpu_target

from cotree.engine import packaged
from cotree.engine.cache import _NoStore
from cotree.engine.kernel import kernel
from cotree.engine.packaged import MADE_FOR, made_for, versions
from cotree.engine.vectors import fill

MAGIC = ["a triple", "a processor", "+features"]
HERE = {"versions": versions(), "features": [], "magic": MAGIC}


def written(folder, given):
    (folder / MADE_FOR).write_text(given if isinstance(given, str) else json.dumps(given))
    return made_for(folder)


def test_code_that_fits(tmp_path):
    usual = [name for name, there in binding.get_host_cpu_features().items() if there]
    assert written(tmp_path, {**HERE, "features": usual}) == tuple(MAGIC)


OTHERS = {
    "Numba": {**HERE, "versions": {**versions(), "numba": "0.1"}},
    "llvmlite": {**HERE, "versions": {**versions(), "llvmlite": "0.1"}},
    "Python": {**HERE, "versions": {**versions(), "python": [2, 7]}},
    "machine": {**HERE, "versions": {**versions(), "machine": "abacus"}},
    "instructions": {**HERE, "features": ["instructions of the future"]},
    "nothing said": {},
    "damaged": "{",
}


@pytest.mark.parametrize("given", OTHERS.values(), ids=OTHERS)
def test_code_that_does_not_fit(tmp_path, given):
    assert written(tmp_path, given) is None


def test_no_code(tmp_path):
    assert made_for(tmp_path) is None


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A package that carries the code of `fill`, made for the processor of this machine."""
    monkeypatch.setattr(packaged, "FOLDER", tmp_path)
    magic = cpu_target.target_context.codegen().magic_tuple()
    written(tmp_path, {**HERE, "magic": magic})
    store(kernel(fill.py_func), tmp_path)
    return tmp_path


def store(compiled, folder):
    compiled._cache._cache_path = compiled._cache._cache_file._cache_path = str(folder)
    file = compiled._cache._cache_file
    file._index_path = str(folder / file._index_name)
    compiled.compile(SIGNATURE)
    assert list(folder.glob("*fill*.nbc"))


SIGNATURE = (types.float32[::1], types.float32)  # nothing in the package asks for it


def without_a_store():
    compiled = kernel(fill.py_func)
    compiled._cache = _NoStore(fill.py_func, compiled.targetoptions)
    return compiled


def test_it_is_used_where_none_is_stored(folder):
    compiled = without_a_store()
    compiled.compile(SIGNATURE)
    assert sum(compiled.stats.cache_hits.values()) == 1


def test_it_counts_as_there(folder, tmp_path):
    compiled = kernel(fill.py_func)
    empty = tmp_path / "empty"
    empty.mkdir()
    compiled._cache._cache_file._index_path = str(empty / "none.nbi")
    assert compiled._cache.has(SIGNATURE)
    assert not compiled.is_missing(SIGNATURE)


def test_it_is_passed_over_where_it_does_not_fit(folder):
    made_for.cache_clear()
    written(folder, OTHERS["instructions"])
    compiled = without_a_store()
    compiled.compile(SIGNATURE)
    assert sum(compiled.stats.cache_hits.values()) == 0


@pytest.fixture(autouse=True)
def _forget():
    made_for.cache_clear()
    yield
    made_for.cache_clear()
