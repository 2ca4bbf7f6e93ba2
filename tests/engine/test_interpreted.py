"""Kernels as plain Python give the same numbers as compiled ones, by every formulation, and in a short run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import cotree as ct

FORMULATIONS = ("index1", "projection", "voronets", "odca")
SCRIPT = """
import json
from tests.engine.test_interpreted import numbers
print(json.dumps(numbers()))
"""


def numbers():
    """Accelerations of a four-bar by every formulation, its mass matrix and residual, and the end of a short run."""
    mech = ct.gallery.four_bar()
    system = mech.compile()
    v = ct.consistent_velocity(system, system.q0, np.ones(system.nv))
    found = [ct.forward_dynamics(system, system.q0, v, formulation=f).v_dot.tolist() for f in FORMULATIONS]
    run = ct.simulate(mech, 0.02, step=0.01, method="rk4", output=[0.02])
    return [*found, ct.mass_matrix(system, system.q0).ravel().tolist(), run.q[-1].tolist(), run.v[-1].tolist()]


def test_the_same_numbers():
    root = Path(__file__).resolve().parents[2]
    path = os.pathsep.join([str(Path(ct.__file__).parents[1]), str(root)])
    environment = {**os.environ, "COTREE_INTERPRETED": "1", "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for interpreted, compiled in zip(json.loads(done.stdout), numbers(), strict=True):
        np.testing.assert_allclose(interpreted, compiled, rtol=1e-9, atol=1e-12)
