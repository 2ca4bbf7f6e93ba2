"""A kind of constraint from outside the package's tree, through everything that rows go through."""

import pickle
from dataclasses import dataclass

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ConstraintError, DocumentError
from cotree.model.constraints import Constraint
from cotree.system.row_kinds import ROW_KINDS, RowKind, register

from .slot import KIND, Slot, slot_t

N, P, X = np.array([0.6, 0.0, 0.8]), np.array([1.0, 0.1, 0.5]), np.array([2.2, 0.3, 0.5])
FORMULATIONS = ("index1", "projection", "voronets", "odca")


def arm(constraint: bool = True) -> ct.Mechanism:
    """A turning arm that carries the plane, and a body on three joints whose point slides in it."""
    mech = ct.Mechanism("slot", gravity=(0.5, 0.3, -9.81))
    a = mech.body("a", 1.5, (0.5, 0.1, 0.4), (0.1, 0.2, 0.15))
    b, c = (
        mech.body("b", 1.0, (2.5, 0.2, 0.3), (0.1, 0.1, 0.2)),
        mech.body("c", 0.8, (2.1, 0.4, 0.6), (0.05, 0.06, 0.07)),
    )
    mech.joint("A", mech.ground, a, ct.Revolute((0, 0, 0), (0, 0.2, 1)))
    mech.joint("B", mech.ground, b, ct.Revolute((3, 0, 0), (0.3, 1, 0)))
    mech.joint("C", b, c, ct.Spherical((2.3, 0.2, 0.4)))
    if constraint:
        offset = P + np.cross(N, (0.0, 1.0, 0.0))
        mech.add(Slot("pin", "a", offset - N * (N @ (offset - X)), N, "c", X))
    return mech


def by_hand(system: ct.System, q: np.ndarray) -> tuple[float, np.ndarray]:
    """Gap and row from poses and Jacobians alone."""
    (A, C), home = (ct.poses(system, q)[system.row_of(n)] for n in "ac"), system.mechanism.constraints["pin"]
    p, n, x = A[:3, :3] @ home.plane_point + A[:3, 3], A[:3, :3] @ home.normal, C[:3, :3] @ X + C[:3, 3]
    W = np.append(np.cross(x, n), n)
    return n @ (x - p), W @ (ct.spatial_jacobian(system, q, "c") - ct.spatial_jacobian(system, q, "a"))


@pytest.fixture(scope="module")
def moving():
    system = arm().compile()
    rng = np.random.default_rng(3)
    q = ct.assemble(system, ct.displace(system, system.q0, 0.3 * rng.standard_normal(system.nv)))
    return system, q, ct.consistent_velocity(system, q, rng.standard_normal(system.nv))


def test_gap_jacobian_and_bias(moving):
    system, q, v = moving
    off = ct.displace(system, q, 0.2 * np.ones(system.nv))
    gap, row = by_hand(system, off)
    np.testing.assert_allclose(ct.constraint_residual(system, off), [gap], rtol=1e-13)
    np.testing.assert_allclose(ct.constraint_jacobian(system, off), [row], atol=1e-13)
    h = 1e-4
    ends = [by_hand(system, ct.displace(system, q, s * h * v))[1] @ v for s in (-2, -1, 1, 2)]
    slope = (ends[0] - 8 * ends[1] + 8 * ends[2] - ends[3]) / (12 * h)
    np.testing.assert_allclose(ct.constraint_bias(system, q, v), [-slope], rtol=1e-9)


def test_all_formulations_and_the_balance_of_each_body(moving):
    system, q, v = moving
    found = [ct.forward_dynamics(system, q, v, formulation=f) for f in FORMULATIONS]
    for one in found:
        np.testing.assert_allclose(one.v_dot, found[0].v_dot, atol=1e-10)
        np.testing.assert_allclose(one.multipliers, found[0].multipliers, rtol=1e-9)
    row, eta = ct.constraint_jacobian(system, q), ct.constraint_bias(system, q, v)
    np.testing.assert_allclose(row @ found[0].v_dot, eta, atol=1e-11)
    push = found[0].constraint_forces["pin"].wrenches
    np.testing.assert_allclose(push["c"], -push["a"])
    # what joint C transmits and the pin together give body c its momentum
    x, W, h = found[0], push["c"], 1e-5
    run = ct.simulate(system, h, q=q, v=v, rtol=1e-12, atol=1e-12)
    p = [body_momentum(system, q, v), body_momentum(system, run.q[-1], run.v[-1])]
    weight = 0.8 * np.array([0.5, 0.3, -9.81])
    np.testing.assert_allclose((p[1] - p[0]) / h, (x.reactions["C"] + W)[3:] + weight, rtol=1e-3, atol=1e-3)


def body_momentum(system, q, v):
    pose, V = ct.poses(system, q)[system.row_of("c")], ct.twists(system, q, v, "spatial")[system.row_of("c")]
    x = pose[:3, :3] @ (2.1, 0.4, 0.6) + pose[:3, 3]
    return 0.8 * (V[3:] + np.cross(V[:3], x))


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
def test_a_run_keeps_it_and_its_energy(moving, formulation, coordinates):
    run = ct.simulate(arm().compile(coordinates=coordinates), 0.3, formulation=formulation, rtol=1e-9, atol=1e-9)
    assert run.status == "done"
    assert run.violation.max() < 1e-9
    assert np.ptp(run.energy.total) < 1e-6 * np.ptp(run.energy.kinetic)
    free = ct.simulate(arm(constraint=False).compile(coordinates=coordinates), 0.3)
    assert np.abs(free.q[-1] - run.q[-1]).max() > 1e-3  # it does something


def test_copies_switches_and_mobility(moving):
    system, q, _ = moving
    again = pickle.loads(pickle.dumps(system))
    assert again.extra_rows.kinds[0][0] is KIND
    np.testing.assert_array_equal(ct.constraint_jacobian(again, q), ct.constraint_jacobian(system, q))
    assert ct.mobility(system).differential == ct.mobility(arm(constraint=False)).differential - 1
    free = arm(constraint=False).compile()
    loose = ct.transition(free, free.q0, np.zeros(free.nv), activate=["A"])
    assert loose.energy_loss == 0.0


def test_files_refuse_it_by_name(tmp_path):
    mech = ct.gallery.planar_3r()
    a, b = list(mech.bodies)[1:]
    mech.add(Slot("pin", a, P, N, b, X))
    for suffix in (".json", ".yaml", ".toml", ".urdf", ".xml"):
        with pytest.raises(DocumentError, match="'pin'"):
            ct.save(mech, tmp_path / f"slot{suffix}")


def test_what_is_refused():
    mech = arm()
    with pytest.raises(ct.errors.ModelError, match=r"mech\.add takes a constraint or a force element"):
        mech.add(3)
    with pytest.raises(ct.errors.DuplicateNameError, match="slot 'pin' exists already"):
        mech.add(mech.constraints["pin"])
    with pytest.raises(ct.errors.UnknownNameError, match="no body 'd'"):
        mech.add(Slot("other", "d", P, N, "c", X))

    @dataclass(frozen=True, eq=False)
    class Nothing(Constraint):
        name: str
        word: str = "nothing"
        rows, holonomic = 1, (True,)

    mech.add(Nothing("n"))
    with pytest.raises(ConstraintError, match="no kind of row for constraints of class Nothing"):
        mech.compile()
    with pytest.raises(ConstraintError, match="lacks the fields 'row' and 'piece'"):
        register(RowKind(Nothing, np.dtype([("row", "i8")]), KIND.gaps, KIND.wrenches, KIND.rates, KIND.fill))
    assert Nothing not in ROW_KINDS
    assert slot_t.names is not None
