"""What a run gives of its contacts, whichever route it took; choices of routes."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ChoiceError, UnknownNameError
from cotree.integrate.contacts import routes
from cotree.integrate.contacts.history import ContactHistory, Impact
from cotree.integrate.results.run import Run


def ball():
    mech = ct.Mechanism("ball")
    body = mech.body("ball", mass=1.0, com=(0, 0, 1.1), inertia=(0.01, 0.01, 0.01), shape=ct.Sphere((0, 0, 1.1), 0.1))
    mech.joint("free", mech.ground, body, ct.Free())
    mech.contact("floor", mech.ground, ct.Plane((0, 0, 0), (0, 0, 1)), body, None, restitution=0.9)
    return mech


def history():
    """Two rows of a contact with two points, and of one with one."""
    h = ContactHistory.room(("box[0]", "box[1]", "tip"), ("box", "box", "tip"), 2)
    h.gap[:] = [[0.0, 0.3, 1.0], [0.0, 0.0, 0.0]]
    h.normal_force[:] = [[2.0, 0.0, 0.0], [1.0, 3.0, 5.0]]
    h.force[:, :, 2] = -h.normal_force
    h.point[:, 1, 0] = 1.0
    h.slip[:] = [[0.0, 9.0, 0.0], [0.1, 0.2, 0.0]]
    h.codes[:] = [[1, 0, 0], [2, 2, 1]]
    return h


def test_a_contact_with_several_points_is_read_as_one_and_by_points():
    box = history().reading("box")
    assert box.state.tolist() == ["stick", "slip"]
    np.testing.assert_array_equal(box.normal_force, [2.0, 4.0])
    np.testing.assert_array_equal(box.force[:, 2], [-2.0, -4.0])
    np.testing.assert_array_equal(box.gap, [0.0, 0.0])
    np.testing.assert_array_equal(box.slip, [0.0, 0.2])
    np.testing.assert_array_equal(box.point[:, 0], [0.0, 0.75])
    assert box.points["box[1]"].state.tolist() == ["open", "slip"]
    tip = history().reading("tip")
    assert (tip.state.tolist(), list(tip.points)) == (["open", "stick"], ["tip"])


def test_readings_print_in_one_line():
    h = ContactHistory.room(("floor",), ("floor",), 3)
    h.codes[2] = 1
    assert repr(h.reading("floor")) == (
        "<ContactReading: 2 open, 1 stick; .gap .force .normal_force .point .slip .state .points>"
    )
    assert repr(h.reading("floor").points["floor"]).startswith("<PointReading: 2 open, 1 stick; .gap .force")


def test_rows_of_histories_join():
    both = history().rows(np.array([True, False])).joined(history().rows(slice(1, 2)))
    for name, x in history().arrays.items():
        np.testing.assert_array_equal(both.arrays[name], x)


def test_contacts_that_there_are_not():
    with pytest.raises(UnknownNameError, match="there is no contact 'bx' in this run"):
        history().reading("bx")
    with pytest.raises(UnknownNameError, match="its mechanism 'four-bar' has none"):
        ct.simulate(ct.gallery.four_bar(), 0.01, output=2).contact("floor")


def test_another_route_makes_the_run(monkeypatch):
    with pytest.raises(ChoiceError, match="contact is 'jumping'"):
        ct.simulate(ball(), 1.0, contact="jumping")
    monkeypatch.setattr(routes, "ROUTES", {})
    monkeypatch.setattr(routes, "HOMES", {})
    with pytest.raises(ChoiceError, match="'stepping' is not available"):
        ct.simulate(ball(), 1.0, contact="stepping")
    hit = Impact(0.5, ("floor",), {"floor": np.array([0.0, 0.0, -1.0])}, 0.1)

    def go(system, asked, begin, q, v, times, end, events, progress, noted):
        rows = ContactHistory.room(("floor",), ("floor",), 1)
        return Run(system, times[:1], q[None], v[None], "done", "", {}, asked, contacts=rows, impacts=(hit,))

    routes.register_route("stepping", go)
    run = ct.simulate(ball(), 1.0, contact="stepping")
    assert run.contact("floor").state.tolist() == ["open"]
    assert str(run.impacts[0]) == "impact of 'floor' at t = 0.5 s; 0.1 J lost"
