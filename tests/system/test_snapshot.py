"""A system keeps the mechanism as it was compiled: what happens to the mechanism later changes nothing in it."""

import copy
import pickle

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ModelError
from tests.model.builders import refused


def body(mech):
    mech.body("late", 1.0, (5, 5, 5), (1, 1, 1))
    mech.joint("L", "ground", "late", ct.Revolute((5, 5, 5), (0, 0, 1)))
    mech.lock("L", at=0.02)


def drive(mech):
    mech.drive("drive", "J1", lambda t: t)
    mech.deactivate("drive", at=0.02)


def motor(mech):
    mech.motor("motor", "J1", 50.0)
    mech.activate("motor", at=0.02)


def emptied(mech):
    for part in (mech.bodies, mech.joints, mech.actions):
        part.clear()
    mech.gravity = np.zeros(3)


CHANGES = {
    "lock": lambda m: m.lock("J2", at=0.02),
    "brake": lambda m: m.brake("J3", 30.0, at=0.02),
    "limit": lambda m: m.limit("J1", -0.001, 0.001),
    "spring": lambda m: m.joint_spring("stiff", "J1", 500.0),
    "force": lambda m: m.force("push", "link1", (50, 0, 0)),
    "drive": drive,
    "motor": motor,
    "body": body,
    "emptied": emptied,
}


@pytest.fixture(scope="module")
def undisturbed():
    return ct.simulate(ct.gallery.planar_3r().compile(), 0.05, output=3)


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_changed_after_compile_does_not_act(change, undisturbed):
    mech = ct.gallery.planar_3r()
    system = mech.compile()
    CHANGES[change](mech)
    run = ct.simulate(system, 0.05, output=3)
    assert run.q.tobytes() == undisturbed.q.tobytes()
    assert run.switches == ()
    assert str(system) == str(undisturbed.system)


def test_a_run_is_saved_as_it_ran(tmp_path):
    mech = ct.gallery.planar_3r()
    run = ct.simulate(mech, 0.1, output=3)
    mech.joint_spring("stiff", "J1", 500.0)
    run.save(tmp_path / "run.h5")
    loaded = ct.load_run(tmp_path / "run.h5")
    assert loaded.resume(0.2, output=3).q.tobytes() == run.resume(0.2, output=3).q.tobytes()


def test_errors_name_the_element_that_was_compiled():
    mech = ct.gallery.planar_3r()
    mech.motor("good", "J1", lambda t: 1.0)
    mech.motor("bad", "J2", lambda t: np.nan)
    system = mech.compile()
    mech.force("early", "link1", (1, 0, 0))
    with pytest.raises(ct.errors.CotreeError, match="'bad'"):
        ct.forward_dynamics(system, system.q0)


def test_the_mechanism_of_a_system_cannot_be_changed():
    mech = ct.gallery.planar_3r()
    mech.extra = [1, 2]
    own = mech.compile().mechanism
    assert own is not mech
    assert own.extra == [1, 2]
    assert list(own.bodies) == list(mech.bodies)
    for change in CHANGES.values():
        with refused(ModelError, "as it was compiled", "copy.copy(system.mechanism)"):
            change(own)
    with refused(ModelError, "as it was compiled"):
        own.name = "other"
    with refused(ModelError, "as it was compiled"):
        own.extra.append(3)
    assert own.compile().mechanism is own


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_of_it_can(copied):
    mech = ct.gallery.planar_3r()
    own = mech.compile().mechanism
    other = copied(own)
    other.lock("J2", at=0.02)
    other.name = "other"
    assert len(ct.simulate(other, 0.05, output=3).switches) == 1
    assert not own.devices
    assert not mech.devices
    assert own.name == mech.name


def test_dicts_and_lists_of_it_are_copied_as_plain_ones():
    own = ct.gallery.planar_3r().compile().mechanism
    for part in (own.bodies, own.actions):
        for other in (copy.copy(part), copy.deepcopy(part), pickle.loads(pickle.dumps(part))):
            other.clear()
            assert type(other) in (dict, list)


def test_bodies_of_the_mechanism_are_known_to_its_systems():
    mech = ct.gallery.planar_3r()
    link, system = mech.bodies["link2"], mech.compile()
    mech.brake("J1", 1.0)
    for s in (system, copy.copy(system), copy.deepcopy(system), mech.compile()):
        assert np.array_equal(ct.body_jacobian(s, s.q0, link), ct.body_jacobian(s, s.q0, "link2"))
        assert s.row_of(mech.ground) == 0
