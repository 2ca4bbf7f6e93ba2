"""Locks, brakes, limits, docks and actions in model files: nothing is lost, and what is wrong is placed."""

from dataclasses import fields

import numpy as np
import pytest

import cotree as ct
from cotree import errors
from cotree.errors import DocumentError
from cotree.io import from_json, to_json
from cotree.io.native import switch_structs
from cotree.io.native.describing import plain
from cotree.io.native.texts import JSON
from cotree.model import switches as model
from tests.io.furnished import again
from tests.io.switching import furnished, late, switches
from tests.io.test_bad_files import spoiled
from tests.model.builders import pendulum, refused


def named(mech):
    return {"late": late, "lock A.when": mech.actions[3].trigger.when.function}


@pytest.mark.parametrize("extension", ["json", "yaml", "toml"])
def test_everything_comes_back(tmp_path, extension):
    mech = furnished()
    path = tmp_path / f"switching.{extension}"
    ct.save(mech, path)
    other = ct.load(path, functions=named(mech))
    assert switches(other) == switches(mech)
    assert other.off_at_start == mech.off_at_start == {"turn"}
    assert other.joints_to_drop == ("C",)
    assert to_json(other) == to_json(mech)
    stops = {name: (d.lower, d.upper) for name, d in other.devices.items() if isinstance(d, model.Limit)}
    assert stops == {"limit C": (-0.1, np.inf), "limit D": (-np.inf, 1e-3), "stops": (-1.0, 2.0)}
    assert np.array_equal(other.devices["near"].joint.frame_parent, mech.devices["near"].joint.frame_parent)


def test_the_comparison_sees_each_part():
    mech = furnished()
    for change in (
        '"at": 0.25',
        '"torque": 2.5',
        '"within": 0.02',
        '"direction": -1',
        '"upper": 0.001',
        "[1.0, 2.0, 3.0]",
    ):
        text = to_json(mech)
        assert text.count(change) >= 1
        value = change.replace("1.0, 2.0", "1.5, 2.0") if "[" in change else change.split(":")[0] + ": 1"
        assert switches(from_json(text.replace(change, value), named(mech))) != switches(mech)


def test_what_is_read_moves_as_what_was_written():
    mech = ct.gallery.planar_3r()
    mech.lock("J2", at=0.2, until=0.4)
    mech.brake("J3", 2.0, when=late)
    mech.limit("J1", lower=-0.3, restitution=0.5)
    run, other = ct.simulate(mech, 0.6, output=9), ct.simulate(again(mech), 0.6, output=9)
    assert len(run.switches) >= 4
    assert run.q.tobytes() == other.q.tobytes()
    assert str(run) == str(other)


def test_structures_have_the_fields_of_the_devices():
    """A field added to a device or action must be added to the files."""
    for kind in (model.Lock, model.Brake, model.Limit):
        own = set(getattr(switch_structs, kind.__name__).__struct_fields__)
        assert own == {f.name for f in fields(kind)} - {"word"}
    actions = {f.name for f in fields(model.Action)} - {"trigger"} | {f.name for f in fields(model.Trigger)}
    assert set(switch_structs.Action.__struct_fields__) == actions


def with_parts(**parts):
    return JSON.write({**plain(pendulum()), **parts})


def test_by_hand_names_and_actions_may_be_left_out():
    """As with the methods: what nobody switches on acts from the start; a dock waits."""
    lock, limit = {"type": "lock", "joint": "pivot"}, {"type": "limit", "joint": "pivot", "upper": 1}
    brake = {"type": "brake", "joint": "pivot", "torque": 2, "name": "b"}
    dock = {"type": "dock", "joint": {"type": "Weld", "name": "d", "parent": "ground", "child": "bob"}}
    text = with_parts(
        devices=[lock, brake, limit, dock],
        actions=[{"target": "lock pivot", "on": False, "at": 1}, {"target": "b", "at": 2}],
    )
    mech = pendulum()
    mech.lock("pivot")
    mech.limit("pivot", upper=1)
    mech.unlock("pivot", at=1)
    mech.brake("pivot", 2, at=2, name="b")
    mech.dock("d", "ground", "bob", ct.Weld())
    other = from_json(text)
    assert other.actions == mech.actions
    assert other.devices.keys() == mech.devices.keys()
    assert other.devices["limit pivot"] == mech.devices["limit pivot"]


def test_infinite_bounds_may_be_written_where_the_syntax_has_them(tmp_path):
    path = tmp_path / "stops.yaml"
    ct.save(pendulum(), path)
    path.write_text(path.read_text() + "devices:\n- {type: limit, joint: pivot, lower: -.inf, upper: 1}\n")
    assert ct.load(path).devices["limit pivot"].lower == -np.inf


def test_a_mechanism_without_them_writes_none():
    assert not {"devices", "actions"} & set(plain(pendulum()))


# -- functions -----------------------------------------------------------------------------------------------


def test_functions_are_named_and_asked_for():
    mech = furnished()
    text = to_json(mech)
    with refused(
        errors.MissingFunctionError, "'late' for action on 'é held' (when), action on 'brake B' (when), action on 'm' (when)",
        "'lock A.when' for action on 'lock A' (when)", "functions={",
    ):  # fmt: skip
        from_json(text)
    without = from_json(text, missing="zero")
    for words in ("without the functions of", "lock 'lock A' (when)", "brake 'brake B' (when)", "motor 'm' (when)"):
        assert words in repr(without)
    assert to_json(without) == text


def test_kinds_of_things_that_wait_for_a_function():
    mech = pendulum()
    mech.force("push", "bob", (1, 0, 0))
    mech.torque("turn", "bob", (1, 0, 0))
    mech.drive("d", "pivot", 0.0)
    mech.joint("second", "ground", "bob", ct.Revolute((0, 0, 0), (0, 1, 0)))
    for name in ("push", "turn", "d", "second"):
        mech.deactivate(name, when=late)
    words = repr(from_json(to_json(mech), missing="zero"))
    assert "force 'push' (when), torque 'turn' (when), drive 'd' (when), joint 'second' (when)" in words


def test_an_event_without_its_function_never_happens():
    mech = pendulum()
    mech.lock("pivot", when=late)
    assert len(ct.simulate(mech, 0.6, output=3).switches) == 1
    assert ct.simulate(from_json(to_json(mech), missing="zero"), 0.6, output=3).switches == ()


# -- refused -------------------------------------------------------------------------------------------------

CASES = [
    (("devices", 0, "type"), "lok", DocumentError,
     "devices[0].type: 'lok' is not one of the allowed values; did you mean 'lock'?"),
    (("devices", 0, "joint"), "E", errors.UnknownNameError, "devices[0]: lock: no joint 'E'"),
    (("devices", 0, "joint"), None, DocumentError, "devices[0].joint: missing"),
    (("devices", 0, "at"), 1, DocumentError, "devices[0].at: unknown field"),
    (("devices", 3, "torque"), 0, DocumentError, "devices[3].torque: must be positive, got 0"),
    (("devices", 3, "static_ratio"), 0.5, errors.SwitchError, "devices[3]: brake of joint 'B': static_ratio is 0.5"),
    (("devices", 5, "lower"), "low", DocumentError, "devices[5].lower: must be a number or nothing, got 'low'"),
    (("devices", 7, "upper"), -2, errors.SwitchError, "devices[7]: limit of joint 'slide': lower is -1 and upper -2"),
    (("devices", 8, "within"), -1, DocumentError, "devices[8].within: must be positive, got -1"),
    (("devices", 9, "joint", "axis"), [0, 0, 0], errors.AxisError, "devices[9]: Revolute: axis has zero length"),
    (("devices", 9, "joint", "child"), "egg", errors.UnknownNameError, "devices[9]: dock 'timed': no body 'egg'"),
    (("devices", 9, "joint", "name"), "near", errors.DuplicateNameError, "devices[9]: dock 'near': 'near' exists already"),
    (("actions", 0, "target"), "lock B", errors.UnknownNameError,
     "actions[0]: there is no device, constraint, motor or load 'lock B'; did you mean 'lock A'?"),
    (("actions", 1, "target"), "xyz", errors.UnknownNameError, "actions[1]: there is no device, constraint, motor, load"),
    (("actions", 0, "on"), "yes", DocumentError, "actions[0].on: must be"),
    (("actions", 0, "at"), "late", DocumentError, "actions[0].at: must be a number or nothing, got 'late'"),
    (("actions", 0, "when"), {"function": "late"}, errors.SwitchError, "actions[0]: action on 'lock A': give a time"),
    (("actions", 1, "at"), None, errors.SwitchError, "actions[1]: unlock 'lock A': say when"),
    (("actions", 4, "direction"), 2, DocumentError, "actions[4].direction: 2 is not one of the allowed values"),
    (("actions", 15, "at"), None, errors.SwitchError, "actions[15]: activate 'turn': say when"),
    (("actions", 18, "at"), None, errors.SwitchError, "actions[18]: deactivate 'C': say when"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "error", "words"), CASES, ids=[c[3].split(":")[0] for c in CASES])
def test_the_place_is_named(path, value, error, words):
    mech = furnished()
    with refused(error, words):
        from_json(spoiled(path, value, plain(mech)), named(mech))


def test_a_function_with_the_wrong_parameters_is_placed():
    mech = furnished()
    with refused(errors.EventError, "actions[4]: action on 'é held', when", "got (x)"):
        from_json(to_json(mech), {**named(mech), "late": lambda x: x})


def test_robots_have_none_of_it(tmp_path):
    """Rather refused than left out."""
    mech = pendulum()
    mech.brake("pivot", 1.0)
    with refused(DocumentError, "(brake 'brake pivot'): these change the topology"):
        ct.save(mech, tmp_path / "arm.urdf")
    mech = pendulum()
    mech.joint("second", "ground", "bob", ct.Revolute((0, 0, 0), (0, 1, 0)))
    mech.deactivate("second", at=1.0)
    with refused(DocumentError, "(joint 'second'): these change the topology"):
        ct.save(mech, tmp_path / "arm.urdf")
