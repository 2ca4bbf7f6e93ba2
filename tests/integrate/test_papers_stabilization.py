"""The two examples of [Geo 5.4]: what a good choice of dependent coordinates is worth, and a conservation law as a row."""

import itertools

import numpy as np
import pytest

import cotree as ct


def lengths(J, M):
    """Delta_C of each coordinate [Geo (67)]: e_i^T J^T (J M^-1 J^T)^-1 J e_i / M_ii."""
    S = J @ np.linalg.solve(M, J.T)
    return np.einsum("ri,rs,si->i", J, np.linalg.inv(S), J) / np.diag(M)


@pytest.fixture(scope="module")
def ridden():
    """(system, q, v) of the snakeboard 2.1 s after its start: axles at 0.29 rad to the board."""
    mech = ct.gallery.snakeboard()
    run = ct.simulate(mech, 2.1, rtol=1e-11, atol=1e-11, output=[2.1])
    return mech.compile(), run.q[0], run.v[0]


def test_the_criterion_differs_at_the_two_levels(ridden):
    """Six holonomic rows at position level, two more at velocity level. Sideways motion of the axles is the difference."""
    system, q, _ = ridden
    M, J = ct.mass_matrix(system, q), ct.constraint_jacobian(system, q)
    position, velocity = lengths(J[system.holonomic], M), lengths(J, M)
    assert position.sum() == pytest.approx(6.0)  # the trace of a projector
    assert velocity.sum() == pytest.approx(8.0)
    assert np.all(velocity > position - 1e-12)
    names = np.array(system.coordinate_names)
    sideways = [system.velocity_index(f"{axle} plane.vy") for axle in ("front", "rear")]
    assert velocity[sideways] == pytest.approx([1.0, 1.0])  # forbidden outright
    assert position[sideways].max() < 0.7
    best = set(names[np.argsort(-position)[:2]])
    assert best == {"front plane.vx", "rear plane.vx"}
    assert best.isdisjoint(names[np.argsort(-velocity)[:4]])


def correction(ridden, dependent=None, t_end=2.4, step=0.005):
    """Integral of dv^T M dv of Euler's method from 2.1 s on; dependent velocity coordinates by criterion, or named."""
    system, q, v = ridden
    named = ct.Partition(velocity=dependent)
    run = ct.simulate(system, (2.1, t_end), q, v, method="euler", step=step, stabilize=named, output=2)
    assert run.status == "done"
    assert run.violation.max() < 1e-12
    return run.statistics["velocity_correction"]


def without(system, name):
    """All coordinates that the constraints can see at all, but one: eight."""
    blind = ("rotor plane.wz", "front plane.wz", "rear plane.wz")
    return [n for n in system.coordinate_names if n != name and n not in blind]


def test_optimal_partition_of_the_snakeboard(ridden):
    """Eight dependent of the nine velocity coordinates that the rows see; the tenth decides. While the wheels are turned all
    of these but the sideways motions of the axles are regular choices. Euler, 5 ms: the paper's 10 ms is where its
    controllers (P 10, D 0.1) become unstable by this method, D/P. Measured from 2.1 s to 2.4 s, in 1e-10 J s: the criterion
    1.49 (it keeps board.vx), rotor.vx 1.85, front.vx 4.97, rear.vx 4.99, board.wz 11.8, board.vy 607, rotor.vy 8.7e5. To
    4 s, where the wheels come straight: 39 by criterion, board.wz 9.8e6. The paper: 0.00003e-5 against 0.47836e-5.
    """
    system, best = ridden[0], correction(ridden)
    kept = {n: correction(ridden, without(system, f"{b} plane.{n}")) for b, n in (("board", "vx"), ("board", "vy"))}
    assert best == pytest.approx(kept["vx"], rel=1e-9)
    assert kept["vy"] > 100 * best
    others = [correction(ridden, without(system, f"{b} plane.vx")) for b in ("rotor", "front", "rear")]
    assert min(others) > best
    assert max(others) < 10 * best
    assert correction(ridden, t_end=4.0) < 1e-4 * correction(ridden, without(system, "board plane.wz"), t_end=4.0)


def test_the_order_of_partitions_does_not_depend_on_the_step(ridden):
    """2 ms: corrections become smaller by about 40 = 2.5^4, their ratio stays."""
    bad = without(ridden[0], "board plane.vy")
    fine, coarse = (correction(ridden, step=h) for h in (0.002, 0.005))
    assert 20 < coarse / fine < 80
    assert correction(ridden, bad, step=0.002) > 100 * fine


def test_choices_that_are_never_regular(ridden):
    """The knife edges forbid the sideways motions of the axles: they cannot be independent."""
    system, q, v = ridden
    for axle in ("front", "rear"):
        named = {"velocity": without(system, f"{axle} plane.vy")}
        run = ct.simulate(system, (2.1, 2.2), q, v, step=0.005, stabilize=ct.Partition(**named))
        assert run.status == "failed"
        assert "are not determined by the constraints" in run.message


def test_angular_momentum_of_the_satellite():
    """Euler, 10 ms, 10 s as in the paper; momentum about the common mass centre, 71.5 N m s. Measured: error 0.11 half-way and
    1.9 at the end without, 1.2e-12 with the conservation law as a row; the energy is alike, off by 1.5 J in both."""
    errors, energies = {}, {}
    for conserve in (False, True):
        mech = ct.gallery.satellite(conserve=conserve)
        run = ct.simulate(mech, 10.0, method="euler", step=0.01, output=21)
        pairs = zip(run.q, run.v, strict=True)
        L = np.array([ct.momentum(run.system, q, v, ct.center_of_mass(run.system, q).position)[2] for q, v in pairs])
        errors[conserve], energies[conserve] = np.abs(L - L[0]), np.abs(run.energy.balance).max()
        assert L[0] == pytest.approx(71.5, abs=0.05)
    assert errors[False][-1] > 1.0
    assert errors[False][-1] > 5 * errors[False][10] > 0.1
    assert all(a < b for a, b in itertools.pairwise(errors[False][[5, 10, 15, 20]]))
    assert errors[True].max() < 1e-10
    assert energies[True] == pytest.approx(energies[False], rel=0.1)


def test_reference_of_the_satellite():
    """The paper's reference keeps energy to 1.1e-9 J and momentum to 1.6e-9: so does a run at 1e-12, without any row."""
    mech = ct.gallery.satellite()
    run = ct.simulate(mech, 10.0, rtol=1e-12, atol=1e-12, output=11)
    pairs = zip(run.q, run.v, strict=True)
    L = np.array([ct.momentum(run.system, q, v, ct.center_of_mass(run.system, q).position)[2] for q, v in pairs])
    assert np.abs(L - L[0]).max() < 3e-9
    assert np.abs(run.energy.balance).max() < 3e-9


@pytest.mark.parametrize("formulation", ["auto", "index1", "projection", "voronets"])
def test_the_row_of_a_conservation_law_does_nothing(formulation):
    """Unprojected it has no force, at any state, also where the momentum is off: the runs are the same to rounding.

    Its direction L^-1 J^T has entries that cancel to zero, or nearly, in most states: none may be taken for another number.
    """
    words = {"method": "euler", "step": 0.01, "stabilize": "none", "output": 11}
    free = ct.simulate(ct.gallery.satellite(), 10.0, **words)
    bound = ct.simulate(ct.gallery.satellite(conserve=True), 10.0, formulation=formulation, **words)
    assert np.abs(free.q - bound.q).max() < 1e-9
    assert np.abs(bound.energy.supplied).max() < 1e-10
