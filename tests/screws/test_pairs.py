"""Two screws in plain numbers give the group that the fits on arrays give."""

import numpy as np
import pytest

from cotree.screws import TOLERANCE, screw, translation_screw
from cotree.screws.closure import _smallest_of_all, closure
from cotree.screws.pairs import about_one_axis
from cotree.screws.spans import same
from cotree.screws.subgroups import subgroup

Z, TILTED = np.array([0.0, 0.0, 1.0]), np.array([0.36, -0.48, 0.8])
PLACES = [(0, 0, 0), (0.3, 0.1, -0.2), (0.3, 0.1, 0.9), (1e-9, 0, 0)]


def unit_size(x):
    return x / np.linalg.norm(x)


def screws(e):
    turning = [screw(s * e, p, h) for s in (1.0, -1.0) for p in PLACES for h in (0.0, 0.2)]
    return [unit_size(x) for x in (*turning, translation_screw(e), translation_screw(np.cross(e, (1, 0.2, 0.3))))]


@pytest.mark.parametrize("e", [Z, TILTED], ids=["along z", "tilted"])
@pytest.mark.parametrize("off", [0.0, 1e-9, 1e-3])
def test_against_arrays(e, off):
    """Parallel axes, coaxial ones, screws, slides; exact, noisy, and axes that are not parallel."""
    tilt = np.array([0.2, 0.5, -0.1]) * off
    kinds = set()
    for x in screws(e):
        for y in screws(unit_size(e + tilt)):
            X = np.array([x, y]).T
            expected, found = _smallest_of_all(X, TOLERANCE), about_one_axis(x.tolist(), y.tolist(), TOLERANCE)
            if found is None:
                assert expected.axis is None or expected.kind.name in ("PRISMATIC", "PLANAR_TRANSLATION")
                continue
            group = subgroup(*found)
            kinds.add(group.kind.name)
            assert group.kind == expected.kind
            for a, b in ((group.axis, expected.axis), (group.point or (0,), expected.point or (0,))):
                assert np.abs(np.array(a) - b).max() < 1e-6
            assert (group.pitch or 0.0) == pytest.approx(expected.pitch or 0.0, abs=1e-6)
            assert same(closure(X), closure(X[:, ::-1]))
    assert kinds == (
        {"REVOLUTE", "HELICAL", "CYLINDRICAL", "PLANAR", "HELICAL_PLANAR", "SCHOENFLIES"} if off < 1e-6 else kinds
    )
