"""Laws over time in runs: the motion against closed forms, steps that end at kinks, compiled numbers, files, checks."""

import numpy as np
import pytest

import cotree as ct
from cotree.formulations.over_time import part_at, time_laws
from cotree.io.native.describing import plain
from tests.model.test_time_laws import TIMES, VALUES, slider

STEPS = ct.Steps([0.0, 0.3, 0.7], [0.0, 5.0, -5.0])


def wheel_on_slider():
    """A box that slides, pushed by a law, and a wheel on it, turned by another."""
    mech = slider()
    mech.body("wheel", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1))
    mech.joint("axle", "box", "wheel", ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.motor("push", "slide", STEPS)
    mech.drive("turn", "axle", ct.Trapezoid(0.0, 1.0, 2.0, 10.0, begin=0.1))
    mech.force("shake", "wheel", [0.0, ct.Harmonic(2.0, 3.0), 1.0])
    return mech


def pushed(t):
    """Displacement of 3 kg under the steps."""
    a, push = 5.0 / 3.0, np.clip(t - 0.3, 0.0, 0.4)
    late = max(t - 0.7, 0.0)
    return 0.5 * a * push**2 + a * 0.4 * late - 0.5 * a * late**2


@pytest.fixture(scope="module")
def run():
    return ct.simulate(wheel_on_slider(), 1.0)


def test_steps_end_at_kinks_and_none_is_rejected(run):
    """A polynomial between kinks is integrated to rounding, by few steps."""
    assert run.status == "done"
    assert run.statistics["rejected"] == 0
    assert run.statistics["steps"] < 25
    assert run.joint("slide").angle[-1] == pytest.approx(pushed(1.0), abs=1e-14)
    assert run.joint("axle").angle[-1] == pytest.approx(1.0, abs=1e-14)
    assert np.abs(run.energy.balance).max() < 1e-12


def test_the_accuracy_of_runs_with_laws_over_time_is_checked(run):
    assert "not checked" not in str(run)
    assert run.accuracy.position < 1e-12


def test_rows_between_steps(run):
    for k in (60, 100, 150):
        assert run.joint("slide").angle[k] == pytest.approx(pushed(run.t[k]), abs=1e-12)


@pytest.mark.parametrize("choice", [{"method": "rk4", "step": 0.0125}, {"method": "generalized-alpha", "step": 0.005}])
def test_fixed_steps_are_divided_at_kinks(choice):
    """Constant forces between kinks, which are not multiples of the step."""
    run = ct.simulate(wheel_on_slider(), 1.0, **choice)
    assert run.joint("slide").angle[-1] == pytest.approx(pushed(1.0), abs=1e-10)


def test_a_stepper_goes_through_kinks():
    stepper = ct.Stepper(wheel_on_slider(), 0.0625)
    stepper.step(16)
    assert stepper.joint("slide").angle == pytest.approx(pushed(1.0), abs=1e-13)


def test_targets_that_jump_are_followed_exactly():
    """x'' = -k (x - target) of 2 kg by a controller whose target jumps: a cosine from there on."""
    mech = slider()
    mech.pid("servo", "slide", ct.Steps([0.0, 0.37], [0.0, 1.0]), kp=50.0)
    run = ct.simulate(mech, 1.0)
    assert run.joint("slide").angle[-1] == pytest.approx(1.0 - np.cos(5.0 * 0.63), abs=1e-8)
    assert run.statistics["rejected"] <= 2


def test_a_table_drives_a_loop_as_its_function_does():
    """Positions and reactions of a driven loop against the same spline as a function with its derivatives."""
    from scipy.interpolate import CubicSpline

    spline, runs = CubicSpline(TIMES, 0.1 * VALUES), []
    for given in ({"motion": ct.Table(TIMES, 0.1 * VALUES)}, {"motion": spline, "rate": spline.derivative(1),
                  "acceleration": spline.derivative(2)}):  # fmt: skip
        mech = ct.gallery.four_bar()
        mech.drive("d", "A", **given)
        runs.append(ct.simulate(mech, 1.0, output=11, rtol=1e-9, atol=1e-9))
    first, second = runs
    assert np.allclose(first.q, second.q, atol=1e-9)
    assert np.allclose(first.element("d").force, second.element("d").force, rtol=1e-7, atol=1e-6)
    assert first.statistics["rejected"] <= second.statistics["rejected"]


def test_compiled_numbers_are_those_of_python():
    mech = wheel_on_slider()
    mech.motor("more", "axle", ct.Table(TIMES, VALUES, periodic=True) * 3.0 + ct.Harmonic(1.0, 0.7))
    system = mech.compile()
    laws = time_laws(system)
    for t in (-0.4, 0.05, 0.31, 0.7, 1.3, 5.2):
        for f, part in zip(laws.parts, _parts(system), strict=True):
            assert np.allclose(part_at(f, laws.pieces, t, -np.inf, np.inf), part.at(t), rtol=1e-13, atol=1e-13)


def _parts(system):
    from cotree.model.time_laws import TimeLaw, laws_in

    laws = [law for _, user in system.elements.functions for law in laws_in(user.function)]
    laws += [motion.value for _, motion in system.extra_rows.motions if isinstance(motion.value, TimeLaw)]
    return [part for law in laws for part in law.parts]


def test_a_step_sees_the_piece_that_it_lies_in():
    """At the end of a piece its own value and slope, just after it those of the next one."""
    mech = slider()
    mech.motor("push", "slide", STEPS)
    laws = time_laws(mech.compile())
    f = laws.parts.view(np.recarray)[0]
    assert laws.around(0.3) == (0.3, 0.7)
    assert laws.around(0.3 - 1e-13) == (0.3, 0.7)
    assert part_at(f, laws.pieces, 0.3, -np.inf, 0.3)[0] == 0.0
    assert part_at(f, laws.pieces, 0.3, 0.3, 0.7)[0] == 5.0
    assert part_at(f, laws.pieces, 0.7, 0.3, 0.7)[0] == 5.0


def test_files_hold_laws_over_time(run, tmp_path):
    mech = wheel_on_slider()
    mech.joint(
        "tilt",
        "wheel",
        mech.body("flap", mass=1.0, com=(1, 0, 0), inertia=(1, 1, 1)),
        ct.Revolute((0, 0, 0), (1, 0, 0)),
    )
    mech.drive("flapping", "tilt", 0.1, rate=ct.Harmonic(1.0, 2.0))
    mech.pid("servo", "slide", ct.Table(TIMES, VALUES, periodic=True, ends="rest"), kp=1.0)
    mech.force_between(
        "pull", "ground", (0, 0, 5), "box", (0, 0, 0), 2.0 * STEPS + ct.Polynomial([1.0, 2.0], begin=0.5)
    )
    mech.distance("rod", "ground", (0, 3, 0), "flap", (1, 0, 0), ct.Harmonic(0.1, 1.0, offset=3.0))
    ct.save(mech, tmp_path / "m.json")
    again = ct.load(tmp_path / "m.json")
    assert plain(again) == plain(mech)
    assert again.constraints["flapping"].motion.value(0.3) == mech.constraints["flapping"].motion.value(0.3)
    ct.save(wheel_on_slider(), tmp_path / "n.json")
    assert np.array_equal(ct.simulate(ct.load(tmp_path / "n.json"), 1.0).q, run.q)


def test_a_file_with_both_or_neither_is_refused(tmp_path):
    ct.save(wheel_on_slider(), tmp_path / "m.json")
    text = (tmp_path / "m.json").read_text()
    (tmp_path / "bad.json").write_text(text.replace('"over_time": {', '"function": "f", "over_time": {', 1))
    with pytest.raises(ct.errors.DocumentError, match="either the name of a function, or over_time"):
        ct.load(tmp_path / "bad.json")


def test_many_runs_with_laws_over_time(run):
    many = ct.simulate_many(wheel_on_slider(), 1.0, v=np.zeros((3, 2)), output=run.t)
    assert all(np.allclose(one.q, run.q, atol=1e-13) for one in many)


@pytest.mark.parametrize(
    ("motion", "words"),
    [
        (lambda t: 0.2 * t + (t > 0.437), "drive 'd' changes at once at t = 0.437 s, which no finite force can do"),
        (lambda t: 0.2 * t + 5.0 * max(t - 0.437, 0.0), "drive 'd' changes its speed at once at t = 0.437 s"),
    ],
)
def test_functions_that_jump_are_named(motion, words):
    mech = slider()
    mech.drive("d", "slide", motion)
    run = ct.simulate(mech, 1.0, method="rk4", step=0.01)
    assert any(words in str(warning) for warning in run.warnings)


def test_functions_that_are_steep_do_not_jump():
    mech = slider()
    mech.drive("d", "slide", lambda t: np.tanh(200.0 * (t - 0.5)))
    run = ct.simulate(mech, 1.0, method="rk4", step=0.01)
    assert not any("at once" in str(warning) for warning in run.warnings)
