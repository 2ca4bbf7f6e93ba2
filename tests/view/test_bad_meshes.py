"""Mesh files that cannot be drawn: bars stand in for them, and nothing breaks or grows."""

import numpy as np
import pytest

import cotree as ct
from cotree.model.mesh_files import MOST, fewer, triangles_of

POINTS = b"v 0 0 0\nv 1 0 0\nv 0 1 0\n"
BAD = {
    "index.obj": POINTS + b"f 99999999999999999999 1 2\n",
    "digits.obj": POINTS + b"f " + b"9" * 5000 + b" 1 2\n",
    "huge.obj": b"v 1e308 0 0\nv -1e308 0 0\nv 0 1e308 0\nf 1 2 3\n",
    "nan.obj": b"v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
    "fan.obj": POINTS + b"f " + b"1 2 3 " * 200_000 + b"\n",
    "huge.stl": b"solid\nvertex 1e308 -1e308 1e308\nvertex 0 0 0\nvertex -1e308 0 0\n",
}


@pytest.mark.parametrize("name", BAD)
def test_files_that_are_none(tmp_path, name):
    (tmp_path / name).write_bytes(BAD[name])
    assert triangles_of(ct.Mesh(tmp_path / name)) is None


def test_names_that_are_too_long():
    assert triangles_of(ct.Mesh("a" * 5000 + ".obj")) is None


@pytest.mark.parametrize("extension", ["obj", "stl"])
def test_files_that_are_too_large(tmp_path, extension):
    path = tmp_path / f"sparse.{extension}"
    with path.open("wb") as file:
        file.truncate(3 << 30)
    assert triangles_of(ct.Mesh(path)) is None


def test_all_points_in_one(tmp_path):
    (tmp_path / "same.obj").write_bytes(b"v 1 1 1\n" * 3 + b"f 1 2 3\n" * (MOST + 5))
    found = triangles_of(ct.Mesh(tmp_path / "same.obj"))
    assert found.shape == (MOST, 3, 3)
    assert np.all(found == 1.0)


def test_many_triangles_in_a_few_points():
    """As many are left as by comparing whole rows."""
    corners = np.random.default_rng(3).integers(0, 7, (MOST + 1, 3, 3)) / 7.0
    cells = np.unique(np.floor(corners.reshape(-1, 3) / (6.0 / 7.0 / 256)), axis=0, return_inverse=True)[1].reshape(
        -1, 3
    )
    kept = [len(set(c)) == 3 for c in cells.tolist()]
    found = fewer(corners)
    assert len(found) == len({tuple(sorted(c)) for c, k in zip(cells.tolist(), kept, strict=True) if k})
    assert np.allclose(7.0 * found, np.round(7.0 * found)), "corners stay where they are"
