"""Assembly, velocities and mobility with drivers and other rows."""

import numpy as np
import pytest

import cotree as ct
from tests.constraints.rigs import acceleration, four_bar, random_state, same_in_absolute, two_joints
from tests.constraints.test_rolling import ball


@pytest.mark.parametrize("kinds", [{"cut": ["C"]}, {"cut": ["A"]}, {"coordinates": "absolute"}])
def test_assembly_follows_a_driver(kinds):
    mech = four_bar()
    mech.drive("motor", "A", lambda t: 0.3 * t)
    system = mech.compile(**kinds)
    for t in (0.0, 0.5, 1.0):
        q = ct.assemble(system, system.q0, t=t)
        crank = ct.poses(system, q)[system.row_of("crank")]
        assert np.arctan2(crank[1, 0], crank[0, 0]) == pytest.approx(0.3 * t, abs=1e-10)
        assert np.abs(ct.constraint_residual(system, q, t, regularized=False)).max() < 1e-10
        v = ct.consistent_velocity(system, q, np.zeros(system.nv), t)
        assert ct.twists(system, q, v)[system.row_of("crank")][2] == pytest.approx(0.3, abs=1e-10)


def test_assembly_leaves_velocity_rows_alone():
    """A ball is lowered to the plane; the tangential rows, which hold velocities, do not keep it from moving aside."""
    mech = ball()
    mech.distance("rod", "ground", (0, 0, 1), "ball", (0, 0, 0.4), length=1.0)
    system = mech.compile(group="SO3xR3")
    q = ct.displace(system, system.q0, [0, 0, 0, 0.1, 0, 0.3])
    found = ct.assemble(system, q)
    assert np.abs(ct.constraint_residual(system, found)).max() < 1e-12
    centre = ct.poses(system, found)[1][:3] @ [0, 0, 0.4, 1]
    assert [np.hypot(*centre[:2]), centre[2]] == pytest.approx([0.8, 0.4], abs=1e-9)


def test_velocities_are_nearest_in_the_metric_of_mass():
    mech = two_joints()
    mech.coupling("c", {"j0": 1.0, "j1": 2.0}, offset=lambda t: 0.5 * t)
    system = mech.compile()
    q, v = random_state(system, 20)
    u = ct.consistent_velocity(system, q, v)
    assert u @ [1.0, 2.0] == pytest.approx(0.5, abs=1e-10)
    assert (ct.mass_matrix(system, q) @ (u - v)) @ [2.0, -1.0] == pytest.approx(0.0, abs=1e-10)


def test_driven_mobility():
    free, driven = four_bar(), four_bar()
    driven.drive("motor", "A", 0.1)
    a, b = ct.mobility(free), ct.mobility(driven)
    assert (a.local, a.differential, a.regularized, a.extra_rows, a.redundant) == (1, 1, 1, 0, ())
    assert (b.local, b.differential, b.regularized, b.extra_rows, b.redundant) == (0, 0, 0, 1, ())
    assert b.grubler == a.grubler - 1
    assert a.kind == b.kind
    assert "all motion is prescribed by drivers" in str(b)
    assert "1 constraint equation of drivers" in str(b)
    assert "of drivers" not in str(a)


def test_mobility_at_a_time():
    mech = four_bar()
    mech.distance("rope", "coupler", (1.5, 1.1, 0), "ground", (0, 3, 0), length=lambda t: 2.3 + 0.1 * t)
    assert ct.mobility(mech, t=1.0).local == 0


def test_a_driver_twice_is_redundant_and_changes_nothing():
    mech = four_bar()
    mech.drive("motor", "A", lambda t: 0.2 * t)
    mech.drive("again", "A", lambda t: 0.2 * t)
    system = mech.compile(cut=["C"])
    assert ct.redundant_rows(system, system.q0) == ("again",)
    assert ct.mobility(system).redundant == ("again",)
    q = ct.assemble(system, system.q0, t=0.5)
    v = ct.consistent_velocity(system, q, np.zeros(3), 0.5)
    assert acceleration(system, q, v, 0.5)[system.velocity_index("A")] == pytest.approx(0.0, abs=1e-9)
    same_in_absolute(mech, q, v, 0.5, cut=["C"])


def test_redundant_rows_of_a_loop_kept_in_full():
    system = four_bar().compile(cut=["C"], regularize=False)
    assert len(ct.redundant_rows(system, system.q0)) == 3
    assert all(name.startswith("C[") for name in ct.redundant_rows(system, system.q0))


@pytest.mark.parametrize("kinds", [{"cut": ["C"]}, {"coordinates": "absolute"}])
def test_a_driver_beyond_reach_names_itself_and_the_loop(kinds):
    mech = four_bar()
    mech.drive("motor", "A", 2.5)
    system = mech.compile(**kinds)
    with pytest.raises(
        ct.errors.AssemblyError, match=r"drive 'motor' and (loop 1, cut at )?joint '.*contradict each other"
    ):
        ct.assemble(system, system.q0)


def test_two_drivers_that_contradict_each_other():
    mech = two_joints()
    mech.drive("up", "j0", 0.5)
    mech.drive("down", "j0", -0.5)
    system = mech.compile()
    with pytest.raises(
        ct.errors.AssemblyError, match=r"drive 'up' and drive 'down' contradict each other; residual 0\.5"
    ):
        ct.assemble(system, system.q0)


def test_a_constraint_that_cannot_be_satisfied_alone():
    mech = two_joints()
    mech.distance("rope", "b1", (1, 0, 0), "ground", (0, 0, 0), length=50.0)
    system = mech.compile()
    with pytest.raises(ct.errors.AssemblyError, match="distance 'rope' cannot be satisfied; residual"):
        ct.assemble(system, system.q0)


def test_rates_that_contradict_each_other():
    mech = two_joints()
    mech.drive("slow", "j0", lambda t: 0.1 * t)
    mech.drive("fast", "j0", lambda t: 0.9 * t)
    system = mech.compile()
    with pytest.raises(ct.errors.AssemblyError, match="drive 'slow' and drive 'fast' require contradictory velocities"):
        ct.consistent_velocity(system, system.q0, np.zeros(2))


def test_a_rate_that_a_loop_forbids():
    mech = four_bar()
    mech.drive("hold", "A", 0.0)
    mech.drive("turn", "D", lambda t: t)
    system = mech.compile(cut=["C"])
    with pytest.raises(
        ct.errors.AssemblyError, match="drive 'turn' and loop 1, cut at joint 'C' require contradictory velocities"
    ):
        ct.consistent_velocity(system, system.q0, np.zeros(3))
