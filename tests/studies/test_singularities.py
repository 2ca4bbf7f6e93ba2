"""Maps of singular configurations, compared with those known by hand."""

import numpy as np
import pytest

import cotree as ct
from tests.closed_mechanisms import Z, four_bar, single_loop


def parallelogram() -> ct.System:
    return single_loop([("Revolute", p, Z) for p in ((0, 0, 0), (0, 1, 0), (2, 1, 0), (2, 0, 0))]).compile()


def five_bar() -> ct.System:
    points = [(0, 0, 0), (-0.5, 1, 0), (0.6, 1.9, 0), (1.6, 1, 0), (1.2, 0, 0)]
    return single_loop([("Revolute", p, Z) for p in points]).compile(cut=["j2"])


def test_flat_parallelogram_is_a_singularity_of_the_loop():
    found = ct.singularities(parallelogram(), {"j0": np.linspace(-2.5, 2.5, 20)})
    assert [s.kind for s in found.found] == ["loops", "loops"]
    assert np.allclose([s.at["j0"] for s in found.found], [-0.5 * np.pi, 0.5 * np.pi], atol=1e-6)
    assert np.allclose(found.distance, np.abs(np.abs(found.values[0]) - 0.5 * np.pi), atol=1e-6)
    assert "loops at j0 = 1.5708" in str(found)
    ends = found.q[[0, -1]]
    assert np.allclose(ends[:, 0] + ends[:, 1], 0.0), "it stays a parallelogram where branches cross"


def test_limit_of_a_rocker_is_a_singularity_of_the_actuation():
    """Driven at its rocker, a four-bar stops where crank and coupler are in line."""
    system = four_bar().compile()
    found = ct.singularities(system, {"j3": np.linspace(-0.5, 0.5, 12)})
    (one,) = found.found
    assert one.kind == "actuation"
    assert set(one.moves) == {"j0", "j1"}
    P = ct.poses(system, one.q)
    points = {name: (P[system.row_of(b)] @ (*p, 1.0))[:2] for name, b, p in
              (("B", "b0", (0.6, 0.8, 0)), ("C", "b1", (2.4, 1.4, 0)))}  # fmt: skip
    assert abs(points["B"][0] * points["C"][1] - points["B"][1] * points["C"][0]) < 1e-4
    assert np.isnan(found.actuation[-1])
    assert np.all(found.loops[np.isfinite(found.loops)] > 0.1)


def test_along_a_run():
    system = parallelogram()
    run = ct.simulate(system, 0.7, v={"j0": 3.0}, output=31)
    found = ct.singularities(system, run, actuators="j0")
    at = [s.at["t"] for s in found.found if s.kind == "loops"]
    i = system.q_index("j0")
    assert at
    assert np.allclose(np.abs(np.interp(at, run.t, run.q[:, i])), 0.5 * np.pi, atol=1e-3)
    assert np.allclose([abs(s.q[i]) for s in found.found], 0.5 * np.pi, atol=1e-4)
    crossings = [c.t for c in run.crossings]
    assert np.allclose(at[: len(crossings)], crossings, atol=1e-4)


def test_map_of_a_five_bar(tmp_path):
    """Two cranks; where the two links between them are in line the actuation is singular."""
    system = five_bar()
    grid = {"j0": np.linspace(0.0, 0.8, 4), "j4": np.linspace(0.0, 0.8, 4)}
    found = ct.singularities(system, grid)
    assert found.loops.shape == found.distance.shape == (4, 4)
    assert {s.kind for s in found.found} == {"actuation"}
    for s in found.found:
        P = ct.poses(system, s.q)
        B, C, D = (
            (P[system.row_of(b)] @ (*p, 1.0))[:2]
            for b, p in (("b0", (-0.5, 1, 0)), ("b1", (0.6, 1.9, 0)), ("b3", (1.6, 1, 0)))
        )
        assert abs(np.linalg.det([C - B, D - C])) < 0.05
    picture = tmp_path / "map.png"
    found.plot(picture)
    assert picture.stat().st_size > 5000


def test_picture_of_curves(tmp_path):
    found = ct.singularities(four_bar().compile(), {"j0": np.linspace(-0.2, 0.2, 3)})
    assert found.found == ()
    assert np.all(np.isinf(found.distance))
    found.plot(tmp_path / "curves.png")
    assert (tmp_path / "curves.png").exists()


def test_drives_are_actuators():
    """A driven coordinate is an input of the map along a run, not a constraint."""
    mech = four_bar().mechanism()
    mech.drive("turn", "j0", lambda t: 0.3 * t)
    run = ct.simulate(mech, 0.5, output=5)
    found = ct.singularities(run.system, run)
    assert found.actuators == ("j0",)
    assert np.all(found.actuation > 0.1)


def test_what_is_refused():
    system = four_bar().compile()
    for along in (3, {}, {"j0": [1.0, 2.0, 3.0], "j1": [1.0, 2.0, 3.0], "j3": [1.0, 2.0, 3.0]}):
        with pytest.raises(ct.errors.ArgumentError, match="along"):
            ct.singularities(system, along)
    for values in ([0.0, 1.0], [0.0, 0.0, 1.0], "x"):
        with pytest.raises(ct.errors.ShapeError, match="ascending"):
            ct.singularities(system, {"j0": values})
    with pytest.raises(ct.errors.ShapeError, match="at most"):
        ct.singularities(system, {"j0": np.linspace(0, 1, 300), "j3": np.linspace(0, 1, 300)})
    run = ct.simulate(parallelogram().mechanism.compile(coordinates="absolute"), 0.01, output=2)
    with pytest.raises(ct.errors.ArgumentError, match="another system"):
        ct.singularities(system, run)


def test_actuators_that_are_none():
    with pytest.raises(ct.errors.ArgumentError, match=r"actuators is set\(\); name one that is driven"):
        ct.singularities(ct.gallery.four_bar(), {"A": np.linspace(-0.5, 0.5, 5)}, actuators=set())
