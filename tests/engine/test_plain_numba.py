"""Numba as it is: where its version is not known, or by the switch, kernels are ordinary functions of it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba.core import config

import cotree as ct
from cotree.engine import cache, plain_numba
from cotree.engine.interpreted import INTERPRETED
from cotree.engine.plain_numba import NEWEST, OLDEST, SWITCH, why_plain
from cotree.errors import CacheWarning


def numbers():
    """The mass matrix of two links; `make quick-plain` runs the fast tier in this way."""
    system = ct.gallery.pendulum_chain(2).compile()
    return ct.mass_matrix(system, system.q0 + 0.3).tolist()


SCRIPT = """
import json, warnings
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    from tests.engine.test_plain_numba import numbers
    found = numbers()
    from cotree.lie import so3
    print(json.dumps([found, [str(w.message) for w in told], type(so3.exp).__module__]))
"""


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_the_same_numbers_with_one_warning():
    root = Path(__file__).resolve().parents[2]
    path = os.pathsep.join([str(Path(ct.__file__).parents[1]), str(root)])
    environment = {**os.environ, SWITCH: "1", "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found, told, owner = json.loads(done.stdout)
    assert owner.startswith("numba.")
    assert [SWITCH in text for text in told] == [True]
    np.testing.assert_allclose(found, numbers(), rtol=1e-12, atol=1e-14)


@pytest.fixture(autouse=True)
def _no_switch(monkeypatch):
    monkeypatch.delenv(SWITCH, raising=False)


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_versions_that_were_compared_are_changed(version):
    assert why_plain("{}.{}.1".format(*version)) == ""


@pytest.mark.parametrize("version", ["0.62.1", "0.69.0", "1.0", "0.70.0dev0+12.gabc", "unknown"])
def test_other_versions_are_left_as_they_are(version):
    assert version in why_plain(version)


def test_a_version_without_what_is_replaced_is_left_as_it_is():
    assert "numba.core.codegen.CPUCodeLibrary._gone" in why_plain(
        "0.68.0", {"numba.core.codegen": ("CPUCodeLibrary._finalize_final_module", "CPUCodeLibrary._gone")}
    )
    assert "numba.gone" in why_plain("0.68.0", {"numba.gone": ("name",)})


def test_the_switch_is_told_of(monkeypatch):
    monkeypatch.setenv(SWITCH, "1")
    monkeypatch.setattr(plain_numba, "INTERPRETED", False)
    with pytest.warns(CacheWarning, match=SWITCH):
        assert plain_numba.warn_if_plain()


def test_whatever_is_replaced_is_looked_for():
    """Before a function of Numba is replaced it is known to be there."""
    linking = pytest.importorskip("cotree.engine.linking")
    looked_for = {name for names in plain_numba.INSIDE.values() for name in names}
    replaced = {f"{owner.__name__}.{name}" for owner, name in linking._REPLACED if not name.startswith("__")}
    assert replaced <= looked_for


@pytest.mark.skipif(cache.PLAIN, reason="code of one kind is stored")
def test_stored_code_of_both_kinds_lies_side_by_side(tmp_path, monkeypatch):
    """Code that is stored anew removes what was stored from other sources, and leaves that of the other kind alone."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    files = [kind(numbers, {})._cache_file for kind in (cache._PlainCache, cache._Cache)]
    names = [file._name_of(("signature",)) for file in files]
    for file, name in zip(files, names, strict=True):
        file._save_data(name, "code")
    for file, name in zip(files, names, strict=True):
        file._remove_others(name)
    assert sorted(path.name for path in Path(files[0]._cache_path).glob("*.nbc")) == sorted(names)
