"""Copies and pickles of systems, runs and results compute with memory of their own, to the last bit as the originals."""

import copy
import dataclasses
import gc
import pickle

import numpy as np
import pytest

import cotree as ct
from cotree.errors import CopyError
from cotree.formulations.odca.division import division
from cotree.formulations.problem import Problem
from cotree.system.system import restored
from tests.model.builders import refused


def through_pickle(x):
    return pickle.loads(pickle.dumps(x))


MAKERS = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": through_pickle, "replace": dataclasses.replace}


def torque(t, q):
    return np.sin(3.0 * t) - q[0]


def furnished():
    """A four-bar with a spring, a damper, a load, a motor, a gear, a distance, a brake and a lock."""
    mech = ct.gallery.four_bar()
    mech.spring("spring", "ground", (0, 1, 0), "coupler", (1, 1, 0), 30.0)
    mech.force("load", "coupler", (1, 0, 0), (1, 1, 0))
    mech.joint_damper("damper", "A", 0.1)
    mech.motor("motor", "A", torque)
    body = mech.body("wheel", 1.0, (5, 0, 0), (1, 1, 1))
    mech.joint("W", "ground", body, ct.Revolute((5, 0, 0), (0, 0, 1)))
    mech.gear("gear", "W", "A", 2.0)
    mech.brake("W", 0.5, at=0.1)
    mech.lock("A", at=0.3)
    return mech


def computed(system):
    q, v = ct.assemble(system, system.q0), np.linspace(0.1, 0.4, system.nv)
    found = ct.forward_dynamics(system, q, v, t=0.2)
    full = ct.constraint_residual(system, q, regularized=False)
    arrays = (q, ct.mass_matrix(system, q), ct.poses(system, q), full, found.v_dot, found.multipliers)
    return [x.tobytes() for x in (*arrays, *found.reactions.values())]


def addresses(system):
    return {name: table.ctypes.data for name, table in system.tables.items()}


@pytest.mark.parametrize("how", MAKERS)
def test_a_copy_computes_from_its_own_tables(how):
    system = furnished().compile()
    ct.forward_dynamics(system, system.q0, formulation="odca")  # it has a division, too
    expected, other = computed(system), MAKERS[how](system)
    assert other.cache == {}
    del system
    gc.collect()
    assert {name: int(other.own.record[name].at) for name in other.tables} == addresses(other)
    assert other.own.record.work.at == other.workspace.links.ctypes.data
    assert computed(other) == expected


def test_replaced_tables_are_used():
    system = ct.gallery.four_bar().compile()
    world = system.world.copy()
    world["gravity"] = 0.0
    floating = dataclasses.replace(system, world=world)
    assert np.abs(ct.forward_dynamics(floating, system.q0).v_dot).max() < 1e-12
    assert np.abs(ct.forward_dynamics(system, system.q0).v_dot).max() > 1.0


@pytest.mark.parametrize("how", ["deepcopy", "pickle"])
def test_tables_of_a_copy_are_not_those_of_the_original(how):
    system = furnished().compile()
    other = MAKERS[how](system)
    filled = {x for name, x in addresses(system).items() if system.tables[name].size}
    assert not filled & set(addresses(other).values())
    with pytest.raises(ValueError, match="read-only"):
        other.links["mass"][:] = 0.0


@pytest.mark.parametrize("how", ["copy", "deepcopy", "pickle"])
def test_a_copied_run_goes_on(how):
    run = ct.simulate(furnished(), 0.4, output=5)
    assert len(run.phases) > 2
    expected = run.resume(0.6, output=3), [s.t for s in run.switches], run.phases[-1].system
    other = MAKERS[how](run)
    del run
    gc.collect()
    assert [s.t for s in other.switches] == expected[1]
    assert computed(other.phases[-1].system) == computed(expected[2])
    more = other.resume(0.6, output=3)
    assert more.q.tobytes() == expected[0].q.tobytes()
    assert more.energy.total.tobytes() == expected[0].energy.total.tobytes()
    assert str(more) == str(expected[0])


@pytest.mark.parametrize("how", ["copy", "deepcopy", "pickle"])
def test_phases_of_a_copied_run_share_a_workspace(how):
    run = MAKERS[how](ct.simulate(furnished(), 0.4, output=5))
    assert len({id(p.system.workspace) for p in run.phases} | {id(run.system.workspace)}) == 1


@pytest.mark.parametrize("how", ["copy", "deepcopy", "pickle"])
def test_results_are_copied(how):
    system = furnished().compile()
    found = ct.forward_dynamics(system, ct.assemble(system, system.q0))
    other = MAKERS[how](found)
    assert other.v_dot.tobytes() == found.v_dot.tobytes()
    assert all(np.array_equal(other.reactions[name], x) for name, x in found.reactions.items())


def test_functions_that_cannot_be_pickled_are_named():
    mech = ct.gallery.four_bar()
    mech.motor("pump", "A", lambda t: 1.0)
    for thing in (mech, mech.compile(), ct.simulate(mech, 0.01)):
        with refused(CopyError, "motor 'pump' (torque)", "'four-bar'", "with def at the top of a module"):
            pickle.dumps(thing)
    assert computed(copy.deepcopy(mech.compile())) == computed(mech.compile())


def test_picklers_that_take_code_along_are_left_to_it():
    mech, module = ct.gallery.four_bar(), {"__name__": "cloudpickle.cloudpickle", "pickle": pickle}
    mech.motor("pump", "A", lambda t: 1.0)
    exec("def dumps(x): return pickle.dumps(x)", module)
    with pytest.raises((AttributeError, pickle.PicklingError), match="lambda"):  # what pickle itself says
        module["dumps"](mech.compile())


@pytest.mark.parametrize("how", ["copy", "deepcopy", "pickle"])
def test_what_holds_addresses_alone_is_not_copied(how):
    system = ct.gallery.four_bar().compile()
    for thing in (division(system), Problem(system)):
        with refused(CopyError, "addresses"):
            MAKERS[how](thing)


def test_systems_of_another_version():
    system = ct.gallery.four_bar().compile()
    _, (given,) = system.__reduce__()
    with refused(CopyError, "'four-bar'", "another version"):
        restored({name: value for name, value in given.items() if name != "choices"})
    with refused(CopyError, "another version"):
        restored({**given, "links": system.dofs})
