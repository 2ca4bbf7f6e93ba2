"""Laws over time: values and derivatives against SciPy and closed forms, what they refuse, kinks, sums, integrals."""

import math
import pickle

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.interpolate import CubicSpline

import cotree as ct
from cotree.model.time_laws import Integral

TIMES = np.array([0.0, 0.3, 0.5, 1.1, 1.7, 2.0])
VALUES = np.array([0.0, 1.0, -0.5, 0.4, 2.0, 0.7])
WHEN = np.linspace(0.013, 1.987, 23)


def agree(law, values, rates, accelerations, when=WHEN, rtol=1e-12):
    for t in when:
        expected = (values(t), rates(t), accelerations(t))
        assert np.allclose([law.derivative(t, k) for k in range(3)], expected, rtol=rtol, atol=1e-10)


def of_scipy(spline, period=math.inf):
    return tuple(lambda t, k=k: spline(t % period if period < math.inf else t, k) for k in range(3))


def test_tables_are_the_splines_of_scipy():
    agree(ct.Table(TIMES, VALUES), *of_scipy(CubicSpline(TIMES, VALUES)))
    agree(ct.Table(TIMES, VALUES, ends="rest"), *of_scipy(CubicSpline(TIMES, VALUES, bc_type="clamped")))
    back = np.append(VALUES[:-1], VALUES[0])
    spline = CubicSpline(TIMES, back, bc_type="periodic")
    agree(ct.Table(TIMES, back, periodic=True), *of_scipy(spline, 2.0), when=np.linspace(-3.01, 5.03, 41))


def test_tables_beyond_their_ends():
    straight, spline = ct.Table(TIMES, VALUES), CubicSpline(TIMES, VALUES)
    assert np.isclose(straight(3.0), VALUES[-1] + spline(2.0, 1))
    assert np.isclose(straight(-1.0), VALUES[0] - spline(0.0, 1))
    held = ct.Table(TIMES, VALUES, ends="hold", degree=1)
    assert (held(-1.0), held(5.0), held.derivative(5.0)) == (0.0, 0.7, 0.0)
    assert held(0.4) == pytest.approx(0.25)


def test_a_periodic_table_goes_on_higher_with_each_turn():
    turning = ct.Table(TIMES, VALUES, periodic=True)
    assert turning(4.3) == pytest.approx(1.0 + 2 * 0.7)
    assert turning.first_jump(0) is None
    assert turning.first_jump(1) is None


@pytest.mark.parametrize(("speed", "top"), [(0.5, 0.5), (50.0, math.sqrt(4.0 / 3.0))])
def test_trapezoids(speed, top):
    """Of 1.0 with 1 m/s^2 up and 2 m/s^2 down: with the speed that is asked for, or the one that can be reached."""
    move = ct.Trapezoid(2.0, 1.0, speed, 1.0, begin=0.5, deceleration=2.0)
    even = (1.0 - 0.75 * top**2) / top
    assert move.duration == pytest.approx(1.5 * top + max(even, 0.0))
    assert (move(0.5), move(0.0)) == (2.0, 2.0)
    assert move(10.0) == pytest.approx(1.0)
    assert move.derivative(0.5 + top) == pytest.approx(-top)
    assert move.derivative(0.6, 2) == -1.0
    area, _ = quad(move.derivative, 0.0, 4.0, points=[0.5, 0.5 + top, 0.5 + move.duration - top / 2.0])
    assert area == pytest.approx(-1.0)
    assert move.first_jump(0) is None
    assert move.first_jump(1) is None
    assert ct.Trapezoid(1.0, 1.0, 1.0, 1.0)(3.0) == 1.0


def test_steps_jump_or_rise():
    steps = ct.Steps([0.0, 1.0, 2.0], [1.0, 3.0, -1.0])
    assert [steps(t) for t in (-1.0, 0.5, 1.0, 1.999, 2.0, 9.0)] == [1.0, 1.0, 3.0, 3.0, -1.0, -1.0]
    assert steps.first_jump(0) == (1.0, 2.0)
    smooth = ct.Steps([0.0, 1.0, 2.0], [1.0, 3.0, -1.0], rise=0.2)
    assert smooth(1.1) == pytest.approx(2.0)
    assert smooth(2.2) == pytest.approx(-1.0)
    assert smooth.first_jump(0) is None
    assert smooth.first_jump(1) is None
    assert smooth.derivative(1.1) == pytest.approx(15.0 / 8.0 * 2.0 / 0.2)


def test_sums_and_integrals():
    law = 2.0 * ct.Harmonic(3.0, 0.7, 0.2, offset=0.4) - ct.Table(TIMES, VALUES) + 1.0
    for t in WHEN[::5]:
        assert law(t) == pytest.approx(
            2.0 * (0.4 + 3.0 * math.sin(1.4 * math.pi * t + 0.2)) - CubicSpline(TIMES, VALUES)(t) + 1.0
        )
    total = Integral(law, 5.0)
    back = np.append(VALUES[:-1], VALUES[0])
    repeated = Integral(ct.Table(TIMES, back, periodic=True))
    for t in (0.4, 1.3, 2.0):
        area, _ = quad(law, 0.0, t, points=TIMES[t > TIMES], limit=200)
        assert total(t) == pytest.approx(5.0 + area, rel=1e-9)
        assert total.derivative(t) == pytest.approx(law(t))
    assert total(0.0) == pytest.approx(5.0)
    whole = CubicSpline(TIMES, back, bc_type="periodic").integrate(0.0, 2.0)
    assert repeated(6.5) == pytest.approx(3 * whole + repeated(0.5))
    assert (-law)(0.3) == -law(0.3)
    with pytest.raises(TypeError):
        law * "x"
    with pytest.raises(TypeError):
        law + "x"


def test_kinks_are_where_derivatives_jump():
    table = ct.Table(TIMES, VALUES)
    assert table.kinks_around(0.2) == (0.0, 0.5)  # not at 0.3: "not a knot"
    assert table.kinks_around(0.5) == (0.5, 1.1)
    assert table.kinks_around(3.0) == (2.0, math.inf)
    assert table.kinks_around(-3.0) == (-math.inf, 0.0)
    assert ct.Table([0.0, 1.0, 2.0], [0.0, 1.0, 2.0], degree=1).kinks_around(0.5) == (-math.inf, math.inf)
    back = np.append(VALUES[:-1], VALUES[0])
    assert ct.Table(TIMES, back, periodic=True).kinks_around(7.2) == pytest.approx((7.1, 7.7))
    assert ct.Harmonic(1.0, 2.0).kinks_around(0.1) == (-math.inf, math.inf)
    assert ct.Harmonic(1.0, 2.0).shortest_period == 0.5


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ct.Table([0.0, 1.0], [0.0]), "2 times and 1 values"),
        (lambda: ct.Table([0.0, 1.0, 1.0], [0.0, 1.0, 2.0]), "must increase; 1 s comes after 1 s"),
        (lambda: ct.Table([0.0, 1.0], [0.0, np.nan]), "x is .*finite numbers"),
        (lambda: ct.Table([0.0, 1.0], [0.0, 1.0], degree=2), "choose 1, straight lines, or 3"),
        (lambda: ct.Table([0.0, 1.0], [0.0, 1.0], ends="loose"), "ends is 'loose'"),
        (lambda: ct.Harmonic(1.0, 0.0), "frequency is 0"),
        (lambda: ct.Trapezoid(0.0, 1.0, -1.0, 1.0), "speed is -1; it must be positive"),
        (lambda: ct.Steps([0.0, 1.0], [1.0]), "2 times and 1 values"),
        (lambda: ct.Steps([0.0, 1.0, 1.5], [1.0, 2.0, 3.0], rise=0.6), "rise is 0.6 s"),
        (lambda: ct.Polynomial(np.ones(40)), "40 coefficients"),
        (lambda: Integral(ct.Table([0.0, 1.0], [0.0, 1.0], periodic=True)), "must return to its first value"),
    ],
)
def test_laws_are_checked(make, words):
    with pytest.raises(ct.errors.CotreeError, match=words):
        make()


def test_laws_can_be_copied():
    law = pickle.loads(pickle.dumps(ct.Table(TIMES, VALUES) + ct.Harmonic(1.0, 2.0)))
    assert law(0.4) == (ct.Table(TIMES, VALUES) + ct.Harmonic(1.0, 2.0))(0.4)


def slider():
    mech = ct.Mechanism("slider", gravity=(0, 0, 0))
    mech.body("box", mass=2.0, com=(0, 0, 0), inertia=(1, 1, 1))
    mech.joint("slide", "ground", "box", ct.Prismatic(axis=(1, 0, 0), point=(0, 0, 0)))
    return mech


def test_drives_that_jump_are_refused_by_name():
    with pytest.raises(ct.errors.ConstraintError, match=r"drive 'd': its value jumps by 2 at t = 1 s.*ct\.Trapezoid"):
        slider().drive("d", "slide", ct.Steps([0.0, 1.0], [1.0, 3.0]))
    with pytest.raises(ct.errors.ConstraintError, match=r"drive 'd': its speed jumps by -2 at t = 1 s"):
        slider().drive("d", "slide", ct.Table([0.0, 1.0, 2.0], [0.0, 1.0, 0.0], degree=1))
    with pytest.raises(ct.errors.ConstraintError, match=r"drive 'd': its speed jumps by 2 at t = 1 s"):
        slider().drive("d", "slide", rate=ct.Steps([0.0, 1.0], [1.0, 3.0]))


def test_drives_take_a_motion_or_a_rate():
    with pytest.raises(ct.errors.ConstraintError, match="give a motion, or a rate"):
        slider().drive("d", "slide")
    with pytest.raises(ct.errors.ConstraintError, match="the derivatives of a law over time are known"):
        slider().drive("d", "slide", ct.Polynomial([0.0, 1.0]), rate=3.0)
    with pytest.raises(ct.errors.ConstraintError, match="the derivatives of a law over time are known"):
        slider().drive("d", "slide", ct.Polynomial([0.0, 1.0]), acceleration=lambda t: 0.0)
    assert slider().drive("d", "slide", 2.0, rate=300).motion.value(0.5) == 152.0


def test_vectors_take_three_laws():
    mech = slider()
    mech.force("f", "box", [ct.Harmonic(1.0, 0.25), 0.0, -2.0])
    assert mech.loads["f"].value.function(1.0) == pytest.approx([1.0, 0.0, -2.0])
    with pytest.raises(ct.errors.ForceError, match="a law over time has 1 number, and 3 are needed"):
        mech.force("g", "box", ct.Harmonic(1.0, 1.0))
    with pytest.raises(ct.errors.ForceError, match="a law over time has 2 numbers, and 3 are needed"):
        mech.force("g", "box", [ct.Harmonic(1.0, 1.0), 1.0])


def test_laws_over_time_are_a_feature_and_no_user_functions():
    mech = slider()
    mech.drive("d", "slide", rate=2.0)
    mech.motor("m", "slide", ct.Steps([0.0, 1.0], [0.0, 1.0]))
    mech.pid("p", "slide", ct.Harmonic(1.0, 1.0), kp=3.0)
    features = mech.compile().features
    assert set(features.elements("laws over time")) == {"m", "p", "d"}
    assert "user functions" not in features
