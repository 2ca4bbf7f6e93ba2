"""Verdicts do not depend on rounding: the same counts and words with kernels of OpenBLAS and NumPy for other processors."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cotree.constraints.rank import settled_basis
from tests.constraints.verdicts import verdicts
from tools.arithmetic import counts, main, plain_numpy, variants

ROOT = Path(__file__).resolve().parents[2]
OTHERS = {
    "AVX2": {"OPENBLAS_CORETYPE": "Haswell"},
    "SSE": {"OPENBLAS_CORETYPE": "Nehalem", "NPY_DISABLE_CPU_FEATURES": plain_numpy()},
}


@pytest.fixture(scope="module")
def own():
    return verdicts()


@pytest.mark.parametrize("other", OTHERS)
def test_verdicts_are_those_of_this_processor(own, other):
    command = [sys.executable, "-m", "tests.constraints.verdicts"]
    path = os.pathsep.join(sys.path)
    environment = {**os.environ, "PYTHONPATH": path, **OTHERS[other]}
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    assert json.loads(done.stdout) == own


def test_a_basis_that_rounding_does_not_turn():
    """Of the same span the same basis, whichever is given."""
    rng = np.random.default_rng(0)
    N = np.linalg.qr(rng.standard_normal((9, 4)))[0]
    turned = N @ np.linalg.qr(rng.standard_normal((4, 4)))[0]
    basis = settled_basis(N)
    assert np.abs(basis - settled_basis(turned)).max() < 1e-13
    assert np.abs(basis.T @ basis - np.eye(4)).max() < 1e-14
    assert np.abs(N @ (N.T @ basis) - basis).max() < 1e-14
    assert settled_basis(np.zeros((3, 0))).shape == (3, 0)


def test_table_of_other_arithmetic(capsys):
    """`make arithmetic`: what pytest says is counted, and unknown variants are refused."""
    assert counts("== 2 failed, 31 passed, 4 skipped, 1 error in 3.4s ==") == (31, 3, 4)
    assert counts("no tests ran") == (0, 0, 0)
    assert {"as is", "Haswell", "Nehalem", "Zen", "x86-64-v2", "x86-64-v3", "plain NumPy", "load"} == variants().keys()
    assert variants()["x86-64-v2"] == {"NUMBA_CPU_NAME": "x86-64-v2", "NUMBA_CPU_FEATURES": ""}
    with pytest.raises(SystemExit):
        main(["--variants", "abacus"])
    assert "no variant 'abacus'" in capsys.readouterr().err
