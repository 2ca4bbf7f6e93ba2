"""Compiled code on disk: found again, made anew when damaged, and done without where nothing can be written."""

import os
import subprocess
import sys

import pytest

from cotree.engine.cache import _Cache, with_sum
from cotree.integrate import loop
from cotree.lie import se3

MODULE = """
from cotree.engine.kernel import kernel


@kernel
def double(x):
    return 2 * x
"""
OTHER = MODULE.replace("2 * x", "17 * x")  # of other length: Python tells sources of one second by their length
SCRIPT = """
import sys, warnings
sys.path.insert(0, sys.argv[1])
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    import cotree.engine.kernel
    told.clear()
    from stored import double
    value = double(3)
print(value, sum(double.stats.cache_hits.values()), sum(double.stats.cache_misses.values()), len(told))
print(*[w.message for w in told])
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "stored.py").write_text(MODULE)
    return tmp_path


def use(folder, **environment):
    """(value, found on disk, compiled, warnings), and the text of the warnings, in a process of its own."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)} | environment
    env.pop("NUMBA_CACHE_DIR", None)  # code is stored beside its source
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder)], env=env, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    first, *rest = run.stdout.splitlines()
    return tuple(map(int, first.split())), "\n".join(rest)


def files(folder):
    return sorted((folder / "__pycache__").glob("*double*.nb*"))


def test_code_is_found_again(folder):
    assert use(folder)[0] == (6, 0, 1, 0)
    assert use(folder)[0] == (6, 1, 0, 0)


def test_lines_above_do_not_matter(folder):
    use(folder)
    (folder / "stored.py").write_text("# a line more\n" + MODULE.replace("return", '"""Twice."""\n    return'))
    assert use(folder)[0] == (6, 1, 0, 0)


def test_a_changed_function_is_compiled(folder):
    use(folder)
    (folder / "stored.py").write_text(OTHER)
    assert use(folder)[0] == (51, 0, 1, 0)


DAMAGES = {
    "empty": lambda data: b"",
    "short": lambda data: data[:7],
    "cut": lambda data: data[: len(data) // 2],
    "one byte": lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:],
    "text": lambda data: b"this is not compiled code" * 20,
}


@pytest.mark.parametrize("which", [".nbi", ".nbc"])
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damaged_files_are_made_anew(folder, damage, which):
    use(folder)
    for file in files(folder):
        if file.suffix == which:
            file.write_bytes(damage(file.read_bytes()))
    assert use(folder)[0] == (6, 0, 1, 0)
    assert use(folder)[0] == (6, 1, 0, 0)


GONE = b"cno_such_module\nType\n."  # a pickle of a type that another version had


@pytest.mark.parametrize("which", [".nbi", ".nbc"])
def test_files_of_another_version_are_made_anew(folder, which):
    use(folder)
    for file in files(folder):
        if file.suffix == which:
            file.write_bytes(with_sum(GONE))
    assert use(folder)[0] == (6, 0, 1, 0)
    assert use(folder)[0] == (6, 1, 0, 0)


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_a_folder_in_the_place_of_a_file(folder, suffix):
    """Writing fails as on a full or read-only disk: the result is right, and a warning says what to do."""
    use(folder)
    for file in files(folder):
        if file.suffix == suffix:
            file.unlink()
            file.mkdir()
    counts, text = use(folder)
    assert counts == (6, 0, 1, 1)
    assert "NUMBA_CACHE_DIR" in text


def test_no_directory_at_all(folder):
    """Neither beside the source nor in a home directory."""
    (folder / "__pycache__").write_text("a file where a directory is wanted")
    blocked = folder / "blocked"
    blocked.write_text("")
    counts, text = use(folder, HOME=str(blocked), XDG_CACHE_HOME=str(blocked), PYTHONDONTWRITEBYTECODE="1")
    assert counts == (6, 0, 1, 1)
    assert "every process compiles again" in text


def test_every_kernel_of_the_package_uses_it():
    assert isinstance(loop.advance._cache, _Cache)
    assert isinstance(se3.compose._cache, _Cache)


def test_names_of_files_follow_from_what_is_stored(folder):
    """Processes that store code of one function for different arguments at the same time must not write to one file."""
    use(folder)
    [first] = [f.name for f in files(folder) if f.suffix == ".nbc"]
    for file in files(folder):
        file.unlink()
    (folder / "stored.py").write_text(OTHER)
    use(folder)
    [second] = [f.name for f in files(folder) if f.suffix == ".nbc"]
    assert first != second


def test_code_of_other_sources_is_removed(folder):
    use(folder)
    (folder / "stored.py").write_text(OTHER)
    use(folder)
    assert len(files(folder)) == 2  # one index, one code
