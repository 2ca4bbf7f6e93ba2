"""Contacts by functions: their rows are those of the same contact between shapes; differences where no normal is given."""

import numpy as np
import pytest

import cotree as ct
from cotree.constraints.contacts.measure import PointTable, contact_rows, touches_of
from cotree.errors import ConstraintError, DocumentError, SwitchError

R = 0.1


def _ball(**given):
    """A ball over a floor that rises, in a mechanism with a loop beside it."""
    mech = ct.gallery.four_bar()
    ball = mech.body("ball", shape=ct.Sphere((0, 0, 1), R), density=1000)
    mech.joint("fly", mech.ground, ball, ct.Free())
    mech.contact("shapes", mech.ground, ct.Plane((0, 0, 0), (0, 0, 1)), ball, None)
    if given:
        mech.contact_function("functions", **given)
    return mech.compile()


@pytest.fixture(scope="module")
def plain():
    return _ball()


def _height(system):
    row = system.row_of("ball")
    return lambda q: (ct.poses(system, q)[row] @ (0, 0, 1, 1))[2] - R


def _tangents(system):
    row = system.row_of("ball")

    def rows(q):
        J, x = ct.spatial_jacobian(system, q, "ball"), ct.poses(system, q)[row] @ (0, 0, 1, 1)
        p = x[:3] - (0, 0, R)
        cross = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
        return (J[3:] - cross @ J[:3])[[0, 1]]

    return rows


def test_rows_by_functions_are_those_of_shapes(plain):
    system = _ball(gap=_height(plain), tangent=_tangents(plain), friction=0.2)
    rng = np.random.default_rng(1)
    q, v = ct.displace(system, system.q0, 0.3 * rng.normal(size=system.nv)), rng.normal(size=system.nv)
    rows = contact_rows(system, q, v)
    np.testing.assert_allclose(rows.g[1], rows.g[0], atol=1e-13)
    np.testing.assert_allclose(rows.W_N[1], rows.W_N[0], atol=1e-10)
    np.testing.assert_allclose(rows.eta_N[1], rows.eta_N[0], atol=1e-7)
    np.testing.assert_allclose(np.abs(rows.W_T[1] @ v), np.abs(rows.W_T[0] @ v)[[0, 1]], atol=1e-10)
    measured = PointTable(system, touches_of(system)).measure(system, q, v)
    np.testing.assert_allclose(measured[1, :4], [rows.g[1], rows.W_N[1] @ v, *(rows.W_T[1] @ v)], atol=1e-9)
    assert "contact 'functions' by functions, its normal by differences, friction 0.2" in str(system)


def test_a_floor_that_moves_has_a_rate(plain):
    height, W = _height(plain), contact_rows(plain, plain.q0, np.zeros(plain.nv)).W_N[0]
    system = _ball(gap=lambda q, t: height(q) - np.sin(t), normal=lambda q: W)
    v = np.linspace(0.1, 1.0, system.nv)
    measured = PointTable(system, touches_of(system)).measure(system, system.q0, v, 0.4)
    np.testing.assert_allclose(measured[1, :2], [0.9 - np.sin(0.4), W @ v - np.cos(0.4)], atol=1e-10)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"gap": 1.0}, "gap is 1.0; give a function"),
        ({"gap": lambda x: x}, "one or more of the parameters q, t"),
        ({"gap": lambda q: q[0], "friction": 0.3}, "without a tangent"),
        ({"gap": lambda q: q[0], "restitution": 3.0}, "restitution is 3"),
    ],
)
def test_functions_that_are_refused(given, words):
    with pytest.raises(SwitchError, match=words):
        _ball(**given)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"gap": lambda q: "wide"}, "gap must return a finite number"),
        ({"gap": lambda q: q[0], "normal": lambda q: [1.0]}, "normal must return finite numbers of shape"),
        ({"gap": lambda q: q[0], "tangent": lambda q: "along"}, "tangent must return finite numbers of shape"),
    ],
)
def test_what_functions_return_is_checked(given, words):
    system = _ball(**given)
    with pytest.raises(ConstraintError, match=words):
        contact_rows(system, system.q0, np.zeros(system.nv))


def test_files_and_runs_refuse_contacts_by_functions(plain, tmp_path):
    system = _ball(gap=_height(plain))
    with pytest.raises(DocumentError, match="contact 'functions' is made of functions"):
        ct.save(system.mechanism, tmp_path / "m.json")
    with pytest.raises(SwitchError, match="contacts"):
        ct.simulate(system, 0.1)
