"""Copying, filling and ordering as in NumPy."""

import numpy as np
import pytest

from cotree.engine.vectors import copy_rows, stable_order


@pytest.mark.parametrize("keys", [[], [0], [3, 0, 3, 1, 0, 3], [5, 4, 3, 2, 1, 0], [7, 7, 7]])
def test_stable_order(keys):
    keys = np.array(keys, dtype=np.int64)
    assert stable_order(keys).tolist() == np.argsort(keys, kind="stable").tolist()


def test_copy_rows():
    A, B = np.arange(6.0).reshape(2, 3), np.zeros((2, 3))
    copy_rows(A, B)
    assert (A == B).all()
