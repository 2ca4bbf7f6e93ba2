"""Runs that make no progress: functions that jump or are noisy end them, by name and after so many steps; others do not."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import RunWarning, UntrustedRunError
from cotree.integrate.checks import stalling
from cotree.integrate.checks.roughness import is_rough
from tests.integrate.references import pendulum
from tests.integrate.test_pace import pushed, slider


def ended(run, *words):
    """Failed, with these words in its message, the same as a warning, and early."""
    assert run.status == "failed"
    assert all(word in run.message for word in ("the run makes no progress", *words))
    assert [w.kind for w in run.noted] == ["progress"]
    assert run.statistics["steps"] + run.statistics["rejected"] <= 12 * stalling.WINDOW
    return True


@pytest.mark.filterwarnings("ignore::cotree.errors.RunWarning")
def test_friction_written_as_a_motor():
    run = ct.simulate(pushed(lambda v: -np.sign(v[0])), 3.0, v=[1.0])
    assert ended(run, "motor 'push' is discontinuous", "use mech.brake", "step=")
    assert run.t[-1] <= 1.01
    assert run.q[-1, 0] == pytest.approx(0.5, abs=1e-3)
    again = ct.simulate(pushed(lambda v: -np.sign(v[0])), 3.0, v=[1.0])
    assert (again.message, again.statistics) == (run.message, run.statistics)


@pytest.mark.filterwarnings("ignore::cotree.errors.RunWarning")
def test_friction_against_a_load():
    """It sticks where the load is smaller; steps do not cross zero, their stages do."""
    mech = pendulum()
    mech.motor("rub", "hinge", lambda v: -2.0 * np.sign(v[0]))
    assert ended(ct.simulate(mech, 20.0, [0.5]), "motor 'rub' is discontinuous")


def test_noise():
    random = np.random.default_rng(0)
    with pytest.warns(RunWarning, match="the run makes no progress"):
        run = ct.simulate(pushed(lambda t: random.standard_normal()), 1.0)
    assert ended(run, "motor 'push' is discontinuous")


@pytest.mark.filterwarnings("ignore::cotree.errors.RunWarning")
@pytest.mark.parametrize("rounded", [lambda x: round(x, 6), lambda x: float(np.float32(x))])
def test_drives_that_are_rounded(rounded):
    mech = slider()
    mech.drive("crank", "x", lambda t: rounded(float(np.sin(t))))
    assert ended(ct.simulate(mech, 1.0), "drive 'crank' is discontinuous", "do not round its values")


def test_drives_that_are_rounded_a_little():
    """To nine decimals: positions are right, velocities to 1e-5 only, a thousand times the tolerance. With its derivatives
    there is no doubt."""
    mech, known = slider(), slider()
    mech.drive("crank", "x", lambda t: round(np.sin(t), 9))
    known.drive("crank", "x", lambda t: round(np.sin(t), 9), rate=np.cos, acceleration=lambda t: -np.sin(t))
    with pytest.warns(RunWarning, match=r"drive 'crank' is not smooth .* or give its rate and acceleration"):
        run = ct.simulate(mech, 0.5, step=ct.Adaptive(max_step=0.01))
    assert run.status == "done"
    assert np.abs(run.q[:, 0] - np.sin(run.t)).max() < 1e-9
    assert np.abs(run.v[:, 0] - np.cos(run.t)).max() > 1e-7
    run = ct.simulate(known, 0.5)
    assert run.warnings == ()
    assert np.abs(run.v[:, 0] - np.cos(run.t)).max() < 1e-12


@pytest.mark.filterwarnings("ignore::cotree.errors.RunWarning")
def test_coordinates_that_become_infinite(monkeypatch):
    """Half a turn in Cayley's parameters, which grow without bound on the way: the joint and the reason are named."""
    monkeypatch.setattr(stalling, "LONG", 10)
    mech = ct.Mechanism("top", gravity=(0, 0, 0))
    mech.joint("ball", "ground", mech.body("b", 1.0, (0, 0, 0), (1, 2, 3)), ct.Spherical(coordinates="cayley"))
    run = ct.simulate(mech, 3.0, v=[2.0, 0.1, 0.05])
    assert run.status == "failed"
    for words in ("makes no progress", "the coordinates of joint 'ball' are singular here", "half a turn", '"group"'):
        assert words in run.message


def test_strict():
    with pytest.raises(UntrustedRunError, match="no progress"):
        ct.simulate(pushed(lambda v: -np.sign(v[0])), 3.0, v=[1.0]).trusted()


def test_a_controller_that_holds_its_value_is_no_stall():
    """Jumps at 200 times in a second take steps, but it gets on: two seconds, and to the end."""
    mech = pendulum()
    mech.motor("m", "hinge", lambda t: 0.1 * np.sin(7.0 * np.floor(200.0 * t) / 200.0))
    run = ct.simulate(mech, 1.0)
    assert (run.status, run.noted) == ("done", ())


def test_stiff_forces_that_are_smooth_are_no_stall():
    """Millions of steps would be needed, and more than enough judgements are passed; nothing jumps."""
    mech = pushed(lambda q, v: -1e12 * q[0] - 1e5 * v[0])
    run = ct.simulate(mech, 10.0, [1e-3], rtol=1e-4, atol=1e-6, events=_after(15 * stalling.WINDOW))
    assert run.status == "event"


def test_a_time_that_is_never_reached(monkeypatch):
    monkeypatch.setattr(stalling, "LONG", 4)
    with pytest.warns(RunWarning, match="more would be needed; end it earlier"):
        run = ct.simulate(pendulum(), 1e100, [1.0])
    assert run.status == "failed"
    assert 0.0 <= run.t[-1] < 1e3


def test_rough_and_smooth_values():
    x = np.linspace(0.0, 1.0, 65)
    smooth = [np.zeros(65), x, np.sin(3.0 * x), 1.0 + 1e-16 * np.sign(x - 0.5), np.maximum(0.0, x - 0.5)]
    rough = [
        np.sign(x - 0.3),
        np.round(x, 1),
        np.round(x / 10.0 + 5.0, 2) * 1e-6,
        np.random.default_rng(0).standard_normal(65),
    ]
    assert [is_rough(f) for f in smooth] == [False] * len(smooth)
    assert [is_rough(f) for f in rough] == [True] * len(rough)
    assert is_rough(np.stack([x, np.sign(x - 0.3)], axis=1))


def _after(calls):
    """An event that ends a run after it has been looked at so often."""
    seen = []

    def enough(t):
        seen.append(t)
        return len(seen) - calls

    return ct.Event(enough, "enough", terminal=True)


def body_in_the_air(joint):
    mech = ct.Mechanism()
    mech.body("b", mass=1, com=(0.3, 0.1, 0), inertia=(0.02, 0.03, 0.04))
    mech.joint("j", "ground", "b", joint)
    return mech.compile()


@pytest.mark.parametrize(
    "joint", [ct.Free(coordinates="cayley"), ct.Spherical((0, 0, 0), coordinates="cayley")], ids=str
)
@pytest.mark.parametrize("seed", [0, 1])
def test_coordinates_that_end_at_half_a_turn_are_named_soon(joint, seed):
    """Within some thousand steps; a free joint needed millions, which took minutes."""
    system = body_in_the_air(joint)
    run = ct.simulate(system, 3.0, v=2.0 * np.random.default_rng(seed).normal(size=system.nv))
    assert run.status == "failed"
    assert "it has turned by half a turn, where Cayley parameters are infinite" in run.message
    assert run.statistics["steps"] + run.statistics["rejected"] < 5000


@pytest.mark.parametrize("near", [1e-1, 1e-3, 1e-5])
def test_coordinates_that_are_nearly_singular_are_passed(near):
    run = ct.simulate(body_in_the_air(ct.Spherical((0, 0, 0), coordinates="second")), 1.0, v=[near, 5.0, near])
    assert run.status == "done"
