"""The stamp that guards compiled code against sources that changed."""

import pytest

from cotree import _kernel
from cotree._kernel import package_stamp


@pytest.fixture
def tree(tmp_path):
    """A package of three files, one of them in a folder."""
    (tmp_path / "inner").mkdir()
    for name in ("a.py", "b.py", "inner/c.py"):
        (tmp_path / name).write_text(f"# {name}")
    return tmp_path


@pytest.mark.parametrize("name", ["a.py", "b.py", "inner/c.py"])
def test_any_changed_file_changes_the_stamp(tree, name):
    """Also when size and times stay the same."""
    before = package_stamp(tree)
    (tree / name).write_text((tree / name).read_text().replace("#", "!"))
    assert package_stamp(tree) != before


def test_added_removed_and_renamed_files_change_the_stamp(tree):
    stamps = [package_stamp(tree)]
    (tree / "d.py").write_text("")
    stamps.append(package_stamp(tree))
    (tree / "d.py").rename(tree / "e.py")
    stamps.append(package_stamp(tree))
    (tree / "a.py").unlink()
    stamps.append(package_stamp(tree))
    assert len(set(stamps)) == 4


def test_other_files_and_times_do_not(tree):
    before = package_stamp(tree)
    (tree / "notes.txt").write_text("not code")
    (tree / "a.py").touch()
    assert package_stamp(tree) == before


def test_kernels_carry_the_stamp_of_the_package():
    """Numba's private attribute is still where the decorator looks for it."""

    @_kernel.kernel
    def double(x):
        return 2 * x

    assert double._cache._cache_file._source_stamp == _kernel._STAMP
    assert double(3) == 6
