"""Many bodies: no matrix grows with their number, nothing is lost on long chains."""

import os
import subprocess
import sys

import mpmath as mp
import numpy as np
import pytest

import cotree as ct
from cotree.formulations.odca.build import divide
from cotree.formulations.odca.division import division
from tests.dynamics.test_large import large
from tests.random_mechanisms import relative_error

from .test_odca import ladder_acceleration

BYTES = {"chain": 4500, "tree": 3500, "ladder": 1600}  # of all tables, per body


@pytest.mark.parametrize("shape", ["chain", "tree"])
def test_trees_of_thousands(shape):
    """Against articulated bodies. 20,000 bodies in a chain were seen to differ by 3e-12, in a tree by 1e-13."""
    n = 5000
    system, rng = large(shape, n), np.random.default_rng(0)
    q, v, tau = 0.3 * rng.normal(size=n), 0.1 * rng.normal(size=n), rng.normal(size=n)
    expected = ct.forward_dynamics(system, q, v, tau).v_dot
    found = ct.forward_dynamics(system, q, v, tau, formulation="odca")
    assert relative_error(found.v_dot, expected) < 1e-11
    assert found.rank == 0
    d = division(system)
    assert d.memory < BYTES[shape] * n
    assert d.plan.depth <= 2 * np.log2(n) + 4


def test_ladder_of_a_thousand():
    n = 1000
    mech = ct.gallery.n_four_bar(n, angle=0.7)
    system = mech.compile()
    found = ct.forward_dynamics(system, system.q0, mech.v_start, formulation="odca")
    assert np.abs(found.v_dot - ladder_acceleration(n, 0.7) * mech.v_start).max() < 1e-10
    assert found.rank == 2 * n
    d = division(system)
    assert d.memory < BYTES["ladder"] * system.n_bodies
    assert d.plan.widest <= 6
    assert d.plan.depth <= 2 * np.log2(system.n_bodies) + 4


def test_memory_is_proportional():
    for make in (lambda n: large("chain", n), lambda n: ct.gallery.n_four_bar(n, angle=1.0).compile()):
        small, big = (divide(make(n)).memory for n in (100, 400))
        assert big < 4.2 * small


def pendulum_acceleration(angles, rates):
    """n uniform rods of 1 m and 1 kg in the plane, joint angles and rates, in 50 digits from Lagrange's equations."""
    n = len(angles)
    with mp.workdps(50):
        a, w = [mp.mpf(float(x)) for x in angles], [mp.mpf(float(x)) for x in rates]
        for i in range(1, n):
            a[i], w[i] = a[i] + a[i - 1], w[i] + w[i - 1]
        M, f = mp.matrix(n, n), mp.matrix(n, 1)
        for i in range(n):
            f[i] = -mp.mpf(9.81) * (n - i - mp.mpf(1) / 2) * mp.cos(a[i])
            for j in range(n):
                m = n - max(i, j) - (mp.mpf(2) / 3 if i == j else mp.mpf(1) / 2)
                M[i, j] = m * mp.cos(a[i] - a[j])
                f[i] -= m * mp.sin(a[i] - a[j]) * w[j] ** 2
        x = mp.lu_solve(M, f)
        return np.array([float(x[i] - (x[i - 1] if i else 0)) for i in range(n)])


def planar_chain(n):
    mech, before = ct.Mechanism("chain", gravity=(0, -9.81, 0)), "ground"
    for i in range(n):
        mech.body(f"b{i}", 1.0, (i + 0.5, 0, 0), (1, 1, 1 / 12))
        mech.joint(f"j{i}", before, f"b{i}", ct.Revolute((i, 0, 0), (0, 0, 1)))
        before = f"b{i}"
    return mech.compile()


@pytest.mark.parametrize("bend", [0.0, 1e-3, 1.0])
def test_long_chains_lose_no_digits(bend):
    """Straight or bent, against 50 digits. At 80 rods: odca 1e-14, articulated bodies 6e-14, the mass matrix 2e-10."""
    n, rng = 30, np.random.default_rng(1)
    system, q, v = planar_chain(n), bend * rng.normal(size=n), rng.normal(size=n)
    expected = pendulum_acceleration(q, v)
    errors = {
        name: np.abs(ct.forward_dynamics(system, q, v, formulation=name).v_dot - expected).max()
        / np.abs(expected).max()
        for name in ("odca", "auto", "index1")
    }
    assert errors["odca"] < 1e-13
    assert errors["odca"] < 3 * errors["auto"] + 1e-15
    assert errors["odca"] < errors["index1"]


STARTED = """
import os
import numba
from cotree.formulations.odca.threads import start_threads
start_threads()
print(numba.threading_layer(), os.environ.get("GOMP_SPINCOUNT"))
"""


@pytest.mark.parametrize(("given", "spins", "left"), [({}, "1000", "None"), ({"GOMP_SPINCOUNT": "77"}, "77", "77")])
def test_threads_that_wait_spin_briefly(given, spins, left):
    """OpenMP is asked for its settings; what the user has set stays, and the environment too."""
    environment = {k: x for k, x in os.environ.items() if k not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
    environment |= {"OMP_DISPLAY_ENV": "verbose", "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **given}
    done = subprocess.run([sys.executable, "-c", STARTED], env=environment, capture_output=True, text=True, check=True)
    if done.stdout.split()[0] != "omp" or "GOMP_SPINCOUNT" not in done.stderr:
        pytest.skip("the threads are not those of GNU's OpenMP")
    assert f"GOMP_SPINCOUNT = '{spins}'" in done.stderr
    assert done.stdout.split()[1] == left
