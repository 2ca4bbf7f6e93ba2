"""Stored code: the same results as when compiled, errors raised within it too, and nothing loaded that it does not need."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cotree.engine import stored
from cotree.engine.vectors import inner, product, times, transposed_times

SOURCE = """
import sys
import numpy as np
from numba import njit
from cotree.engine.kernel import kernel

@kernel
def checked(x):
    if x < 0:
        raise ValueError("negative: not allowed")
    return np.sqrt(x)

@kernel
def total(values):
    s = 0.0
    for x in values:
        s += checked(x)
    return s

@njit
def outside(values):
    return total(values) + 1.0
"""
CALL = """
from stored_kernels import *
print(total(np.array([4.0, 9.0])))
try:
    total(np.array([-1.0]))
except ValueError as error:
    print(error)
print("hits", sum(total.stats.cache_hits.values()), "scipy" if "scipy.linalg" in sys.modules else "no scipy")
print(outside(np.array([16.0])), total(np.array([25.0])))
"""


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stored")
    (folder / "stored_kernels.py").write_text(SOURCE)
    root = Path(stored.__file__).resolve().parents[2]
    paths = os.pathsep.join([str(folder), str(root)])
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": paths}
    run = [
        subprocess.run([sys.executable, "-c", CALL], env=environment, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    return [r.stdout.splitlines() for r in run]


def test_stored_code_computes_and_raises_as_compiled_code(lines):
    first, second = lines
    assert first[:2] == second[:2] == ["5.0", "negative: not allowed"]


def test_stored_code_is_loaded_without_the_compiler(lines):
    assert lines[1][2] == "hits 1 no scipy"


def test_stored_code_is_compiled_again_for_linking(lines):
    assert lines[0][3] == lines[1][3] == "5.0 5.0"


def test_products_as_numpy():
    rng = np.random.default_rng(3)
    A, B, x, y = (
        rng.standard_normal((4, 5)),
        rng.standard_normal((5, 3)),
        rng.standard_normal(5),
        rng.standard_normal(4),
    )
    assert np.isclose(inner(x, A[1]), x @ A[1], rtol=1e-14)
    assert np.allclose(product(A, B), A @ B, rtol=1e-14, atol=1e-15)
    assert np.allclose(times(A, x), A @ x, rtol=1e-14, atol=1e-15)
    assert np.allclose(transposed_times(A, y), A.T @ y, rtol=1e-14, atol=1e-15)
    assert inner(x[:0], x[:0]) == 0.0
