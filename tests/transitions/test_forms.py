"""`ct.transition`: three forms, one jump of velocities; against least squares of the block system, momenta and energy."""

import numpy as np
import pytest

import cotree as ct
from tests.closed_mechanisms import CATALOGUE
from tests.random_mechanisms import error
from tests.transitions.rigs import in_absolute, jumped, lockable, loop_case, null_space, some, tree_case

FORMS = ("general", "redundant", "minimal")


def check(system, q, v, activate):
    """The three forms agree, with each other and with least squares; momenta, energy and rates are as they must be."""
    found = {form: ct.transition(system, q, v, activate, form=form) for form in FORMS}
    one = found["general"]
    M, J = ct.mass_matrix(system, q), ct.constraint_jacobian(one.system, q)
    dv, Lam = jumped(M, J, np.zeros(len(J)), v)
    size = max(1.0, np.abs(v).max())
    for form, it in found.items():
        assert np.abs(it.dv - dv).max() < 1e-10 * size, form
        assert np.abs(it.balance).max() < 1e-10 * max(1.0, np.abs(M @ v).max()), form
        assert np.abs(J @ it.v).max() < 1e-10 * size * max(1.0, np.abs(J).max()), form
        assert error(J.T @ it.multipliers, J.T @ Lam) < 1e-9, form
        loss = 0.5 * (v @ M @ v - it.v @ M @ it.v)
        assert it.energy_loss >= 0.0
        assert it.energy_loss == pytest.approx(0.5 * it.dv @ M @ it.dv, rel=1e-12, abs=1e-25)
        assert abs(it.energy_loss - loss) < 1e-11 * max(1.0, v @ M @ v), form
        assert it.supplied == 0.0
    F = null_space(J, system.nv)
    before = F.T @ M @ v
    assert np.abs(F.T @ M @ one.v - before).max(initial=0.0) < 1e-12 * np.abs(M @ v).max()
    return one


@pytest.mark.parametrize("seed", range(12))
def test_trees(seed):
    _, system, q, v, rng = tree_case(seed)
    names = some(rng, lockable(system))
    one = check(system, q, v, names)
    locked = [i for i, c in enumerate(system.coordinate_names) if any(c == n or c.startswith(n + ".") for n in names)]
    free = np.setdiff1d(np.arange(system.nv), locked)
    assert len(locked) == len(one.impulse)
    assert np.abs((one.momentum - one.momentum_before)[free]).max(initial=0.0) < 1e-12 * np.abs(one.momentum).max()
    assert one.dof_before == system.nv
    assert one.dof == len(free)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
def test_trees_in_absolute_coordinates(seed, group):
    """Bodies move alike in both kinds of coordinates; joints with several coordinates close by a weld beside them."""
    data, system, q, v, rng = tree_case(seed, 4)
    names = some(rng, lockable(system))
    one = check(system, q, v, names)
    other, x, u = in_absolute(data, system, q, v, group)
    two = check(other, x, u, names)
    V, W = ct.twists(system, q, one.v, "spatial"), ct.twists(other, x, two.v, "spatial")
    for name in system.body_names:
        assert error(W[other.row_of(name)], V[system.row_of(name)]) < 1e-9
    assert two.energy_loss == pytest.approx(one.energy_loss, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", CATALOGUE)
def test_loops(name):
    """Sets of joints that leave mobility and sets that stop all; most locks of a loop depend on each other."""
    _, system, q, v, rng = loop_case(name, 1)
    joints = lockable(system)
    for most in (1, 2, len(joints)):
        check(system, q, v, some(rng, joints, most))
    it = check(system, q, v, joints)
    assert np.abs(it.v).max() < 1e-12 * max(1.0, np.abs(v).max())
    assert it.dof == 0
    assert "no degrees of freedom remain" in str(it)


@pytest.mark.parametrize("name", ["four-bar", "Bennett", "slider-crank with a ball", "3-UPU", "delta"])
def test_loops_in_absolute_coordinates(name):
    data, system, q, v, rng = loop_case(name, 2)
    other, x, u = in_absolute(data, system, q, v)
    for _ in range(3):
        names = some(rng, lockable(system), 2)
        one, two = check(system, q, v, names), check(other, x, u, names)
        V, W = ct.twists(system, q, one.v, "spatial"), ct.twists(other, x, two.v, "spatial")
        for body in system.body_names:
            assert error(W[other.row_of(body)], V[system.row_of(body)]) < 1e-8
        assert two.energy_loss == pytest.approx(one.energy_loss, rel=1e-8, abs=1e-10)
        assert one.dof == two.dof


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", ["tree", "five-bar", "Stewart"])
def test_rows_of_ones_own(seed, name):
    """Rows (m, nv), some of them twice and some of them zero, alone and with a lock."""
    _, system, q, v, rng = tree_case(seed) if name == "tree" else loop_case(name, seed)
    rows = rng.normal(size=(2, system.nv))
    check(system, q, v, [rows])
    check(system, q, v, [np.vstack([rows, rows[0] + rows[1], 0 * rows[0]])])
    check(system, q, v, [rows[0], lockable(system)[0]])


@pytest.mark.parametrize("name", ["tree", "four-bar", "Stewart"])
def test_a_lock_that_is_satisfied_changes_nothing(name):
    _, system, q, v, rng = tree_case(3) if name == "tree" else loop_case(name, 3)
    names = some(rng, lockable(system))
    v = ct.transition(system, q, v, names).v
    for form in FORMS:
        again = ct.transition(system, q, v, names, form=form)
        assert np.abs(again.dv).max() < 1e-13 * max(1.0, np.abs(v).max())
        assert again.energy_loss < 1e-25
    nothing = ct.transition(system, q, v)
    assert np.abs(nothing.dv).max() < 1e-13
    assert len(nothing.impulse) == 0


def test_a_velocity_off_the_constraints_is_projected_as_part_of_the_jump():
    _, system, q, v, rng = loop_case("five-bar", 4)
    v = rng.normal(size=system.nv)
    assert np.abs(ct.constraint_jacobian(system, q) @ v).max() > 1e-2
    check(system, q, v, ["j0"])


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_units_do_not_matter(scale):
    """The four-bar in millimetres or kilometres, with a slide among its rows."""
    _, system, q, v, rng = loop_case("slider-crank", 5)
    J = rng.normal(size=(2, system.nv)) * np.array([[scale], [1 / scale]])
    check(system, q, v, [J])


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
@pytest.mark.parametrize("names", [["P"], ["A", "P"], ["T", "P"], ["A", "P", "B"]])
def test_joints_that_cannot_move_anyway(names, coordinates):
    """A triangle of three bars on a turntable: its joints are still, and what their locks add is nothing but rounding."""
    mech = ct.Mechanism("triangle", gravity=(0, 0, 0))
    for name, com in (("table", (0, 0, 0)), ("a", (0.5, 0.3, 0)), ("b", (1.4, 0.25, 0))):
        mech.body(name, 1.0, com, (0.1, 0.1, 0.1))
    for name, a, b, point in (("T", "ground", "table", (0, 0, 0)), ("A", "table", "a", (0, 0.1, 0)),
                              ("P", "a", "b", (1, 0.5, 0)), ("B", "b", "table", (2, 0.13, 0))):  # fmt: skip
        mech.joint(name, a, b, ct.Revolute(point, (0, 0, 1)))
    system = mech.compile(coordinates)
    v = ct.consistent_velocity(system, system.q0, np.arange(1.0, system.nv + 1.0))
    it = check(system, system.q0, v, names)
    assert it.dof == (0 if "T" in names else 1)
    assert (np.abs(it.dv).max() < 1e-12) == ("T" not in names)
