"""The folder is loaded without Numba, which only compiled functions need."""

import subprocess
import sys

import pytest

from cotree import lie
from cotree.errors import MissingAttributeError

WITHOUT = """
import sys
import numpy as np
from cotree import lie
assert np.allclose(lie.Ad(lie.inverse(lie.pose(np.eye(3), np.ones(3)))) @ lie.Ad(lie.pose(np.eye(3), np.ones(3))), np.eye(6))
assert "numba" not in sys.modules
assert np.allclose(lie.exp_so3((0, 0, np.pi)), np.diag([-1, -1, 1]))
assert "numba" in sys.modules
"""


def test_numba_is_loaded_when_it_is_needed():
    found = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr


def test_every_name_is_there():
    assert all(callable(getattr(lie, name)) for name in lie.__all__)
    with pytest.raises(MissingAttributeError, match="no attribute 'exp_so4'"):
        _ = lie.exp_so4
