"""Ready parts against closed forms: cylinder, planetary set, differential, screw jack, shaft, backlash, clearance."""

import math

import numpy as np
import pytest

import cotree as ct
from cotree.io.model_file import from_json, to_json
from cotree.io.native.describing import plain

X, Y, Z = np.eye(3)


def lid(gravity=(0, 0, -9.81)):
    """A lid that turns about the y axis."""
    mech = ct.Mechanism("lid", gravity=gravity)
    mech.body("lid", mass=20.0, com=(0.5, 0, 0), inertia=(1, 2, 2))
    mech.joint("hinge", "ground", "lid", ct.Revolute((0, 0, 0), Y))
    return mech


FOOT, EYE = np.array((0.3, 0, -0.6)), np.array((0.5, 0, 0.0))
LENGTH = np.linalg.norm(EYE - FOOT)


@pytest.mark.parametrize("axis", [Y, None])
def test_a_cylinder_turns_a_lid(axis):
    """The angle between the sides of a triangle, by the law of cosines; in space no constraint is redundant."""
    mech = lid()
    part = mech.cylinder("lift", "ground", FOOT, "lid", EYE, axis=axis)
    system = mech.compile()
    a, b = np.linalg.norm(FOOT), np.linalg.norm(EYE)
    angle = [math.acos((a * a + b * b - x * x) / (2 * a * b)) for x in (LENGTH, LENGTH + 0.2)]
    q = ct.assemble(system, {"lift": 0.2})
    assert ct.measure(system, q).joint("hinge").angle == pytest.approx(angle[0] - angle[1], abs=1e-9)
    found = ct.mobility(mech)
    assert found.local == 1
    if axis is None:
        assert found.grubler == 1
    assert [part.stroke.name, part.foot.name, part.barrel.name] == ["lift", "lift foot", "lift barrel"]


def test_masses_of_a_cylinder():
    mech = lid()
    part = mech.cylinder("lift", "ground", FOOT, "lid", EYE, axis=Y, masses=(6.0, 3.0))
    assert [part.barrel.properties.mass, part.rod.properties.mass] == [6.0, 3.0]
    other = lid().cylinder("lift", "ground", FOOT, "lid", EYE, radius=0.02, density=1000.0)
    assert other.barrel.properties.mass == pytest.approx(1000.0 * math.pi * 0.02**2 * 0.6 * LENGTH)


def test_a_cylinder_stops_at_the_end_of_its_stroke():
    mech = lid(gravity=(0, 0, 0))
    mech.cylinder("lift", "ground", FOOT, "lid", EYE, axis=Y, stroke=(0.5, LENGTH + 0.1), masses=(1, 1))
    mech.motor("oil", "lift", 400.0)
    run = ct.simulate(mech, 0.6)
    assert run.joint("lift").angle.max() == pytest.approx(0.1, abs=1e-9)
    assert run.joint("lift").rate[-1] == pytest.approx(0.0, abs=1e-9)


def test_the_cushion_of_a_cylinder_pushes_back():
    mech = lid()
    mech.cylinder("lift", "ground", FOOT, "lid", EYE, axis=Y, stroke=(0.5, LENGTH + 0.1), cushion=(0.02, 500.0))
    table = mech.joint_forces["lift cushion"].elastic
    assert table[:, 1] == pytest.approx([-500.0, 0.0, 0.0, 500.0])
    assert table[:, 0] == pytest.approx([0.5 - LENGTH, 0.52 - LENGTH, 0.08, 0.1])


def shafts(names=("sun", "ring", "carrier")):
    mech = ct.Mechanism("gearbox", gravity=(0, 0, 0))
    for k, name in enumerate(names):
        mech.body(name, mass=1.0, com=(0, 0, 0), inertia=0.02 * (k + 1) * np.ones(3))
        mech.joint(f"{name} shaft", "ground", name, ct.Revolute((0, 0, 0), Z))
    return mech


def test_a_planetary_set_and_the_inertia_of_its_planets():
    """The inertia that the sun sees where the ring is locked: all parts by the squares of their speeds."""
    mech, of_sun, of_ring, module = shafts(), 24, 60, 0.002
    part = mech.planetary(
        "set", "sun shaft", "ring shaft", "carrier shaft", (of_sun, of_ring), planets=3, module=module
    )
    mech.coupling("held ring", {"ring shaft": 1.0})
    carrier = of_sun / (of_sun + of_ring)
    planet = carrier - (1.0 - carrier) * of_sun / (0.5 * (of_ring - of_sun))
    p, span = part.planets[0].properties, 0.25 * module * (of_sun + of_ring)
    inertia = 0.02 + 0.06 * carrier**2 + 3 * (p.mass * (span * carrier) ** 2 + p.inertia[2, 2] * planet**2)
    mech.motor("torque", "sun shaft", 1.0)
    run = ct.simulate(mech, 1.0, rtol=1e-10, atol=1e-10)
    assert run.joint("sun shaft").rate[-1] == pytest.approx(1.0 / inertia, rel=1e-9)
    assert run.joint("carrier shaft").rate[-1] == pytest.approx(carrier / inertia, rel=1e-9)
    turned = run.joint("set planet 2 pin").rate[-1] + run.joint("carrier shaft").rate[-1]
    assert turned == pytest.approx(planet / inertia, rel=1e-9)


def test_a_differential_adds_up():
    mech = shafts(("left", "right", "cage"))
    mech.differential("axle", "left shaft", "right shaft", "cage shaft")
    system = mech.compile()
    v = ct.consistent_velocity(system, system.q0, {"left shaft": 3.0, "right shaft": 1.0})
    assert v[system.v_index("cage shaft")] == pytest.approx(2.0)


def test_a_screw_jack_lifts_by_its_lead():
    mech = ct.Mechanism("jack")
    mech.body("table", mass=100.0, com=(0, 0, 1), inertia=(5, 5, 5))
    mech.joint("guide", "ground", "table", ct.Prismatic(axis=Z))
    mech.screw_jack("jack", "ground", (0, 0, 0), "table", (0, 0, 1), lead=0.005)
    system = mech.compile()
    hold = ct.actuator_forces(system, system.q0, actuators=["jack"])
    assert hold.forces["jack"] == pytest.approx(100.0 * 9.81 * 0.005 / (2 * math.pi))
    mech.drive("crank", "jack", ct.Trapezoid(0.0, 4 * math.pi, speed=10.0, acceleration=50.0))
    run = ct.simulate(mech, 2.0)
    assert run.joint("guide").angle[-1] == pytest.approx(0.01, abs=1e-10)


@pytest.mark.parametrize("slip", [True, False])
def test_a_universal_joint_shaft_turns_evenly(slip):
    """Between parallel shafts the second joint undoes what the first one does: tan(middle) = tan(input) cos(bend)."""
    mech = ct.Mechanism("shafts", gravity=(0, 0, 0))
    far = np.array((1.0, 0.3, 0.0))
    for name, at in (("input", np.zeros(3)), ("output", far)):
        mech.body(name, mass=1.0, com=at, inertia=(0.01, 0.01, 0.01))
        mech.joint(f"{name} bearing", "ground", name, ct.Revolute(at, X))
    mech.shaft("shaft", "input", (0, 0, 0), X, "output", far, X, slip=slip)
    system = mech.compile()
    assert ct.mobility(mech).local == 1
    bend = math.atan(0.3)
    for angle in (0.4, 1.1):
        q = ct.assemble(system, {"input bearing": angle})
        there = ct.measure(system, q)
        assert there.joint("output bearing").angle == pytest.approx(angle, abs=1e-9)
        v = ct.consistent_velocity(system, q, {"input bearing": 1.0})
        body = "shaft first half" if slip else "shaft"
        spin = ct.twists(system, q, v)[system.row_of(body)][:3] @ (far / np.linalg.norm(far))
        even = math.cos(bend) / (1.0 - math.sin(bend) ** 2 * math.cos(angle) ** 2)
        other = math.cos(bend) / (1.0 - math.sin(bend) ** 2 * math.sin(angle) ** 2)
        assert min(abs(spin - even), abs(spin - other)) < 1e-9


def test_backlash_is_crossed_freely():
    """Two wheels: half a period of the spring on either side, and the backlash at constant speed in between."""
    mech, k, play, speed = shafts(("a", "b")), 50.0, 0.1, 2.0
    mech.elastic_gear("teeth", "a shaft", "b shaft", 2.0, stiffness=k, backlash=play)
    inertia = 1.0 / (1.0 / 0.02 + 4.0 / 0.04)
    period = 2 * math.pi * math.sqrt(inertia / k) + 2 * play / speed
    amplitude = play / 2 + speed * math.sqrt(inertia / k)
    run = ct.simulate(mech, period, v={"a shaft": speed, "b shaft": 0.0}, rtol=1e-10, atol=1e-12, output=401)
    x = run.joint("a shaft").angle - 2.0 * run.joint("b shaft").angle
    assert x.max() == pytest.approx(amplitude, rel=1e-4)
    assert x.min() == pytest.approx(-amplitude, rel=1e-4)
    assert x[-1] == pytest.approx(0.0, abs=1e-6)
    assert np.abs(run.energy.balance).max() < 1e-8


def test_a_pin_rests_in_its_clearance():
    """It falls through the gap, and comes to rest where the hole carries its weight."""
    mech, gap, k = ct.Mechanism("pin"), 1e-3, 1e7
    mech.body("pin", mass=2.0, com=(0, 0, 0), inertia=(0.1, 0.1, 0.1))
    mech.clearance("B", "ground", "pin", (0, 0, 0), radius_gap=gap, stiffness=k, damping=2.0, axis=Y)
    fall = math.sqrt(2 * gap / 9.81)
    run = ct.simulate(mech, 0.5, step=ct.Adaptive(max_step=1e-3))
    before = run.t < 0.999 * fall
    assert run.element("B").force[before] == pytest.approx(0.0, abs=1e-9)
    assert run.element("B").length[-1] == pytest.approx(gap + (2.0 * 9.81 / k) ** (2 / 3), rel=1e-2)


def test_parts_are_in_files_as_what_they_come_to():
    mech = shafts()
    mech.planetary("set", "sun shaft", "ring shaft", "carrier shaft", (24, 60), planets=2, module=0.002)
    mech.elastic_gear("teeth", "sun shaft", "ring shaft", 2.0, stiffness=3.0, backlash=0.1)
    data = plain(mech)
    assert plain(from_json(to_json(mech))) == data


def _jack(**given):
    ct.Mechanism().screw_jack("j", "ground", (0, 0, 0), "ground", (0, 0, 1), **{"lead": 0.01, **given})


def _set(mech, teeth=(24, 60), **given):
    mech.planetary("set", "sun shaft", "ring shaft", "carrier shaft", teeth, **given)


def _tilted():
    mech = shafts(("sun", "ring"))
    mech.body("carrier", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1))
    mech.joint("carrier shaft", "ground", "carrier", ct.Revolute((0.1, 0, 0), Z))
    return mech


def _slide():
    mech = shafts(("sun", "ring"))
    mech.body("carrier", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1))
    mech.joint("carrier shaft", "ground", "carrier", ct.Prismatic(axis=Z))
    return mech


def _lift(**given):
    lid().cylinder("lift", "ground", FOOT, "lid", EYE, **given)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: lid().cylinder("lift", "ground", EYE, "lid", EYE), "cylinder 'lift': both points are at"),
        (lambda: _lift(radius=-1.0), "radius is -1; it must be positive"),
        (lambda: _lift(axis=X), "axis must be perpendicular"),
        (lambda: _lift(stroke=3.0), "the shortest and the longest distance"),
        (lambda: _lift(stroke=(0.1, 0.2)), "its eyes are 0.632456 m apart as assembled"),
        (lambda: _lift(cushion=(0.1, 2.0)), "give stroke"),
        (lambda: _lift(stroke=(0.6, 0.7), cushion=(0.1, 2.0)), "do not fit into a stroke of 0.1 m"),
        (lambda: _set(shafts(), 3.0), "teeth must be the numbers of teeth"),
        (lambda: _set(shafts(), (60, 24)), "the ring must have more teeth"),
        (lambda: _set(shafts(), planets=3), "module is 0; it must be positive"),
        (lambda: _set(_slide()), "must be revolute joints"),
        (lambda: _set(_tilted()), "must turn about one axis"),
        (lambda: _jack(lead=0.0), "lead is 0"),
        (lambda: lid().shaft("s", "lid", (0, 0, 0), X, "ground", (0, 0, 1), X), "bent by about 90 degrees"),
        (lambda: shafts().elastic_gear("t", "sun shaft", "ring shaft", 1.0, 2.0, backlash=-1.0), "backlash -1 not"),
    ],
)
def test_parts_are_checked(make, words):
    with pytest.raises(ct.errors.ModelError, match=words):
        make()
