"""The package as it is imported: quick, lazy, with its names in view."""

import runpy
import subprocess
import sys
import tomllib
import warnings
from pathlib import Path

import pytest

import cotree as ct
from cotree.engine import plain_numba

ROOT = Path(__file__).resolve().parent.parent

PROBE = """
import sys, time
start = time.process_time()
import cotree
elapsed = time.process_time() - start
heavy = sorted(m for m in ("numba", "scipy", "numpy", "matplotlib", "llvmlite") if m in sys.modules)
print(elapsed, heavy, "Revolute" in dir(cotree))
"""


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_importing_costs_next_to_nothing():
    """In time of the processor, the quickest of three: others may be at work on the machine."""
    tries = [run(PROBE).split(" ", 1) for _ in range(3)]
    assert min(float(elapsed) for elapsed, _ in tries) < 1.0
    assert {rest.strip() for _, rest in tries} == {"[] True"}


def test_describing_a_mechanism_compiles_nothing():
    code = (
        "import sys, cotree as ct; m = ct.Mechanism(); m.body('b', 1, (0, 0, 0));"
        "m.joint('j', 'ground', 'b', ct.Revolute()); print('numba' in sys.modules, 'scipy' in sys.modules)"
    )
    assert run(code).split() == ["False", "False"]


def test_dir_lists_every_name():
    assert set(ct.__all__) <= set(dir(ct))
    assert {"Mechanism", "Revolute", "forward_dynamics", "poses", "errors", "lie", "kinematics"} <= set(dir(ct))
    assert dir(ct) == sorted(dir(ct))


@pytest.mark.parametrize("name", ["lie", "sensors", "integrate"])
def test_dir_of_a_part_lists_names_that_are_loaded_later(name):
    code = f"import cotree.{name} as part; print(set(part.__all__) <= set(dir(part)), dir(part) == sorted(dir(part)))"
    assert run(code).split() == ["True", "True"]


def test_a_name_that_is_not_in_lie():
    with pytest.raises(ct.errors.MissingAttributeError, match="did you mean 'exp_"):
        _ = ct.lie.exp_se


@pytest.mark.parametrize("name", ct.__all__)
def test_every_name_is_there(name):
    assert getattr(ct, name).__name__ == name


def test_objects_of_the_papers_are_apart():
    assert not set(ct.theory.__all__) & set(dir(ct))
    assert set(ct._MOVED) | set(ct._ALSO_THERE) == set(ct.theory.__all__)
    assert dir(ct.theory) == sorted(dir(ct.theory))
    with pytest.raises(ct.errors.MissingAttributeError, match="did you mean 'christoffel'"):
        _ = ct.theory.cristoffel


@pytest.mark.parametrize("name", ct._MOVED)
def test_old_names_warn(name):
    with pytest.warns(ct.errors.CotreeDeprecationWarning, match=f"ct.{name} is now called ct.theory.{name}"):
        assert getattr(ct, name) is getattr(ct.theory, name)


@pytest.mark.parametrize("name", ct._ALSO_THERE)
def test_names_that_programs_call_stay(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert getattr(ct, name) is getattr(ct.theory, name)


@pytest.mark.parametrize("name", ["errors", "lie", "screws", "topology", "model", "system", "kinematics", "dynamics"])
def test_every_part_is_there(name):
    assert getattr(ct, name).__name__ == f"cotree.{name}"


def test_a_star_import_brings_the_names():
    assert run("from cotree import *; print(Mechanism.__name__, poses.__name__)").split() == ["Mechanism", "poses"]


def test_every_error_is_documented_and_of_the_family():
    classes = [c for c in vars(ct.errors).values() if isinstance(c, type)]
    assert len(classes) > 10
    for c in classes:
        assert issubclass(c, (ct.errors.CotreeError, ct.errors.CotreeWarning))
        assert c.__doc__


def test_a_key_error_shows_its_message_plainly():
    error = ct.errors.UnknownNameError("no body 'x'")
    assert str(error) == "no body 'x'"
    assert isinstance(error, KeyError)
    assert isinstance(error, ValueError)
    assert str(ct.errors.UnknownNameError()) == ""


def test_the_lowest_versions_are_those_that_are_promised(capsys):
    """What `make quick-lowest` installs is made from pyproject.toml, and the engine knows the lowest Numba."""
    bounds = runpy.run_path(str(ROOT / "tools" / "lowest.py"))["lowest"]()
    runtime = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert runtime == [f"{name}>={bounds[name]}" for name in ("numpy", "scipy", "numba", "msgspec", "tqdm")]
    assert tuple(map(int, bounds["numba"].split("."))) == plain_numba.OLDEST
    runpy.run_path(str(ROOT / "tools" / "lowest.py"), run_name="__main__")
    assert f"numpy=={bounds['numpy']}\n" in capsys.readouterr().out


def test_bounds_of_another_form_are_refused(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["numpy"]\noptional-dependencies = {}\n')
    with pytest.raises(SystemExit, match="numpy"):
        runpy.run_path(str(ROOT / "tools" / "lowest.py"))["lowest"](tmp_path / "pyproject.toml")
