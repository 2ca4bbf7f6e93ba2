"""What `simulate` refuses, in words that name the argument; and the order of the method of eighth order."""

import warnings

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ChoiceError, EventError, ShapeError, UnknownNameError
from tests.model.builders import refused

NAN = float("nan")


@pytest.fixture(scope="module")
def system():
    return ct.gallery.four_bar().compile()


@pytest.mark.parametrize("name", ["rtol", "atol", "step"])
@pytest.mark.parametrize("value", [-1e-8, 0.0, NAN, float("inf"), "small", True])
def test_numbers_that_must_be_positive(system, name, value):
    with refused(ShapeError, f"{name} is {value!r}", "positive number"):
        ct.simulate(system, 1.0, **{name: value})


@pytest.mark.parametrize("name", ["rtol", "atol"])
def test_numbers_that_must_be_there(system, name):
    """No step means adaptive steps; no tolerance means nothing."""
    with refused(ShapeError, f"{name} is None"):
        ct.simulate(system, 1.0, **{name: None})


@pytest.mark.parametrize(
    ("output", "error", "words"),
    [
        ("each", ChoiceError, ("output is 'each'", "'steps'")),
        (1, ShapeError, ("output is 1", "two rows or more")),
        (np.int64(0), ShapeError, ("two rows or more",)),
        (2**31, ShapeError, ("output is 2147483648: too many rows of 6 numbers", "give 2e+08 rows or fewer")),
        (10**400, ShapeError, ("too many rows of 6 numbers",)),
        (1e-12, ShapeError, ("output is 1e-12: too many rows of 6 numbers",)),
        ([NAN], ShapeError, ("output is [nan]", "times in seconds")),
        ([0.1, "late"], ShapeError, ("late", "times in seconds")),
        ([1.5, -0.1], ShapeError, ("there is no output time between 0 and 1 s",)),
        ([], ShapeError, ("no output time",)),
    ],
)
def test_output(system, output, error, words):
    with refused(error, *words):
        ct.simulate(system, 1.0, output=output)


@pytest.mark.parametrize("t_end", [NAN, float("inf"), "soon", None, [1.0, 2.0]])
def test_times_that_are_none(system, t_end):
    with refused(ShapeError, f"t_end is {t_end!r}", "time in seconds"):
        ct.simulate(system, t_end)
    with refused(ShapeError, f"t_start is {t_end!r}", "time in seconds"):
        ct.simulate(system, (t_end, 1.0))


@pytest.mark.parametrize(("t_start", "t_end"), [(0.0, -1.0), (2.0, 1.0), (1.0, 1.0)])
def test_ends_before_the_start(system, t_start, t_end):
    with refused(ShapeError, f"t_end is {t_end!r}", f"later than the start, {t_start:g}"):
        ct.simulate(system, (t_start, t_end))


@pytest.mark.parametrize("method", ["euler", "midpoint", "rk4"])
def test_methods_without_step_control(system, method):
    with refused(ChoiceError, repr(method), "give step="):
        ct.simulate(system, 1.0, method=method)


@pytest.mark.parametrize("radius", [-0.1, 1.1, NAN, None])
def test_spectral_radius(system, radius):
    with refused(ShapeError, f"spectral_radius is {radius!r}", "from 0", "to 1"):
        ct.simulate(system, 1.0, method=ct.GeneralizedAlpha(spectral_radius=radius))


def test_an_implicit_method_takes_no_restoring_terms(system):
    with refused(ChoiceError, "baumgarte", "'generalized-alpha'", "choose 'projection' or 'none'"):
        ct.simulate(system, 1.0, method="generalized-alpha", stabilize="baumgarte")


@pytest.mark.parametrize("stabilize", ["auto", "projection", "baumgarte", "none"])
def test_a_partition_is_for_stabilizing_by_it(system, stabilize):
    with refused(ChoiceError, "partition= is an option of stabilize=ct.Partition", repr(stabilize)):
        ct.simulate(system, 1.0, stabilize=stabilize, partition={"position": ["B"]})


def test_levels_and_coordinates_of_a_partition(system):
    with refused(ChoiceError, "partition level is 'acceleration'", "'position', 'velocity'"):
        ct.simulate(system, 1.0, stabilize="partition", partition={"acceleration": ["B"]})
    with refused(UnknownNameError, "elbow"):
        ct.simulate(system, 1.0, stabilize=ct.Partition(velocity=["elbow"]))


@pytest.mark.parametrize(
    ("given", "meant"), [("RK45", "dopri5"), ("ode45", "dopri5"), ("Newmark", "generalized-alpha")]
)
def test_names_of_methods_in_other_programs(given, meant):
    with pytest.raises(ChoiceError, match=f"did you mean '{meant}'"):
        ct.simulate(ct.gallery.pendulum_chain(1), 1.0, method=given)


@pytest.mark.parametrize("name", ["method", "formulation", "stabilize"])
def test_words_that_are_not_among_the_choices(system, name):
    with refused(ChoiceError, f"{name} is 'magic'", "'auto'"):
        ct.simulate(system, 1.0, **{name: "magic"})


def test_events(system):
    with refused(EventError, "'top'", "needs a function", "3"):
        ct.Event(3, "top")
    with refused(ChoiceError, "'top'", "direction is 2"):
        ct.Event(lambda t: t, "top", direction=2)
    with refused(EventError, "'top'", "one number"):
        ct.simulate(system, 1.0, events=ct.Event(lambda t: (t, t), "top"))
    with refused(EventError, "one number", "nan"):
        ct.simulate(system, 1.0, events=lambda t: NAN)


def test_a_function_that_fails_between_the_steps_only():
    """The driver is asked next to two thirds of a second by the search for the event's time alone, and its error is raised."""
    error, asked = ZeroDivisionError("mine"), []

    def turn(t):
        asked.append(t)
        if abs(t - 2.0 / 3.0) < 1e-6:
            raise error
        return 3.0 * t

    mech = ct.gallery.parallelogram(0.6)
    mech.drive("crank", "A", turn, rate=lambda t: 3.0, acceleration=lambda t: 0.0)
    system = mech.compile(cut=["C"])
    assert ct.simulate(system, 1.0).status == "done"  # no step comes that close
    assert len(asked) > 20
    with pytest.raises(ZeroDivisionError) as caught:
        ct.simulate(system, 1.0, events=ct.Event(lambda t: t - 2.0 / 3.0, "late"))
    assert caught.value is error


def test_what_is_chosen_is_kept_with_the_run(system):
    words = {"method": "rk4", "step": 0.05, "stabilize": ct.Partition(position=["B", "D"])}
    settings = ct.simulate(system, 0.1, **words).settings
    assert (settings.method, settings.step, settings.stabilize) == ("rk4", 0.05, "partition")
    assert settings.partition == {"position": ("B", "D")}
    assert (ct.simulate(system, 0.1).settings.method, ct.simulate(system, 0.1, step=0.05).settings.method) == (
        "dopri5",
        "rk4",
    )
    assert ct.simulate(system, 0.1).settings.stabilize == "projection"


@pytest.mark.parametrize("coordinates", ["group", "quaternion"])
def test_observed_order_of_dop853(coordinates):
    """Spherical pendulum, few large steps. Measured: 8.0 in group coordinates, 7.7 in quaternions."""
    mech = ct.Mechanism("top")
    top = mech.body("top", 1.0, (0.2, 0.1, 0.4), (0.05, 0.04, 0.02))
    mech.joint("pivot", mech.ground, top, ct.Spherical((0, 0, 0), coordinates=coordinates))
    system, v, span = mech.compile(), [1.5, -2.0, 3.0], 1.0

    def end(steps):
        return ct.simulate(system, span, v=v, step=span / steps, method="dop853", output=[span]).poses()[-1]

    exact = ct.simulate(system, span, v=v, rtol=1e-13, atol=1e-13, output=[span]).poses()[-1]
    errors = [np.abs(end(steps) - exact).max() for steps in (5, 10, 20)]
    assert 1e-12 < errors[1] < 1e-5
    assert np.log2(errors[0] / errors[1]) == pytest.approx(8.0, abs=0.7)


FIXED = "which fixes the step size"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"step": 0.01, "rtol": 1e-7}, ["rtol has no effect with step=0.01, " + FIXED]),
        ({"step": 0.01, "atol": {"A": 1e-12}}, ["atol has no effect with step=0.01, " + FIXED]),
        ({"step": 0.01, "rtol": 1e-3, "atol": 1e-3}, ["rtol and atol have no effect with step=0.01, " + FIXED]),
        (
            {"step": 0.01, "method": "generalized-alpha", "rtol": 1e-3, "atol": 1e-12},
            ["rtol has no effect with step=0.01, " + FIXED],
        ),
        ({"step": 0.01}, []),
        ({"rtol": 1e-6, "atol": 1e-6}, []),
        ({"stabilize": ct.Baumgarte(5.0)}, []),
        ({"method": ct.GeneralizedAlpha(spectral_radius=0.5)}, []),
    ],
)
def test_options_without_effect(system, options, words):
    """They are named in a warning of the run; what is used is not."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        run = ct.simulate(system, 0.05, **options)
        many = ct.simulate_many(system, 0.05, v=np.zeros((2, system.nv)), **options)
    for found in (run.noted, many[1].noted):
        assert [w.kind for w in found] == ["input"] * len(words)
        assert all(str(w).startswith(text) for w, text in zip(found, words, strict=True))
    assert len(said) == 2 * len(words)
    assert all(w.filename == __file__ for w in said)


def test_generalized_alpha_reads_atol_with_a_fixed_step(system):
    """Its iterations end by it."""
    ends = [
        ct.simulate(system, 0.05, v={"A": 3.0}, step=0.01, method="generalized-alpha", **options).q[-1]
        for options in ({}, {"atol": 1e-13})
    ]
    assert np.any(ends[0] != ends[1])
