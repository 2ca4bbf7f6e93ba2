"""Choices as values: each is its word with default options; old keywords warn and make the same run."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ArgumentError, ChoiceError, CotreeDeprecationWarning, ShapeError, UntrustedRunError
from cotree.formulations.choices import FORMULATION_VALUES
from cotree.formulations.contract import FORMULATIONS
from cotree.integrate.choices import VALUES
from cotree.integrate.methods.contract import METHODS
from cotree.integrate.settings import STABILIZERS, Settings
from tests.model.builders import refused

EVERY = [(what, word) for what, values in VALUES.items() for word in values]


@pytest.fixture(scope="module")
def system():
    return ct.gallery.four_bar().compile()


def same(a, b):
    return np.array_equal(a.q, b.q) and np.array_equal(a.v, b.v) and a.settings == b.settings


@pytest.mark.parametrize(("what", "word"), EVERY)
def test_a_value_is_its_word(what, word):
    value = VALUES[what][word]()
    found, usual = (replace(Settings.of(**{what: x}), stabilize="") for x in (value, word))
    assert found == usual
    assert repr(value) == f"ct.{type(value).__name__}()"
    assert getattr(ct, type(value).__name__) is type(value)
    assert Settings.of(**{what: value}).choices[what] == value


def test_every_choice_of_the_package_has_a_value():
    assert set(VALUES["method"]) == set(METHODS)
    assert {*FORMULATION_VALUES, "auto"} == set(FORMULATIONS)
    assert set(VALUES["stabilize"]) == set(STABILIZERS)


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ({"method": ct.RK4(), "step": 0.01}, {"method": "rk4", "step": 0.01}),
        ({"formulation": ct.Voronets()}, {"formulation": "voronets"}),
        ({"stabilize": ct.Baumgarte()}, {"stabilize": "baumgarte"}),
        ({"step": ct.Adaptive()}, {}),
    ],
)
def test_runs_of_values_and_words_are_the_same(system, value, word):
    assert same(ct.simulate(system, 0.1, **value), ct.simulate(system, 0.1, **word))


OLD = [
    ({"stabilize": "baumgarte", "baumgarte": 5.0}, {"stabilize": ct.Baumgarte(5.0)}),
    ({"baumgarte": 5.0}, {}),
    ({"method": "generalized-alpha", "spectral_radius": 0.5}, {"method": ct.GeneralizedAlpha(spectral_radius=0.5)}),
    ({"spectral_radius": 0.5}, {}),
    (
        {"stabilize": "partition", "partition": {"position": ["B", "D"]}},
        {"stabilize": ct.Partition(position=["B", "D"])},
    ),
    ({"formulation": "voronets", "independent": ["A"]}, {"formulation": ct.Voronets(independent=["A"])}),
    ({"stabilize_above": 1e-6}, {"stabilize": ct.Projection(above=1e-6)}),
    ({"stabilize_above": None}, {"stabilize": ct.Projection()}),
    ({"transitions": "naive"}, {"stabilize": ct.Projection(transitions="naive")}),
    ({"max_step": 0.01}, {"step": ct.Adaptive(max_step=0.01)}),
    ({"max_step": None, "step": 0.01}, {"step": 0.01}),
    ({"strict": True}, {}),
]


@pytest.mark.parametrize(("old", "new"), OLD)
def test_old_keywords_warn_once_and_make_the_same_run(system, old, new):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        run = ct.simulate(system, 0.1, v={"A": 1.5}, **old)
    assert [(w.category, w.filename) for w in said] == [(CotreeDeprecationWarning, __file__)]
    assert issubclass(CotreeDeprecationWarning, DeprecationWarning)
    chosen = new.get("stabilize") or new.get("method") or new.get("formulation") or new.get("step")
    assert (
        repr(chosen) in str(said[0].message) or "nothing: it has no effect" in str(said[0].message) or "strict" in old
    )
    usual = ct.simulate(system, 0.1, v={"A": 1.5}, **new)
    assert np.array_equal(run.q, usual.q)
    assert np.array_equal(run.v, usual.v)
    assert run.settings.choices == usual.settings.choices


def test_old_keywords_of_times_and_of_other_functions(system):
    with pytest.warns(CotreeDeprecationWarning, match=r"t_start= .* write t_end=\(1.0, 1.1\)"):
        late = ct.simulate(system, 1.1, t_start=1.0)
    assert same(late, ct.simulate(system, (1.0, 1.1)))
    with pytest.warns(CotreeDeprecationWarning, match=r"max_step= .* write step=ct\.Adaptive\(max_step=0.01\)"):
        many = ct.simulate_many(system, 0.1, v={"A": [1.0, 2.0]}, max_step=0.01)
    assert np.array_equal(many.q, ct.simulate_many(system, 0.1, v={"A": [1.0, 2.0]}, step=ct.Adaptive(0.01)).q)
    with pytest.warns(CotreeDeprecationWarning, match=r"write stabilize=ct\.Baumgarte\(rate=5.0\)"):
        old = ct.Stepper(system, 0.01, "rk4", stabilize="baumgarte", baumgarte=5.0)
    assert old.settings == ct.Stepper(system, 0.01, ct.RK4(), stabilize=ct.Baumgarte(5.0)).settings
    with pytest.raises(ChoiceError, match="step= fixes the step size and max_step= limits"):
        ct.simulate(system, 0.1, step=0.01, max_step=0.01)
    with refused(ArgumentError, "partition is [3]", "give a dict"):
        ct.simulate(system, 0.1, stabilize="partition", partition=[3])
    with pytest.raises(
        ArgumentError, match="simulate has no argument 'spectral_radus'; did you mean 'spectral_radius'"
    ):
        ct.simulate(system, 0.1, spectral_radus=0.5)


@pytest.mark.parametrize("rate", [-1.0, 0.0, float("nan"), None, "fast"])
def test_wrong_options_are_named(rate):
    with refused(ShapeError, f"rate is {rate!r}", "positive number"):
        ct.Baumgarte(rate)
    with (
        refused(ShapeError, f"max_step is {rate!r}", "positive number")
        if rate is not None
        else refused(ChoiceError, "transitions is None")
    ):
        ct.Adaptive(rate) if rate is not None else ct.Baumgarte(transitions=None)


def test_values_of_another_kind_are_refused(system):
    with refused(ChoiceError, "method is ct.Baumgarte()", "'rk4'"):
        ct.simulate(system, 0.1, method=ct.Baumgarte())
    with refused(ChoiceError, "stabilize is ct.RK4()", "'projection'"):
        ct.simulate(system, 0.1, stabilize=ct.RK4())


def test_a_run_that_is_trusted(system):
    run = ct.simulate(system, 0.1)
    assert run.trusted() is run
    with pytest.warns(ct.errors.RunWarning), pytest.raises(UntrustedRunError, match="no effect") as caught:
        ct.simulate(system, 0.1, step=0.01, rtol=1e-3).trusted()
    assert caught.value.run.settings.step == 0.01


def test_forward_dynamics_takes_values(system):
    v = ct.consistent_velocity(system, system.q0, np.ones(3))
    value, word = (
        ct.forward_dynamics(system, system.q0, v, **x)
        for x in ({"formulation": ct.Voronets(["A"])}, {"formulation": "voronets", "independent": ["A"]})
    )
    assert np.array_equal(value.v_dot, word.v_dot)
