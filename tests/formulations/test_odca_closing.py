"""Closed configurations and admissible velocities by division: the same as with matrices."""

import numpy as np
import pytest

import cotree as ct
from cotree.constraints import assembly
from cotree.formulations.odca import closing
from tests.formulations.test_odca_hubs import planets, plate


@pytest.fixture
def divided(monkeypatch):
    """Let systems of any size be divided; what is found with matrices is an error."""
    monkeypatch.setattr(assembly, "DIVIDED_LARGE", 0)
    monkeypatch.setattr(closing, "divides_large", lambda system: True)
    monkeypatch.setattr(assembly, "descend", lambda *_: pytest.fail("matrices were used"))
    monkeypatch.setattr(assembly, "_nearest", lambda *_: pytest.fail("matrices were used"))


SYSTEMS = {
    "ladder": lambda: ct.gallery.n_four_bar(6).compile(),
    "plate": lambda: plate(4).compile(),
    "planets": lambda: planets(10).compile(),
    "bennett": lambda: ct.gallery.bennett().compile(),
    "absolute": lambda: ct.gallery.four_bar().compile(coordinates="absolute"),
}


def near(system, size=0.01):
    rng = np.random.default_rng(4)
    return ct.displace(system, system.q0, size * rng.standard_normal(system.nv)), rng.standard_normal(system.nv)


@pytest.mark.parametrize("name", SYSTEMS)
def test_velocities_are_those_of_matrices(name, request):
    system = SYSTEMS[name]()
    q, v = ct.assemble(system, near(system)[0]), near(system)[1]
    want = ct.consistent_velocity(system, q, v)
    request.getfixturevalue("divided")
    assert ct.consistent_velocity(system, q, v) == pytest.approx(want, abs=1e-10)


@pytest.mark.parametrize("name", [name for name in SYSTEMS if name != "bennett"])
def test_configurations_are_closed(name, divided):
    system = SYSTEMS[name]()
    q = near(system)[0]
    found = ct.assemble(system, q)
    assert np.abs(ct.constraint_residual(system, found, regularized=False)).max() < 1e-12
    assert np.abs(found - q).max() < 0.2


def test_a_step_is_shortest_in_the_metric_of_mass(divided):
    """To first order: M x is a combination of the rows."""
    system = SYSTEMS["ladder"]()
    q = near(system, 1e-5)[0]
    x = ct.assemble(system, q) - q
    J, M = ct.constraint_jacobian(system, q), ct.mass_matrix(system, q)
    lam = np.linalg.lstsq(J.T, M @ x, rcond=None)[0]
    assert np.abs(J.T @ lam - M @ x).max() < 1e-3 * np.abs(M @ x).max()


def test_what_is_fixed_stays(request):
    system = SYSTEMS["ladder"]()
    q, v = near(system)
    name = system.v_names[3]
    closed = ct.assemble(system, q, fixed=[name])
    want = ct.consistent_velocity(system, closed, v, fixed=[name])
    request.getfixturevalue("divided")
    found = ct.assemble(system, q, fixed=[name])
    assert found[3] == q[3]
    assert np.abs(ct.constraint_residual(system, found)).max() < 1e-12
    rates = ct.consistent_velocity(system, closed, v, fixed=[name])
    assert rates == pytest.approx(want, abs=1e-10)
    assert rates[3] == pytest.approx(v[3], abs=1e-12)
    assert ct.assemble(system, {name: 0.1})[3] == 0.1


def test_drivers_and_rows_that_depend_on_others(request):
    """A gear that is there twice, and a driver: the velocity is that of the driver."""
    mech = planets(9)
    mech.coupling("again", {"S": 1.0, "C": -3.0, "P4": 2.0})
    mech.drive("turn", "C", lambda t: 0.5 * t)
    system = mech.compile()
    want = ct.consistent_velocity(system, system.q0, np.ones(system.nv))
    request.getfixturevalue("divided")
    found = ct.consistent_velocity(system, system.q0, np.ones(system.nv))
    assert found == pytest.approx(want, abs=1e-10)
    assert found[system.v_index("C")] == pytest.approx(0.5, abs=1e-8)


def test_singular_configurations_are_left_to_matrices(divided):
    """Where all lies flat, which motion goes on is not for division to say; the result is that with matrices."""
    flat = ct.gallery.n_four_bar(3, angle=0.0).compile()
    v = np.arange(1.0, 1.0 + flat.nv)
    assert closing.admissible(flat, flat.q0, v, [], 0.0) is None


def test_open_loops_that_cannot_be_closed_are_left_to_matrices(divided):
    """Whose error names what contradicts what."""
    mech = ct.gallery.n_four_bar(3)
    mech.drive("one", "A0", lambda t: 0.1)
    mech.drive("two", "A1", lambda t: 0.2)
    system = mech.compile()
    assert closing.closed(system, system.q0, [], 0.0) is None


def test_a_ball_joint_that_is_held_is_left_to_matrices(divided):
    system = plate(4).compile()
    assert closing.closed(system, system.q0, [0], 0.0) is None
    assert closing.admissible(system, system.q0, np.zeros(system.nv), [0], 0.0) is None
