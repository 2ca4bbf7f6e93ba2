"""Loops that end in pins of a milligram, as robot files have them: the pins must not be what singularities are judged by."""

import numpy as np
import pytest

import cotree as ct
from cotree.formulations.scaling import MUCH, combinations

Z = (0.0, 0.0, 1.0)
PIN = {"mass": 1e-6, "inertia": (1.6e-11,) * 3}


def folding(angle=0.6, pins=True):
    """Parallelogram that folds flat at each half turn; closed by a weld of two pins, or without them by a hinge."""
    mech = ct.Mechanism("parallelogram with pins", gravity=(0.0, 0.0, 0.0))
    A, D = np.zeros(3), np.array([1.0, 0.0, 0.0])
    B = A + 0.4 * np.array([np.cos(angle), np.sin(angle), 0.0])
    C = B + D
    for name, a, b in (("crank", A, B), ("coupler", B, C), ("rocker", D, C)):
        mech.body(name, mass=1.0, com=(a + b) / 2, inertia=(0.02, 0.02, 0.02), shape=ct.Rod(a, b))
    mech.joint("A", mech.ground, "crank", ct.Revolute(A, Z))
    mech.joint("B", "crank", "coupler", ct.Revolute(B, Z))
    mech.joint("D", mech.ground, "rocker", ct.Revolute(D, Z))
    if not pins:
        mech.joint("C", "coupler", "rocker", ct.Revolute(C, Z))
        return mech
    for name, arm in (("pin1", "coupler"), ("pin2", "rocker")):
        mech.body(name, com=C, **PIN)
        mech.joint(f"C {name}", arm, name, ct.Revolute(C, Z))
    mech.joint("C", "pin1", "pin2", ct.Weld())
    return mech


def spun(mech, **options):
    """The system with its crank at 3 rad/s, and its run over 3.8 s: three times flat."""
    system = mech.compile(cut=["C"], coordinates=options.pop("coordinates", "relative"))
    v = np.zeros(system.nv)
    if "A" in system.coordinate_names:
        for name, rate in (("A", 3.0), ("B", -3.0), ("D", 3.0), ("C pin2", -3.0)):
            if name in system.coordinate_names:
                v[system.velocity_index(name)] = rate
    return system, ct.simulate(system, 3.8, v=v, output=9, **options)


@pytest.mark.parametrize("tolerance", [1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11])
def test_pins_change_nothing(tolerance):
    """theta = theta_0 + 3 t through every fold."""
    system, run = spun(folding(), rtol=tolerance, atol=tolerance)
    assert run.status == "done", run.message
    assert run.violation.max() < 1e-13
    assert run.velocity_violation.max() < 1e-11
    assert len(run.crossings) == 3
    crank = run.q[:, system.velocity_index("A")]
    np.testing.assert_allclose(crank, 3.0 * run.t, atol=max(30 * tolerance, 1e-6))


@pytest.mark.parametrize("options", [
    {"formulation": "index1"}, {"formulation": "projection"}, {"formulation": "voronets"}, {"stabilize": "partition"},
    {"method": "dop853"}, {"method": "rk4", "step": 0.003},
])  # fmt: skip
def test_by_every_way(options):
    system, run = spun(folding(), **options)
    assert run.status == "done", run.message
    assert run.violation.max() < 1e-13
    np.testing.assert_allclose(run.q[:, system.velocity_index("A")], 3.0 * run.t, atol=1e-5)


def test_combinations_are_of_like_length():
    system = folding().compile(cut=["C"])
    T = combinations(system, system.q0)
    J, M = ct.constraint_jacobian(system, system.q0), ct.mass_matrix(system, system.q0)
    before, after = (np.linalg.svd(X @ np.linalg.inv(np.linalg.cholesky(M)).T, compute_uv=False) for X in (J, T @ J))
    assert before[0] > 1e4 * before[-1]
    assert after[0] < 10 * after[-1]
    assert np.linalg.matrix_rank(T) == len(J)


def test_combinations_where_one_has_just_vanished():
    """Started flat: what has vanished there is not taken for short."""
    flat = folding(0.0).compile(cut=["C"])
    T = combinations(flat, flat.q0)
    bent = folding(0.6).compile(cut=["C"])
    assert np.linalg.norm(T, axis=1).max() == pytest.approx(
        np.linalg.norm(combinations(bent, bent.q0), axis=1).max(), rel=3.1
    )
    _, run = spun(folding(0.0))
    assert run.status == "done"


@pytest.mark.parametrize("name", ["four_bar", "bennett", "bricard", "sarrus", "n_four_bar", "stewart", "three_prrr"])
def test_ordinary_mechanisms_are_left_alone(name):
    system = ct.gallery.named(name).compile()
    assert combinations(system, system.q0) is None
    assert MUCH >= 1e3


def test_multipliers_are_those_of_the_rows():
    """What a run holds of constraint forces is what forward dynamics finds without combining rows."""
    system, run = spun(folding(), rtol=1e-10, atol=1e-10)
    found = run.reactions("A")[-1]
    alone = ct.forward_dynamics(system, run.q[-1], run.v[-1]).reactions["A"]
    np.testing.assert_allclose(found, alone, rtol=1e-6, atol=1e-8)
