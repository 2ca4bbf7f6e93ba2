"""Functions of the user that raise, return no number, or are interrupted: nothing is lost, nothing is hidden."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ConstraintError, ForceError
from tests.integrate.references import finite, pendulum, point_mass

WAYS = [{}, {"step": 0.01}]


def with_motor(function):
    mech = pendulum()
    mech.motor("muscle", "hinge", function)
    return mech


def with_driver(function):
    mech = ct.gallery.four_bar()
    mech.drive("turn", "A", function, rate=lambda t: 0.5, acceleration=lambda t: 0.0)
    return mech.compile(cut=["C"])


def with_row(function):
    mech = point_mass()
    mech.constraint("wire", lambda q: [[0.0, 1.0, 0.0]], residual=function)
    return mech


def fails_after(t_bad, error, value=0.0):
    """A function of time that raises an error from a time on."""

    def function(t):
        if t > t_bad:
            raise error
        return value

    return function


@pytest.mark.parametrize("words", WAYS)
@pytest.mark.parametrize("t_bad", [-1.0, 0.3])
@pytest.mark.parametrize("error", [ZeroDivisionError("mine"), SystemExit(3)])
def test_what_a_function_raises_reaches_the_caller_unchanged(words, t_bad, error):
    with pytest.raises(type(error)) as caught:
        ct.simulate(with_motor(fails_after(t_bad, error)), 1.0, [0.5], **words)
    assert caught.value is error


@pytest.mark.parametrize("words", WAYS)
def test_errors_of_drivers_and_rows_reach_the_caller(words):
    error = ZeroDivisionError("mine")
    for make in (with_driver, with_row):
        function = fails_after(0.3, error)
        where = (
            (lambda t, f=function: f(t) + 0.5 * t) if make is with_driver else (lambda q, t, f=function: q[1] + f(t))
        )
        with pytest.raises(ZeroDivisionError) as caught:
            ct.simulate(make(where), 1.0, **words)
        assert caught.value is error


@pytest.mark.parametrize("words", WAYS)
def test_a_force_that_is_no_number_beyond_some_state(words):
    """From rest at 0.5 rad with g = 9.81 the pendulum swings to -0.3 after about 0.74 s."""
    run = ct.simulate(with_motor(lambda q: np.nan if q[0] < -0.3 else 0.0), 2.0, [0.5], output="steps", **words)
    free = ct.simulate(pendulum(), 2.0, [0.5], events=[lambda q: q[0] + 0.3])
    t_bad = free.events[0].t
    assert run.status == "failed"
    assert "'muscle'" in run.message
    assert "finite" in run.message
    assert f"{run.t[-1]:.6g}" in run.message
    assert finite(run)
    assert 0 <= t_bad - run.t[-1] < (1e-6 if not words else 0.02)
    assert run.q[-1, 0] >= -0.3
    assert "muscle" in str(run)


@pytest.mark.parametrize("words", WAYS)
def test_a_driver_and_a_row_that_are_no_number_beyond_some_time(words):
    driver = with_driver(lambda t: 0.5 * t if t < 0.31 else np.nan)
    row = with_row(lambda q, t: q[1] - 0.1 * t if t < 0.31 else np.nan)
    for mech, name in ((driver, "turn"), (row, "wire")):
        run = ct.simulate(mech, 1.0, output="steps", **words)
        assert run.status == "failed"
        assert f"'{name}'" in run.message
        assert finite(run)
        assert 0.29 < run.t[-1] < 0.31


def test_no_number_at_the_very_start_is_an_error():
    with pytest.raises(ForceError, match="muscle"):
        ct.simulate(with_motor(lambda t: np.nan), 1.0)
    with pytest.raises(ConstraintError, match="turn"):
        ct.simulate(with_driver(lambda t: np.nan), 1.0)


def test_a_force_that_is_infinite_in_a_point_is_run_into():
    """Attraction by 1/r^2, straight in: the run ends, and says where."""
    mech = point_mass()
    mech.force("sun", "point", lambda position: -position / np.linalg.norm(position) ** 3)
    run = ct.simulate(mech, 2.0)
    assert run.status == "failed"
    assert finite(run)
    assert run.t[-1] == pytest.approx(np.pi / 2**1.5, abs=1e-3)  # half a period of the ellipse of half axis 1/2
    assert "at t = 1.11" in run.message


@pytest.mark.parametrize("words", WAYS)
@pytest.mark.parametrize("output", [101, "steps"])
def test_interrupt(words, output):
    """Ctrl-C while a function is being called: what is there is given back."""
    run = ct.simulate(with_motor(fails_after(0.3, KeyboardInterrupt())), 1.0, [0.5], output=output, **words)
    assert run.status == "interrupted"
    assert "interrupted at t = 0." in run.message
    assert finite(run)
    assert 0.2 < run.t[-1] <= 0.3
    whole = ct.simulate(pendulum(), 1.0, [0.5], output=run.t, rtol=1e-11, atol=1e-11)
    assert np.abs(run.q - whole.q).max() < 1e-6


def test_interrupt_in_an_event_and_on_a_loop():
    def stop(t):
        if t > 0.3:
            raise KeyboardInterrupt
        return 1.0

    run = ct.simulate(ct.gallery.four_bar(), 1.0, events=[stop])
    assert run.status == "interrupted"
    assert finite(run)
    assert run.violation.max() < 1e-12
    assert "interrupted" in str(run)


@pytest.mark.parametrize("words", WAYS)
def test_errors_of_the_package_in_an_event_are_not_taken_for_a_step_too_long(words):
    error = ForceError("mine")
    with pytest.raises(ForceError) as caught:
        ct.simulate(pendulum(), 1.0, [0.5], events=[lambda t: fails_after(0.3, error, 1.0)(t)], **words)
    assert caught.value is error
