"""Examples in the docstrings of public names: they run, and print what they show."""

import doctest
import inspect

import pytest

import cotree as ct

MOST_USED = (
    "Mechanism", "Mechanism.body", "Mechanism.compile", "Mechanism.drive", "Mechanism.joint", "Mechanism.lock",
    "Mechanism.motor", "Mechanism.spring", "Event", "Revolute", "Stepper", "actuator_forces", "assemble", "body_jacobian",
    "center_of_mass",
    "consistent_velocity", "constraint_bias", "constraint_jacobian", "constraint_residual", "degrees", "displace", "energy",
    "forward_dynamics", "forward_dynamics_derivatives", "inverse_dynamics", "inverse_dynamics_derivatives", "linearize",
    "mass_matrix", "measure", "mobility", "momentum", "motion_algebra", "poses", "reduced", "save", "self_stress", "simulate",
    "simulate_many", "spatial_jacobian", "transition", "twists",
)  # fmt: skip
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def documented():
    """Name and docstring of public names and of the methods of the main classes."""
    for name in ct.__all__:
        yield name, inspect.getdoc(getattr(ct, name)) or ""
    for c in (ct.Mechanism, ct.System, ct.Run, ct.Stepper):
        for name, member in inspect.getmembers(c):
            if not name.startswith("_"):
                yield f"{c.__name__}.{name}", inspect.getdoc(member) or ""


EXAMPLES = {name: text for name, text in documented() if ">>>" in text}


def failures(text, name):
    """What doctest prints of the examples in a text that fail."""
    printed = []
    test = doctest.DocTestParser().get_doctest(text, {"ct": ct}, name, None, 0)
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=printed.append)
    return "".join(printed)


def test_the_most_used_names_have_examples():
    assert [name for name in MOST_USED if name not in EXAMPLES] == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name):
    assert failures(EXAMPLES[name], name) == ""


def test_wrong_examples_are_noticed():
    assert "Expected:\n    2" in failures(">>> 1\n2\n", "wrong")
