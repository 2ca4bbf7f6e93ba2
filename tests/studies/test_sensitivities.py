"""Sensitivities of runs: against closed forms, against differences of tightly converged runs, forward against adjoint."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ArgumentError, ShapeError, StudyError, UnknownNameError
from cotree.studies.sensitivity.switches import shift_of
from cotree.studies.sensitivity.trace import complete, require_same

TIGHT = {"rtol": 1e-11, "atol": 1e-11}
BODIES = ("crank", "coupler", "rocker")
TWENTY = [
    *(f"{b}.{w}" for b in BODIES for w in ("mass", "com.x", "com.y", "inertia.zz")),
    "coil.stiffness", "oil.damping", "motor.torque", "gravity.y", "B.point.x", "C.point.x", "stop.upper", "latch.at",
]  # fmt: skip


def stopped_four_bar():
    """A stop is hit, later the coupler locks for a while."""
    mech = ct.gallery.four_bar()
    mech.joint_spring("coil", "A", stiffness=20.0)
    mech.joint_damper("oil", "A", damping=0.3)
    mech.motor("motor", "A", 6.0)
    mech.lock("B", at=3.3, until=3.5, name="latch")
    mech.limit("A", lower=-1.5, upper=0.1, restitution=0.6, name="stop")
    return mech


def by_differences(mech, t_end, q, v, names, start, outputs, h=2e-4):
    """(outputs, names) from runs of changed mechanisms, by Richardson's extrapolation."""
    values = ct.parameters(mech)

    def outcome(name, s):
        other, at = (mech, (q, v)) if name in start else (ct.with_parameters(mech, {name: values[name] + s}), (q, v))
        if name in start:
            plain = name.removesuffix(".rate")
            which = 1 if name != plain else 0
            at = [dict(x or {}) for x in at]
            at[which][plain] = at[which].get(plain, 0.0) + s
        run = ct.simulate(other, t_end, *at, output=[t_end], progress=False, rtol=1e-12, atol=1e-12)
        assert run.status == "done"
        return np.array([_read(run, y) for y in outputs])

    def slope(name, h):
        return (outcome(name, h) - outcome(name, -h)) / (2.0 * h)

    return np.array([(4.0 * slope(name, h) - slope(name, 2.0 * h)) / 3.0 for name in (*names, *start)]).T


def _read(run, y):
    if callable(y):
        return y(run.q[-1], run.v[-1])
    s = run.system
    return run.v[-1, s.v_index(y[:-5])] if y.endswith(".rate") else run.q[-1, s.q_index(y)]


def compared(mech, t_end, names, outputs, q=None, v=None, start=(), **options):
    found = ct.sensitivities(mech, t_end, q, v, parameters=names, start=start, outputs=outputs, **TIGHT, **options)
    expected = by_differences(mech, t_end, q, v, names, start, outputs)
    size = np.maximum(np.abs(expected).max(axis=1, keepdims=True), 1e-3)
    assert (np.abs(found.dy[-1] - expected) < 1e-6 * size).all(), (found.dy[-1] - expected) / size
    return found


def test_closed_form():
    """A mass on a spring: x = x0 cos(w t) + v0 sin(w t) / w."""
    mech = ct.Mechanism("oscillator", gravity=(0, 0, 0))
    m, k, x0, v0, t = 2.0, 50.0, 0.3, 0.4, 1.7
    mech.body("mass", mass=m, com=(0, 0, 0), inertia=(1, 1, 1))
    mech.joint("slide", "ground", "mass", ct.Prismatic(axis=(1, 0, 0)))
    mech.joint_spring("coil", "slide", stiffness=k)
    found = ct.sensitivities(
        mech, 2.0, {"slide": x0}, {"slide": v0}, parameters=["mass.mass", "coil.stiffness", "coil.rest"],
        start=["slide", "slide.rate"], outputs=["slide"], times=[0.0, t], **TIGHT,
    )  # fmt: skip
    w = np.sqrt(k / m)
    c, s = np.cos(w * t), np.sin(w * t)
    by_w = -x0 * t * s + v0 * (t * c / w - s / w**2)
    expected = [-by_w * w / (2 * m), by_w * w / (2 * k), 1.0 - c, c, s / w]
    assert np.abs(found.dy[1, 0] - expected).max() < 1e-9
    assert np.abs(found.dy[0, 0] - [0, 0, 0, 1, 0]).max() < 1e-12
    assert abs(found.y[1, 0] - (x0 * c + v0 * s / w)) < 1e-9
    assert found.gradient["coil.rest"] == found.dy[-1, 0, 2]
    assert "coil.rest" in str(found)


def test_four_bar_with_stop_and_lock():
    """Ten seconds, through a rebound, a lock and its release."""
    names = ["crank.mass", "coupler.com.y", "coil.stiffness", "B.point.x", "C.point.x", "stop.upper", "latch.at"]
    mech = stopped_four_bar()
    found = compared(mech, 10.0, names, ["A", "A.rate"], v={"A": 1.0}, start=["A.rate"])
    assert [e.name for e in found.run.events] == ["stop", "latch", "latch"]


def test_adjoint_is_forward():
    """Twenty parameters, two times, three outputs of which one is a function."""
    given = {
        "v": {"A": 1.0}, "parameters": TWENTY, "start": ["A.rate"], "times": [2.0, 3.4, 6.0],
        "outputs": ["A", "D.rate", lambda q, v: q[0] * v[1]],
    }  # fmt: skip
    mech = stopped_four_bar()
    forward, adjoint = (ct.sensitivities(mech, 6.0, **given, way=way) for way in ("forward", "adjoint"))
    assert adjoint.dq is None
    assert np.abs(adjoint.dy - forward.dy).max() < 1e-9 * np.abs(forward.dy).max()
    assert forward.dy.shape == (3, 3, 21)
    assert np.abs(forward.dy[1, 0]).max() > 0.0  # while it is locked, where it is depends on what was before


def pendulums():
    mech = ct.gallery.pendulum_chain(2)
    mech.joint_damper("oil", "J1", damping=0.2)
    return mech


def test_condition_and_lock_that_leaves_motion():
    """The second joint locks where a function of the state changes its sign; both swing on as one."""
    mech = pendulums()
    mech.lock("J2", when=lambda q, v: q[0] + 0.1 * v[1] - 0.2, name="latch")
    found = compared(
        mech, 1.5, ["oil.damping", next(iter(mech.bodies)) + ".mass"], ["J1", "J2.rate", "J2"], {"J1": 1.2, "J2": 0.3},
        start=["J1", "J2"],
    )  # fmt: skip
    assert len(found.run.switches) == 1


def test_brake_sticks():
    mech = pendulums()
    mech.brake("J1", torque=12.0, name="shoe")
    body = next(iter(mech.bodies))
    found = compared(mech, 2.0, ["shoe.torque", f"{body}.mass"], ["J1", "J2"], {"J1": 1.2, "J2": 0.3}, start=["J2"])
    assert any("sticks" in what for s in found.run.switches for _, what in s.changes)


def test_stop_that_is_leant_on():
    """Without rebound, and with another rebound as parameter."""
    mech = pendulums()
    mech.limit("J1", lower=0.4, name="stop")
    found = compared(mech, 0.9, ["stop.lower", "oil.damping"], ["J1", "J2"], {"J1": 1.2, "J2": 0.3}, start=["J1"])
    assert any("stays" in what for s in found.run.switches for _, what in s.changes)
    mech = pendulums()
    mech.limit("J1", lower=0.4, restitution=0.5, name="stop")
    compared(mech, 0.7, ["stop.lower", "stop.restitution"], ["J1", "J2.rate"], {"J1": 1.2, "J2": 0.3})


def test_joints_on_groups():
    """A ball joint, of which displacements are carried along by the motion, and absolute coordinates with loops."""
    mech = ct.Mechanism("top")
    mech.body("top", mass=1.0, com=(0.1, 0.0, 0.6), inertia=(0.05, 0.06, 0.02))
    mech.joint("ball", "ground", "top", ct.Spherical((0, 0, 0)))
    found = ct.sensitivities(
        mech, 0.8, v=[0.3, 0.2, 9.0], parameters=["top.mass", "ball.point.x", "top.inertia.xy"], **TIGHT
    )
    values, given = ct.parameters(mech), {"v": [0.3, 0.2, 9.0], "output": [0.8], "rtol": 1e-12, "atol": 1e-12}
    R0 = ct.poses(found.run.system, ct.simulate(mech, 0.8, **given).q[-1])[1, :3, :3]

    def end(name, s):
        other = ct.with_parameters(mech, {name: values[name] + s})
        run = ct.simulate(other, 0.8, **given)
        C = ct.poses(other.compile(), run.q[-1])[1]
        return np.concatenate([ct.lie.log_so3(R0.T @ C[:3, :3]), run.v[-1]])

    for k, name in enumerate(found.names):
        h = 1e-4
        slope = (8 * (end(name, h) - end(name, -h)) - (end(name, 2 * h) - end(name, -2 * h))) / (12 * h)
        mine = np.concatenate([found.dq[-1, :, k], found.dv[-1, :, k]])
        assert np.abs(mine - slope).max() < 1e-6 * np.abs(slope).max(), name


def test_rolling():
    """Rows that hold velocities only."""
    mech = ct.gallery.rolling_disk()
    body = next(iter(mech.bodies))
    v = mech.v_start if mech.v_start is not None else None
    given = {"parameters": [f"{body}.mass", f"{body}.com.x"], "outputs": [lambda q, v: v @ v]}
    found = ct.sensitivities(mech, 0.5, v=v, **given, **TIGHT)
    values = ct.parameters(mech)
    for k, name in enumerate(found.names):
        ends = []
        for s in (1e-4, -1e-4):
            other = ct.with_parameters(mech, {name: values[name] + s})
            ends.append(ct.simulate(other, 0.5, v=v, output=[0.5], rtol=1e-12, atol=1e-12).v[-1])
        expected = (ends[0] @ ends[0] - ends[1] @ ends[1]) / 2e-4
        assert abs(found.dy[-1, 0, k] - expected) < 1e-5 * max(1e-3, abs(expected))


def test_complaints():
    mech = pendulums()
    with pytest.raises(ArgumentError, match="name parameters"):
        ct.sensitivities(mech, 1.0)
    with pytest.raises(ArgumentError, match="'output' is not an option"):
        ct.sensitivities(mech, 1.0, start=["J1"], output=5)
    with pytest.raises(ShapeError, match="between 0 and t_end"):
        ct.sensitivities(mech, 1.0, start=["J1"], times=[2.0])
    with pytest.raises(ShapeError, match="times in seconds"):
        ct.sensitivities(mech, 1.0, start=["J1"], times="end")
    with pytest.raises(UnknownNameError, match="start: no coordinate"):
        ct.sensitivities(mech, 1.0, start=["J7"])
    with pytest.raises(UnknownNameError, match="outputs: no coordinate"):
        ct.sensitivities(mech, 1.0, start=["J1"], outputs=["J7"])
    with pytest.raises(StudyError, match="must return one number"):
        ct.sensitivities(mech, 1.0, start=["J1"], outputs=[lambda q, v: q])
    with pytest.raises(StudyError, match="independently of each other"):
        ct.sensitivities(ct.gallery.four_bar(), 1.0, start=["A", "B"])
    yes = pendulums()
    yes.lock("J2", when=lambda q: q[0] < 0.1, name="latch")
    with pytest.raises(StudyError, match="true or false"):
        ct.sensitivities(yes, 1.0, {"J1": 1.2}, start=["J1"])
    struck = pendulums()
    struck.joint_impulse("hammer", "J1", impulse=1.0, at=0.5)
    with pytest.raises(StudyError, match=r"does not know impulses .*'hammer'"):
        ct.sensitivities(struck, 1.0, {"J1": 1.2}, start=["J1"])
    with pytest.raises(StudyError, match="not complete"):
        ct.sensitivities(_failing(), 1.0, start=["J1"])


def _failing():
    mech = pendulums()
    mech.motor("wild", "J1", lambda t: float("nan") if t > 0.5 else 0.0)
    return mech


def test_runs_without_derivatives():
    """A brake that gives way with a jump of the force; a condition that is touched; singular configurations; other phases."""
    mech = pendulums()
    mech.brake("J1", torque=16.0, static_ratio=1.3, name="shoe")
    with pytest.raises(StudyError, match="a limit of forces"):
        ct.sensitivities(mech, 2.0, {"J1": 1.2, "J2": 0.3}, start=["J2"])
    run = ct.simulate(stopped_four_bar(), 4.0, v={"A": 1.0}, output=21)
    with pytest.raises(StudyError, match="touched and not crossed"):
        shift_of(np.ones(3), 1e-12, 1.0, run.switches[0])
    assert shift_of(np.ones(3), 2.0, 1.0, run.switches[0]).tolist() == [-0.5] * 3
    with pytest.raises(StudyError, match=r"singular configuration at t = 1\.5"):
        complete(replace(run, crossings=(SimpleNamespace(t=1.5),)))
    with pytest.raises(StudyError, match="switches otherwise"):
        require_same(run, replace(run, phases=run.phases[:1]))


def test_others_stay_where_they_were():
    """Of a start of which one coordinate is varied, those that nothing ties to it stay, named or not."""
    mech = ct.gallery.pendulum_chain(2)
    compared(mech, 1.0, (), ["J1", "J2"], {"J1": 0.4}, start=["J1", "J2.rate"])


@pytest.mark.parametrize(
    ("law", "what"),
    [
        (ct.Law(lambda angle, s: (s - angle, -s), states={"s": 1.0}), "laws with states"),
        (ct.Law(lambda angle: -angle, period=0.1), "sampled laws"),
        (ct.Law(lambda up: -up, switching={"up": lambda rate: rate}), "switching laws"),
    ],
)
def test_laws_that_keep_more_than_the_state_are_refused(law, what):
    mech = ct.gallery.pendulum_chain(1)
    mech.motor("servo", "J1", law)
    for study in (
        lambda: ct.sensitivities(mech, 0.5, start=["J1"]),
        lambda: ct.floquet(mech, 0.5),
    ):
        with pytest.raises(StudyError, match=what):
            study()


@pytest.mark.parametrize(
    "add",
    [
        lambda m: m.bushing(
            "rubber", "ground", "link2", (0.1, -1.5, 0), (3, 4, 5, 60, 70, 80), (0.3, 0.4, 0.5, 6, 7, 8)
        ),
        lambda m: m.belt("belt", "J1", "J2", 0.2, 0.3, 50.0, 2.0),
        lambda m: m.pid("servo", "J1", target=0.3, kp=20.0, kd=3.0),
    ],
    ids=["bushing", "belt", "controller"],
)
def test_elements_whose_forces_are_differenced(add):
    mech = ct.gallery.pendulum_chain(2)
    add(mech)
    compared(mech, 0.5, ["link1.mass"], ["J1", "J2"], {"J1": 0.4}, start=["J1"])


def test_times_that_steps_end_at_but_for_rounding():
    """Steps of 1/30 s add up to the times wanted with rounding errors."""
    pendulum, times = ct.gallery.pendulum_chain(1), np.arange(1, 31) / 30.0
    given = {"start": ["J1"], "outputs": ["J1"], "method": "rk4", "step": 1.0 / 30.0}
    found = ct.sensitivities(pendulum, 1.0, {"J1": 0.5}, times=times, **given)
    assert not np.isin(found.run.t, times).sum() >= 30  # else there is nothing to see
    for k in (4, 17, 29):
        alone = ct.sensitivities(pendulum, times[k], {"J1": 0.5}, **given)
        assert abs(found.dy[k] - alone.dy[-1]).max() < 1e-6
