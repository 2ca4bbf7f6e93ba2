"""`Law` and `PID` as descriptions: what they refuse, copies, files."""

import pickle

import numpy as np
import pytest

import cotree as ct
from tests.integrate.test_law_states import arm


def f(t):
    return 0.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"function": 3.0}, "a law needs a function"),
        ({"states": {"a b": 0.0}}, "states of a law is"),
        ({"states": ["a"]}, "states of a law is"),
        ({"states": {"a": np.nan}}, "state 'a' of a law starts at"),
        ({"states": {"output": 0.0}}, "name 'output'"),
        ({"states": {"a": 0.0}, "switching": {"a": f}}, "name 'a'"),
        ({"switching": {"a": 1.0}}, "switching function 'a' of a law is"),
        ({"period": 0.0}, "period of a law is"),
        ({"offset": "x"}, "offset of a law is"),
        ({"period": 0.1, "switching": {"a": f}}, "sampled has no switching functions"),
    ],
)
def test_laws_are_checked(options, words):
    with pytest.raises(ct.errors.ForceError, match=words):
        ct.Law(**{"function": f, **options})


def test_names_of_parameters_are_checked():
    with pytest.raises(ct.errors.ForceError, match="the name 'rate' is that of a parameter"):
        arm(ct.Law(f, states={"rate": 0.0}))
    with pytest.raises(ct.errors.ForceError, match=r"takes one or more of the parameters .*, integral, by these names"):
        arm(ct.Law(lambda integrl: 0.0, states={"integral": 0.0}))
    with pytest.raises(ct.errors.ForceError, match=r"switching function 'side'.*takes one or more"):
        arm(ct.Law(f, switching={"side": lambda side: side}))
    with pytest.raises(ct.errors.ModelError, match="only forces are given by laws"):
        ct.Event(ct.Law(f))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"limits": (1.0, -1.0)}, "the lowest output must be less"),
        ({"limits": 3.0}, "give the lowest and the highest output"),
        ({"filter": -1.0}, "cannot be negative"),
        ({"tracking": 0.0}, "must be positive"),
    ],
)
def test_pid_is_checked(options, words):
    with pytest.raises(ct.errors.ForceError, match=words):
        ct.PID(0.0, kp=1.0, **options)


def test_pid_in_files_and_copies(tmp_path):
    mech = arm(1.0)
    mech.pid("pid", "A", 0.5, kp=4.0, ki=2.0, kd=1.0, filter=0.01, limits=(-3, 3), period=0.01)
    mech.pid("follower", "A", f, kp=2.0)
    ct.save(mech, tmp_path / "m.json")
    again = ct.load(tmp_path / "m.json", functions={"f": f})
    law, other = again.joint_forces["pid"].torque.law, mech.joint_forces["pid"].torque.law
    for name in ("target", "kp", "ki", "kd", "filter", "limits", "tracking", "period", "offset"):
        assert getattr(law, name) == getattr(other, name)
    assert again.joint_forces["follower"].torque.law.target is f
    runs = [ct.simulate(m, 0.2, output=3) for m in (mech, again, pickle.loads(pickle.dumps(mech)))]
    assert np.array_equal(runs[0].q, runs[1].q)
    assert np.array_equal(runs[0].q, runs[2].q)


def test_laws_in_files_are_named_by_the_user(tmp_path):
    law = ct.Law(f, period=0.1)
    ct.save(arm(law), tmp_path / "m.json")
    assert ct.load(tmp_path / "m.json", functions={"f": law}).joint_forces["servo"].torque.law is law
