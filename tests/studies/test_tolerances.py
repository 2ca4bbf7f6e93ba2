"""`tolerances`: worst case and statistics beside closed forms."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ArgumentError, ChoiceError, ShapeError, StudyError
from tests.model.builders import refused

pytest.importorskip("xarray")
Q = np.array([0.3, 0.5])
DIMENSIONS = {"a": (1.0, 0.01), "b": (0.5, -0.01, 0.03), "mass": (2.0, 0.3)}


def arm(a, b, mass):
    """Two links in a plane, a point mass at the end of the second."""
    mech = ct.Mechanism("arm", gravity=(0, -9.81, 0))
    upper = mech.body("upper", mass=1e-6, com=(a, 0, 0), inertia=(1e-9,) * 3)
    lower = mech.body("lower", mass=mass, com=(a + b, 0, 0), inertia=(1e-9,) * 3)
    mech.joint("shoulder", mech.ground, upper, ct.Revolute(axis=(0, 0, 1)))
    mech.joint("elbow", upper, lower, ct.Revolute(point=(a, 0, 0), axis=(0, 0, 1)))
    return mech


def measure(mech):
    system = mech.compile()
    tip = ct.center_of_mass(system, Q, np.zeros(2)).position
    return {"tip": tip[:2], "torque": ct.inverse_dynamics(system, Q, np.zeros(2), np.zeros(2))[0]}


def late(mech):
    if mech.bodies["lower"].properties.mass > 2.25:
        raise ValueError("too heavy")
    return 1.0


@pytest.fixture(scope="module")
def found():
    limits = {"tip[0]": (1.2, 1.34), "torque": (-np.inf, 27.0)}
    return ct.tolerances(arm, DIMENSIONS, measure, limits=limits, samples=400, workers=1)


def test_derivatives_and_worst_cases(found):
    c1, c2 = np.cos(Q[0]), np.cos(Q.sum())
    tip = found["tip[0]"]
    assert tip.nominal == pytest.approx(c1 + 0.5 * c2, rel=1e-5)
    assert tip.slopes["a"] == pytest.approx(c1, rel=1e-5)
    assert tip.slopes["b"] == pytest.approx(c2, rel=1e-5)
    assert tip.worst == pytest.approx((tip.nominal - 0.01 * (c1 + c2), tip.nominal + 0.01 * c1 + 0.03 * c2), abs=1e-6)
    assert tip.corners == pytest.approx(tip.worst, abs=1e-6)
    assert not tip.curved
    torque = found["torque"]
    assert torque.slopes["mass"] == pytest.approx(9.81 * (c1 + 0.5 * c2), rel=1e-4)
    largest = 2.3 * 9.81 * (1.01 * c1 + 0.53 * c2)  # mass times length, which is not linear
    assert torque.corners[1] == pytest.approx(largest, rel=1e-5)
    assert torque.worst[1] < torque.extremes[1] == torque.corners[1]


def test_statistics(found):
    """Standard deviations by derivatives, by the ensemble, and by hand."""
    c1, c2 = np.cos(Q[0]), np.cos(Q.sum())
    tip = found["tip[0]"]
    assert tip.rss == pytest.approx(np.hypot(c1 * 0.01 / 3, c2 * 0.02 / 3), rel=1e-5)
    assert tip.std == pytest.approx(tip.rss, rel=0.08)
    assert tip.mean == pytest.approx(c1 + 0.51 * c2, abs=1e-4)  # about the middle of the band
    assert sum(tip.shares.values()) == pytest.approx(1.0)
    assert tip.shares["mass"] < 1e-6
    assert tip.rejected == 0.0
    assert found["torque"].rejected == np.mean(found.ensemble.torque.values > 27.0)
    assert 0.05 < found["torque"].rejected < 0.25
    uniform = ct.tolerances(arm, DIMENSIONS, measure, distribution="uniform", samples=400, workers=1)
    assert uniform["tip[0]"].std == pytest.approx(tip.rss * np.sqrt(3.0), rel=0.08)
    assert uniform.ensemble.b.min() > 0.49
    assert uniform.ensemble.b.max() < 0.53


def test_words_and_pages(found, tmp_path):
    words = str(found)
    assert "tolerances of 3 dimensions, ensemble of 400 (normal)" in words
    assert "limits 1.2 to 1.34: kept in the worst case, 0 % of the ensemble outside" in words
    assert "limits -inf to 27: exceeded in the worst case, 1" in words
    assert "due to mass" in words
    found.html(tmp_path / "x.html")
    page = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert page.count("data:image/png") == 1
    assert "measured there" in page
    assert len(found.plot(tmp_path / "x.png").axes) == 6
    with refused(ArgumentError, "there is no result 'torqe'; did you mean 'torque'?"):
        found["torqe"]


def test_what_derivatives_do_not_show():
    """At an extremum."""
    found = ct.tolerances(arm, {"a": (1.0, 0.5), "b": (1.0, 0.1), "mass": (1.0, 0.1)},
                          lambda m: (m.bodies["upper"].properties.com[0] - 0.9) ** 2, samples=8, workers=1)  # fmt: skip
    assert found["value"].curved
    assert "derivatives do not suffice" in str(found)
    flat = ct.tolerances(arm, DIMENSIONS, lambda m: 3.0, samples=8, workers=1)["value"]
    assert (flat.worst, flat.corners, flat.std, flat.rss, flat.curved) == ((3.0, 3.0), (3.0, 3.0), 0.0, 0.0, False)


def test_members_that_fail():
    found = ct.tolerances(arm, {**DIMENSIONS, "mass": (2.0, 0.2)}, late, samples=1024, workers=1)
    assert 0 < found.failed < 10
    assert f"{found.failed} points of the ensemble failed" in str(found)
    with refused(StudyError, "no result at a=1, b=0.5, mass=2.3: measure: ValueError: too heavy; narrow"):
        ct.tolerances(arm, DIMENSIONS, late, samples=8, workers=1)


def test_runs_and_files(tmp_path):
    given = {"a": (1.0, 0.01), "b": (0.5, 0.01), "mass": (2.0, 0.1)}
    path = tmp_path / "x.sweep"
    twice = [
        ct.tolerances(arm, given, lambda run: run.joint("elbow").angle[-1], t_end=0.1, samples=4, workers=1, path=path)
        for _ in range(2)
    ]
    assert twice[0].ensemble.identical(twice[1].ensemble)
    assert twice[0]["value"].corners == twice[1]["value"].corners
    assert (tmp_path / "x.sweep.corners").is_file()


def known_only(mech):
    """Fails in the ensemble."""
    return 1 / (mech.bodies["lower"].properties.mass in (1.7, 1.85, 2.0, 2.15, 2.3))


def stops(mech):
    raise KeyboardInterrupt


REFUSED = [
    (ArgumentError, "dimensions is []", {"dimensions": []}),
    (ArgumentError, "dimension 'status'", {"dimensions": {"status": (1, 1)}}),
    (ShapeError, "dimension 'a' is 1.0", {"dimensions": {"a": 1.0}}),
    (ShapeError, "on both sides of zero", {"dimensions": {"a": (1.0, 0.1, 0.2)}}),
    (ChoiceError, "distribution is 'gauss'", {"distribution": "gauss"}),
    (ShapeError, "samples is 1", {"samples": 1}),
    (ArgumentError, "limits is 5", {"limits": 5}),
    (ArgumentError, "there is no result 'tips'", {"limits": {"tips": (0, 1)}}),
    (ShapeError, "limits of 'torque' are (1, 0)", {"limits": {"torque": (1, 0)}}),
    (StudyError, "it must return real numbers", {"measure": lambda mech: "long"}),
    (StudyError, "0 of 4 points of the ensemble", {"measure": known_only}),
]  # fmt: skip


@pytest.mark.parametrize(("error", "words", "changed"), REFUSED, ids=lambda x: x if isinstance(x, str) else "")
def test_mistakes(error, words, changed):
    with refused(error, words):
        ct.tolerances(
            **{"build": arm, "dimensions": DIMENSIONS, "measure": measure, "samples": 4, "workers": 1, **changed}
        )


@pytest.mark.filterwarnings("ignore:sweep. interrupted")
def test_an_interruption_is_passed_on():
    with pytest.raises(KeyboardInterrupt):
        ct.tolerances(arm, DIMENSIONS, stops, samples=4, workers=1)
