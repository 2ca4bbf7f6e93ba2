"""Points of contact as rows: gaps, wrench rows and eta against differences along a motion; pairs that there are not."""

import numpy as np
import pytest

import cotree as ct
from cotree.constraints.contacts.measure import PointTable, contact_rows, touches_of
from cotree.errors import ModelError, ShapeError, SwitchError

FLOOR = ct.Plane((0.1, 0, 0), (0.2, 0, 1))


def _two_bodies() -> ct.Mechanism:
    """A plate that moves and a body that flies over it, with every shape that may touch a plane."""
    mech = ct.Mechanism("plate and body")
    plate = mech.body("plate", mass=1.0, com=(0, 0, 0), inertia=(0.1, 0.1, 0.1))
    body = mech.body("body", mass=2.0, com=(0, 0, 1), inertia=(0.1, 0.2, 0.3))
    mech.joint("plate", mech.ground, plate, ct.Free())
    mech.joint("body", mech.ground, body, ct.Free())
    for k, shape in enumerate(
        (
            ct.Point((0, 0, 0.5)),
            ct.Sphere((0, 0, 1), 0.1),
            ct.Rod((0, 0, 1), (0.5, 0, 1)),
            ct.Box((0, 0, 1), (0.2, 0.3, 0.4)),
        )
    ):
        mech.contact(f"touch {k}", *((plate, FLOOR, body, shape) if k % 2 else (body, shape, plate, FLOOR)))
    return mech


@pytest.fixture(scope="module")
def state():
    system = _two_bodies().compile()
    rng = np.random.default_rng(3)
    return system, ct.displace(system, system.q0, rng.normal(size=system.nv)), rng.normal(size=system.nv)


def test_rows_are_derivatives_of_gaps_and_eta_of_rows(state):
    system, q, v = state
    rows, h = contact_rows(system, q, v), 1e-5

    def at(s):
        return contact_rows(system, ct.displace(system, q, s * v), v)

    ahead, behind = at(h), at(-h)
    assert len(rows.g) == 1 + 1 + 2 + 8
    np.testing.assert_allclose((ahead.g - behind.g) / (2 * h), rows.W_N @ v, atol=1e-8)
    np.testing.assert_allclose((ahead.W_N - behind.W_N) @ v / (2 * h), rows.eta_N, atol=1e-8)
    np.testing.assert_allclose((ahead.W_T - behind.W_T) @ v / (2 * h), rows.eta_T, atol=1e-8)
    assert np.abs(rows.eta_N).min() > 1e-3
    assert np.abs(rows.eta_T).min(axis=0).max() > 1e-3


def test_points_measured_by_kernels_are_those_of_the_rows(state):
    system, q, v = state
    rows = contact_rows(system, q, v)
    found = PointTable(system, touches_of(system)).measure(system, q, v)
    np.testing.assert_allclose(found[:, 0], rows.g, atol=1e-14)
    np.testing.assert_allclose(found[:, 1], rows.W_N @ v, atol=1e-14)
    np.testing.assert_allclose(found[:, 2:4], rows.W_T @ v, atol=1e-14)


def test_names_and_sides_are_the_users():
    names = [(t.name, t.body_a, t.body_b, t.flipped) for t in touches_of(_two_bodies().compile())]
    assert names[:4] == [
        ("touch 0", "plate", "body", True), ("touch 1", "plate", "body", False), ("touch 2[0]", "plate", "body", True),
        ("touch 2[1]", "plate", "body", True),
    ]  # fmt: skip


def test_model_files_hold_contacts(tmp_path):
    mech, tip = _two_bodies(), ct.Point((0, 0, 1))
    cam = ct.Profile([(1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0)], (0, 0, 1))
    mech.contact("round", "plate", ct.Hole((0, 0, 0), (0, 0, 1), 0.2), "body", tip, 0.3, 0.5, 0.4)
    mech.contact("slot", "plate", ct.Slot((0, 0, 0), (1, 0, 0), (0, 0, 1), 0.2, open_start=True), "body", tip)
    mech.contact("cam", "plate", cam, "body", tip)
    ct.save(mech, tmp_path / "m.json")
    again = ct.load(tmp_path / "m.json")
    assert [vars(d) for d in again.devices.values()] == [vars(d) for d in mech.devices.values()]
    assert "contact 'round' between Hole on plate and Point on body, friction 0.3, restitution 0.5" in str(
        again.compile()
    )


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        ({"friction": -0.1}, SwitchError, "coefficient of 0 or more"),
        ({"static_friction": 0.1, "friction": 0.2}, SwitchError, "what holds is at least what slides"),
        ({"restitution": 1.5}, SwitchError, "from 0 (no rebound) to 1 (elastic)"),
        ({"shape_b": None}, ShapeError, "has 0 shapes"),
        ({"shape_b": 3.0}, ShapeError, "is not a shape"),
        ({"body_b": "plate"}, SwitchError, "cannot touch itself"),
    ],
)
def test_contacts_that_are_refused(wrong, error, words):
    mech = _two_bodies()
    given = {
        "name": "c",
        "body_a": "plate",
        "shape_a": FLOOR,
        "body_b": "body",
        "shape_b": ct.Point((0, 0, 0)),
        **wrong,
    }
    with pytest.raises(error, match=words.replace("(", r"\(").replace(")", r"\)")):
        mech.contact(**given)


def test_shapes_that_are_refused():
    with pytest.raises(ShapeError, match="at least four points"):
        ct.Profile([(0, 0, 0)], (0, 0, 1))
    with pytest.raises(ShapeError, match="one plane"):
        ct.Profile([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], (0, 0, 1))
    mech = _two_bodies()
    mech.contact("planes", "plate", FLOOR, "body", FLOOR)
    with pytest.raises(ShapeError, match="no contact between a Plane and a Plane; a Plane may touch: Box, "):
        touches_of(mech.compile())


def test_all_pairs_that_no_joint_connects():
    mech = ct.Mechanism()
    for k in range(3):
        body = mech.body(f"b{k}", shape=ct.Sphere((k, 0, 0), 0.1), density=1000)
        mech.joint(f"j{k}", mech.ground, body, ct.Free())
    with pytest.raises(ModelError, match="no two bodies"):
        ct.Mechanism("empty").contacts()
    mech.contact("own", "b0", None, "b1", None)
    assert [c.name for c in mech.contacts(friction=0.5)] == ["b0, b2", "b1, b2"]
    assert mech.devices["b1, b2"].friction == 0.5
