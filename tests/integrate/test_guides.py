"""Runs of mechanisms whose loops are singular at every configuration follow the true motion in all coordinates."""

import numpy as np
import pytest

import cotree as ct
from cotree.constraints.deflation import polished, true_velocities
from cotree.constraints.guides import guided
from cotree.constraints.neighbours import neighbours
from cotree.constraints.tangents import Rows, Tangent
from tests.closed_mechanisms import CATALOGUE
from tests.constraints.test_singular_sets import ball_pin_table, rods, touching_cylinder
from tests.lattice_mechanisms import lattice

CHOICES = ({}, {"regularize": False}, {"coordinates": "absolute"}, {"coordinates": "absolute", "group": "SO3xR3"})
TIMES = np.linspace(0.0, 1.0, 11)


def table(guided: bool) -> ct.Mechanism:
    """On four equal parallel rods, its mass centre off their middle; guided: held to translations by a joint."""
    mech, d = ct.Mechanism("table"), np.array([0.3, 0.1, 1.0]) / np.sqrt(1.1)
    mech.body("table", 5.0, d + np.array([0.15, 0.1, 0.0]), (0.3, 0.3, 0.5))
    e = np.cross(d, (1, 0.2, 0.1))
    for i in range(4):
        b = 0.6 * np.array([np.cos(np.pi * i / 2), np.sin(np.pi * i / 2), 0.0])
        mech.body(f"rod{i}", 0.2, b + d / 2, (0.02, 0.02, 0.02))
        mech.joint(f"U{i}", mech.ground, f"rod{i}", ct.Universal(b, e, np.cross(d, e)))
        mech.joint(f"S{i}", f"rod{i}", "table", ct.Spherical(b + d))
    if guided:
        mech.joint("guide", mech.ground, "table", ct.Translation())
    return mech


def places(run: ct.Run, names: tuple[str, ...]) -> np.ndarray:
    rows = [run.system.row_of(name) for name in names]
    return np.array([ct.poses(run.system, q)[rows] for q in run.q])


@pytest.fixture(scope="module")
def reference():
    """A table that a joint holds to translations: an ordinary mechanism, past the singular position in which it hangs."""
    return places(ct.simulate(table(True), 1.0, output=TIMES, rtol=1e-11, atol=1e-11), ("table", "rod1"))


@pytest.mark.filterwarnings("ignore:the loops of table are singular all along")
@pytest.mark.parametrize("options", CHOICES, ids=str)
def test_table_on_four_rods(options, reference):
    """Without guides it leaves the motion by metres in absolute coordinates, when it has passed the lowest position."""
    run = ct.simulate(table(False).compile(**options), 1.0, output=TIMES, rtol=1e-10, atol=1e-10)
    assert run.status == "done"
    assert np.abs(places(run, ("table", "rod1")) - reference).max() < 1e-8
    assert [w.kind for w in run.warnings] == ["rank"]
    assert "'table' against 'ground': all translations" in str(run.warnings[0])
    assert run.system.coordinate_names == table(False).compile(**options).coordinate_names


@pytest.mark.filterwarnings("ignore:the loops of tree are singular all along")
@pytest.mark.parametrize(
    "build", [ball_pin_table, touching_cylinder, lambda: lattice(47), lambda: lattice(121), lambda: lattice(204)]
)
def test_every_choice_gives_the_same_motion(build):
    data = build()
    names = tuple(b.name for b in data.bodies)
    first = None
    for options in CHOICES:
        run = ct.simulate(data.compile(**options), 0.5, output=6, rtol=1e-10, atol=1e-10)
        assert run.status == "done"
        assert run.violation.max() < 1e-9
        found = places(run, names)
        first = found if first is None else first
        assert np.abs(found - first).max() < 1e-6
    assert np.abs(first[-1] - np.eye(4)).max() > 1e-3, "nothing moved"


def test_guides_by_hand():
    """The pin stays at its height, so that the ball turns about the vertical only."""
    system = ball_pin_table().compile()
    found = guided(system, system.q0)
    (guide,) = found.guides
    assert (guide.a, guide.b, str(guide.group.kind)) == ("ground", "b0", "revolute")
    assert np.allclose(guide.group.axis, (0, 0, 1), atol=1e-12)
    assert np.allclose(guide.group.point, 0.0, atol=1e-12)
    assert ct.mobility(found.system).differential == ct.mobility(system).local == 2


@pytest.mark.parametrize("name", CATALOGUE)
def test_ordinary_mechanisms_get_none(name):
    system = CATALOGUE[name][0]().compile()
    assert guided(system, system.q0) is None


@pytest.mark.parametrize("build", [ct.gallery.bricard, ct.gallery.parallelogram, ct.gallery.spherical_four_bar])
def test_the_only_velocity_of_a_linkage_is_forbidden_nowhere(build):
    """What `guided` relies on where it looks at the start alone: configurations nearby say the same."""
    system = build().compile(regularize=False)
    q = ct.simulate(system, 0.2, v={system.coordinate_names[0]: 1.0}).q[-1]
    rows = Rows.of(system, 0.0)
    near = [Tangent.at(rows, x) for x in neighbours(system, q, 1, 0.0)]
    assert len(near) > 3
    assert [x.dimension for x in near] == [x.unobstructed().shape[1] for x in near] == [1] * len(near)
    assert guided(system, q) is None


def test_polished_configurations():
    """Where rows touch, steps on them alone end at the root of rounding; with the condition of low rank at rounding."""
    system = rods(4).compile()
    rows = Rows.of(system, 0.0)
    near = ct.assemble(system, ct.displace(system, system.q0, 0.03 * np.cos(np.arange(system.nv))))
    rough = Tangent.at(rows, near)
    assert rough.dimension == 3
    fine = polished(rough)
    assert np.abs(rows.residual(fine.q)).max() < 1e-14
    assert np.linalg.svd(rows.jacobian(fine.q), compute_uv=False)[-1] < 1e-13
    assert true_velocities(fine).shape == (system.nv, 2)
    R = ct.poses(system, fine.q)[system.row_of("table")][:3, :3]
    assert np.abs(R - np.eye(3)).max() < 1e-13


def touching_surfaces() -> ct.Mechanism:
    """A point on two surfaces that touch along the curve y = x^2: no motion group holds it there."""
    mech = ct.Mechanism("surfaces", gravity=(0, -9.81, 0))
    mech.body("b", 1.0, (0, 0, 0), (1, 1, 1))
    mech.joint("air", mech.ground, "b", ct.Translation())

    def off(q):
        return q[1] - q[0] ** 2 - q[0]

    mech.constraint("one", lambda q, t: [[0.0, 0.0, 1.0]], residual=lambda q, t: [q[2]])
    mech.constraint(
        "two",
        lambda q, t: [[-2.0 * off(q) * (-2.0 * q[0] - 1.0), -2.0 * off(q), 1.0]],
        residual=lambda q, t: [q[2] - off(q) ** 2],
    )
    return mech


@pytest.mark.filterwarnings("ignore:the loops of surfaces are singular all along")
def test_a_motion_that_is_not_determined_fails():
    system = touching_surfaces().compile()
    with pytest.raises(ct.errors.UntrustedRunError, match="not determined") as caught:
        ct.simulate(system, 0.1).trusted()
    run = caught.value.run
    assert (run.status, len(run.t)) == ("failed", 1)
    assert "singular all along" in run.message
    with pytest.raises(ct.errors.MotionError, match="not determined"):
        ct.Stepper(system, 1e-3)
    assert list(ct.simulate_many(system, 0.1, np.zeros((1, 3))).status) == ["failed"]


@pytest.mark.filterwarnings("ignore:the loops of table are singular all along")
def test_steppers_and_many_runs(reference):
    """The same guides wherever a motion begins."""
    system = table(False).compile(coordinates="absolute")
    stepper = ct.Stepper(system, 1e-2)
    stepper.step(20)
    row = stepper.system.row_of("table")
    assert np.abs(ct.poses(stepper.system, stepper.q)[row] - reference[2, 0]).max() < 1e-6
    runs = ct.simulate_many(system, 0.2, np.array([system.q0] * 2), output=3)
    assert list(runs.status) == ["done", "done"]
    assert np.abs(ct.poses(system, runs.q[1, -1])[row] - reference[2, 0]).max() < 1e-6


@pytest.mark.filterwarnings("ignore:the loops of table are singular all along")
def test_guides_beside_locks():
    """A lock that closes in mid-motion and opens again takes nothing from what the guides hold."""
    runs = []
    for held in (False, True):
        mech = table(held)
        mech.lock("U1", at=0.2)
        mech.unlock("U1", at=0.3)
        runs.append(ct.simulate(mech.compile(coordinates="absolute"), 1.0, output=6, rtol=1e-10, atol=1e-10))
        assert runs[-1].status == "done"
    assert np.abs(places(runs[0], ("table", "rod1")) - places(runs[1], ("table", "rod1"))).max() < 1e-7
    assert np.abs(places(runs[0], ("table",))[2] - places(runs[0], ("table",))[-1]).max() > 1e-3


def test_where_no_guides_are_sought(monkeypatch):
    """A joint that may break, or many coordinates: the run says that its motion is in doubt, and why."""
    mech = table(False)
    mech.breaks("S1", force=1e9)
    with pytest.warns(ct.errors.RunWarning, match=r"not sought \(.* does not know breaking parts .*'S1'"):
        ct.simulate(mech, 0.02)
    monkeypatch.setattr("cotree.integrate.guided_start.DIVIDED_RUN", 8)
    with pytest.warns(ct.errors.RunWarning, match="not sought in mechanisms with more than 8 coordinates"):
        ct.simulate(table(False), 0.02)
