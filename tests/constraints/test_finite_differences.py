"""Derivatives by central differences whose step finds itself."""

import math

import numpy as np
import pytest

from cotree.constraints.finite_differences import GROWTH, SMALLEST, USUAL, derivative, derivatives


@pytest.mark.parametrize("frequency", [0.01, 0.3, 1.0, 7.0, 30.8, 50.0, 1000.0])
@pytest.mark.parametrize("t", [0.0, 0.37, -12.9, 1e4])
def test_oscillations_of_any_frequency(frequency, t):
    """Relative to the amplitudes of the derivatives; at large t the argument's own rounding is in it."""
    w = 2 * math.pi * frequency
    first, second = derivatives(lambda s: math.sin(w * s), t)
    slack = 1 + w * abs(t)
    assert first == pytest.approx(w * math.cos(w * t), abs=1e-9 * w * min(slack, 100))
    assert second == pytest.approx(-w * w * math.sin(w * t), abs=2e-9 * w * w * min(slack, 1000))


def test_no_frequency_is_taken_for_a_slower_one():
    rng = np.random.default_rng(0)
    for w in 2 * math.pi * rng.uniform(0.05, 500.0, 400):
        first, second = derivatives(lambda s, w=w: math.cos(w * s + 0.3), 0.1)
        assert first == pytest.approx(-w * math.sin(w * 0.1 + 0.3), abs=1e-9 * w)
        assert second == pytest.approx(-w * w * math.cos(w * 0.1 + 0.3), abs=1e-9 * w * w)


def test_arrays_and_polynomials():
    first, second = derivatives(lambda t: np.array([[t**5, 3.0], [t, math.exp(t)]]), 0.5)
    np.testing.assert_allclose(first, [[5 * 0.5**4, 0], [1, math.exp(0.5)]], rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(second, [[20 * 0.5**3, 0], [0, math.exp(0.5)]], rtol=1e-9, atol=1e-9)


def test_a_function_with_noise_gets_a_wider_step():
    rng = np.random.default_rng(1)
    first, _ = derivatives(lambda t: math.sin(t) + 1e-9 * rng.standard_normal(), 0.4)
    assert first == pytest.approx(math.cos(0.4), abs=1e-6)


def test_the_domain_may_end_nearby():
    first, second = derivatives(math.sqrt, 0.01)
    assert first == pytest.approx(5.0, rel=1e-9)
    assert second == pytest.approx(-250.0, rel=1e-7)
    with pytest.raises(ValueError, match=r"math domain error|nonnegative"):
        derivatives(math.sqrt, 0.0)


@pytest.mark.parametrize("multiple", [1, 2, 5])
@pytest.mark.parametrize("beside", [0.0, 0.05, -0.4])
def test_oscillations_as_fast_as_the_step_tried_first(multiple, beside):
    """To steps of their period they do not move, and beside it they look slow; here about the peak of a slow motion."""
    w = 2 * math.pi * (multiple / (SMALLEST * GROWTH**USUAL) + beside)
    for phase in (0.3, math.pi / 2):
        first, second = derivatives(lambda s, p=phase: math.cos(s) + 1e-3 * math.sin(w * s + p), 0.0)
        assert first == pytest.approx(1e-3 * w * math.cos(phase), abs=1e-9 * w)
        assert second == pytest.approx(-1.0 - 1e-3 * w * w * math.sin(phase), abs=1e-9 * w * w)


@pytest.mark.parametrize("order", [1, 2])
def test_few_values_of_usual_functions_are_asked_for(order):
    """57 when all steps are tried. The last one cancels to nearly nothing at t, as residuals do."""
    for f in (
        math.sin,
        lambda s: math.exp(-2 * s),
        lambda s: (0.4 + s) - (0.4 + s) ** 2 - 0.24 + 0.3 * math.sin(2 * s),
    ):
        asked = []
        derivative(lambda s, f=f, asked=asked: asked.append(s) or f(s), 0.0, order)
        assert len(asked) < 40
