"""A kind of force element from outside the package's tree, through everything that forces go through."""

import pickle
from dataclasses import dataclass

import numpy as np
import pytest

import cotree as ct
from cotree.errors import DocumentError, ForceError
from cotree.model.forces import ForceElement
from cotree.system.force_kinds import FORCE_KINDS, ForceKind, register

from .attraction import KIND, Attraction

FORMULATIONS = ("index1", "projection", "voronets", "odca")
K, C, P, Q = 3.0, 0.7, (2.4, 1.5, 0.1), (0.3, 0.6, 0.2)


def four_bar(with_force: bool = True) -> ct.Mechanism:
    mech = ct.gallery.four_bar()
    if with_force:
        mech.add(Attraction("pull", "ground", (1.0, 2.0, 0.3), "coupler", P, K, C))
        mech.add(Attraction("pair", "crank", Q, "rocker", (2.5, 0.5, 0.1), K, C))
    return mech


def by_hand(system: ct.System, q: np.ndarray, v: np.ndarray) -> tuple[float, np.ndarray]:
    """Energy and generalized force from poses, twists and Jacobians."""
    total, tau = 0.0, np.zeros(system.nv)
    T, V = ct.poses(system, q), ct.twists(system, q, v, "spatial")
    for f in system.mechanism.elements.values():
        a, b = system.row_of(f.body_a), system.row_of(f.body_b)
        x, y = (T[k][:3, :3] @ p + T[k][:3, 3] for k, p in ((a, f.point_a), (b, f.point_b)))
        r = np.linalg.norm(y - x)
        e = (y - x) / r
        rate = e @ (V[b, 3:] + np.cross(V[b, :3], y) - V[a, 3:] - np.cross(V[a, :3], x))
        force = -(K / r**2 + C * rate) * e
        J = [np.zeros((6, system.nv)) if k == 0 else ct.spatial_jacobian(system, q, k) for k in (a, b)]
        tau += J[1].T @ np.append(np.cross(y, force), force) - J[0].T @ np.append(np.cross(x, force), force)
        total -= K / r
    return total, tau


@pytest.fixture(scope="module")
def moving():
    system, rng = four_bar().compile(), np.random.default_rng(4)
    q = ct.assemble(system, system.q0 + 0.2 * rng.standard_normal(system.nv))
    return system, q, ct.consistent_velocity(system, q, 3.0 * rng.standard_normal(system.nv))


def test_wrench_and_energy(moving):
    system, q, v = moving
    bare, zero = four_bar(with_force=False).compile(), np.zeros(system.nv)
    energy, tau = by_hand(system, q, v)
    np.testing.assert_allclose(
        ct.inverse_dynamics(bare, q, v, zero) - ct.inverse_dynamics(system, q, v, zero), tau, rtol=1e-11
    )
    assert ct.energy(system, q, v).potential - ct.energy(bare, q, v).potential == pytest.approx(energy, rel=1e-12)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_forward_dynamics_and_reactions(moving, formulation):
    system, q, v = moving
    bare = four_bar(with_force=False).compile()
    tau = by_hand(system, q, v)[1]
    found = ct.forward_dynamics(system, q, v, formulation=formulation)
    same = ct.forward_dynamics(bare, q, v, tau, formulation=formulation)
    np.testing.assert_allclose(found.v_dot, same.v_dot, rtol=1e-9)
    # body by body: the coupler's momentum changes by its weight, its joints and the pull
    pose, V = ct.poses(system, q), ct.twists(system, q, v, "spatial")
    k = system.row_of("coupler")
    body = system.mechanism.bodies["coupler"].properties
    A = ct.accelerations(system, q, v, found.v_dot, frame="spatial")[k]
    c = pose[k][:3, :3] @ body.com + pose[k][:3, 3]
    w, u = V[k, :3], V[k, 3:]
    a = A[3:] + np.cross(A[:3], c) + np.cross(w, u + np.cross(w, c))
    x, y = np.array([1.0, 2.0, 0.3]), pose[k][:3, :3] @ P + pose[k][:3, 3]
    r = np.linalg.norm(y - x)
    rate = (y - x) / r @ (u + np.cross(w, y))
    pull = -(K / r**2 + C * rate) * (y - x) / r
    joints = found.reactions["B"][3:] - found.reactions["C"][3:]
    np.testing.assert_allclose(body.mass * (a - system.mechanism.gravity), joints + pull, atol=1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_the_energy_of_a_run_balances(formulation):
    run = ct.simulate(four_bar(), 0.5, formulation=formulation, rtol=1e-10, atol=1e-10)
    lost = run.energy.total[0] - run.energy.total[-1]
    assert lost > 0.1
    books = run.energy
    assert abs(books.total[-1] - books.total[0] - books.supplied[-1] + books.dissipated[-1]) < 1e-7
    free = ct.simulate(four_bar(with_force=False), 0.5)
    assert np.abs(free.q[-1] - run.q[-1]).max() > 1e-2


def test_copies(moving):
    system, q, v = moving
    again = pickle.loads(pickle.dumps(system))
    assert again.elements.kinds[0][0] is KIND
    np.testing.assert_array_equal(ct.forward_dynamics(again, q, v).v_dot, ct.forward_dynamics(system, q, v).v_dot)


def test_files_refuse_it_by_name(tmp_path):
    mech = ct.gallery.planar_3r()
    mech.add(Attraction("pull", "ground", (0, 0, 1), list(mech.bodies)[2], (0, 0, 0), K))
    for suffix in (".json", ".yaml", ".toml", ".urdf", ".xml"):
        with pytest.raises(DocumentError, match="'pull'"):
            ct.save(mech, tmp_path / f"arm{suffix}")


def test_what_is_refused():
    mech = four_bar()
    with pytest.raises(ct.errors.DuplicateNameError, match="attraction 'pull' exists already"):
        mech.add(mech.elements["pull"])
    with pytest.raises(ct.errors.UnknownNameError, match="no body 'nobody'"):
        mech.add(Attraction("other", "nobody", P, "crank", Q, K))

    @dataclass(frozen=True, eq=False)
    class Nothing(ForceElement):
        name: str

    mech.add(Nothing("n"))
    with pytest.raises(ForceError, match="no kind for force elements of class Nothing"):
        mech.compile()
    with pytest.raises(ForceError, match="lacks the field 'piece'"):
        register(ForceKind(Nothing, np.dtype([("row", "i8")]), KIND.wrenches, KIND.energy, KIND.power, KIND.fill))
    assert Nothing not in FORCE_KINDS
