"""Examples in the docstrings of public names: they run, and print what they show."""

import doctest
import inspect
import runpy
from operator import attrgetter
from pathlib import Path

import pytest

import cotree as ct

NEEDS = {
    "Mechanism.picture": "PIL", "Run.movie": "PIL", "Run.picture": "PIL", "Run.plot": "matplotlib",
    "Run.save": "h5py", "Run.switch_table": "pandas", "Run.to_dataframe": "pandas", "Run.to_xarray": "xarray",
    "export_fmu": "pythonfmu3", "least_effort": "casadi", "load_run": "h5py", "load_sweep": "xarray", "read_step": "OCP",
    "sweep": "xarray", "tolerances": "xarray",
}  # fmt: skip
WITHOUT = {"Mechanism.view", "Run.view", "System.view", "Transition"}  # what opens a browser; a result
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def documented():
    """Name and docstring of public names and of the methods of the main classes."""
    for name in ct.__all__:
        yield name, inspect.getdoc(getattr(ct, name)) or ""
    for name in ct.theory.__all__:
        yield f"theory.{name}", inspect.getdoc(getattr(ct.theory, name)) or ""
    for c in (ct.Mechanism, ct.System, ct.Run, ct.Stepper, ct.BatchStepper):
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


def test_every_function_has_an_example():
    """Properties need none."""
    names = [name for name, _ in documented() if callable(attrgetter(name)(ct))]
    assert len(names) > 200
    assert set(names) - EXAMPLES.keys() == WITHOUT


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    assert failures(EXAMPLES[name], name) == ""


def test_wrong_examples_are_noticed():
    assert "Expected:\n    2" in failures(">>> 1\n2\n", "wrong")


def test_docstrings_have_the_sections_of_numpy():
    pytest.importorskip("numpydoc")
    check = runpy.run_path(str(Path(__file__).resolve().parent.parent.parent / "tools" / "docstrings.py"))
    assert [
        line
        for name, member in check["members"]()
        if name not in check["PENDING"]
        for line in check["errors"](name, member)
    ] == []


def test_missing_sections_are_noticed():
    pytest.importorskip("numpydoc")
    check = runpy.run_path(str(Path(__file__).resolve().parent.parent.parent / "tools" / "docstrings.py"))
    assert check["errors"]("lie.exp_se3", ct.lie.exp_se3)[0].startswith("lie.exp_se3: ")
