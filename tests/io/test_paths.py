"""Paths and other arguments of functions that read and write files."""

import pytest

import cotree as ct
from cotree.errors import ArgumentError, ChoiceError, ShapeError
from cotree.io.results.writing import save_run
from tests.model.builders import four_bar, pendulum, refused

ODD = (5, None, b"x.json", ["x.json"], "a\0b.json", "\ud800.json", ".", "")


@pytest.fixture(scope="module")
def run():
    return ct.simulate(pendulum(), 0.01)


@pytest.mark.parametrize("path", ODD, ids=repr)
def test_what_is_not_a_path(path, run):
    calls = [
        (lambda: ct.load(path), "load(path)"), (lambda: ct.save(pendulum(), path), "save(mech, path)"),
        (lambda: ct.load_run(path), "load_run(path)"), (lambda: run.save(path), "run.save(path)"),
        (lambda: run.html(path), "html(path)"), (lambda: ct.read_step(path), "read_step(path)"),
    ]  # fmt: skip
    if path is not None:
        calls.append((lambda: run.plot(path), "plot(path)"))
    for call, words in calls:
        with refused(ArgumentError, "the path", words):
            call()


def test_arguments_in_another_order():
    with refused(ArgumentError, "<Mechanism 'four-bar'", "save(mech, path)"):
        ct.save("x.json", four_bar())
    with refused(ShapeError, "got 3"):
        save_run(3, "x.h5")


def test_other_arguments(tmp_path):
    file = tmp_path / "m.json"
    ct.save(four_bar(), file)
    with refused(ArgumentError, "functions is 5", "a dict of functions"):
        ct.load(file, functions=5)
    with refused(ChoiceError, "missing is ['zero']", "'raise', 'zero'"):
        ct.load(file, missing=["zero"])
    with refused(ArgumentError, "omit is 5"):
        ct.read_step("x.step", omit=5)
    with refused(ArgumentError, "the path is 7", "meshes=folder"):
        ct.read_step("x.step", meshes=7)


def test_an_emergency_stop_names_what_is_wrong():
    mech = four_bar()
    for words, options in (
        ("brakes is 5", {"brakes": 5}), ("locks is ['A']", {"locks": ["A"]}),
        ("watch is 0.5", {"brakes": {"A": 1}, "watch": 0.5}),
    ):  # fmt: skip
        with refused(ArgumentError, "emergency stop", words):
            ct.emergency_stop(mech, 0.1, **options)
    with refused(ArgumentError, "needs a Mechanism", "got 1.0"):
        ct.emergency_stop(1.0, mech)
    for options in (
        {"at": "x", "brakes": {"A": 1.0}},
        {"at": 0.1, "locks": {"A": None}},
        {"at": 0.1, "brakes": {"A": 1}, "t_end": "x"},
    ):
        with refused(ShapeError, "give a time in seconds"):
            ct.emergency_stop(mech, **options)
    with refused(ShapeError, "watch: point must be 3 numbers"):
        ct.emergency_stop(mech, 0.1, {"A": 1.0}, watch=("crank", "tip"))
