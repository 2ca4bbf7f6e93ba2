"""Twists at the mass centres, Geo (39)."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ChoiceError
from tests.random_mechanisms import error, make_case


def centres(system, q):
    """Mass centres in the world."""
    com = np.array([system.mechanism.bodies[name].properties.com for name in system.body_names])
    C = ct.poses(system, q)[1:]
    return np.einsum("bij,bj->bi", C[:, :3, :3], com) + C[:, :3, 3]


@pytest.mark.parametrize("seed", range(3))
def test_velocity_of_the_mass_centre(seed):
    """The rate of its position by differences, in the body's axes; the angular velocity is that of the body."""
    case = make_case(seed, 5, "SE3")
    system, h = case.system, 1e-6
    q = ct.displace(system, system.q0, 0.4 * case.rng.normal(size=system.nv))
    v, v_dot = case.rng.normal(size=(2, system.nv))
    found, R = ct.twists(system, q, v, "com"), ct.poses(system, q)[1:, :3, :3]
    there = [centres(system, ct.displace(system, q, s * h * v)) for s in (1.0, -1.0)]
    assert error(np.einsum("bij,bj->bi", R, found[1:, 3:]), (there[0] - there[1]) / (2.0 * h)) < 1e-8
    assert np.array_equal(found[:, :3], ct.twists(system, q, v)[:, :3])
    ahead, behind = (
        ct.twists(system, ct.displace(system, q, s * h * v), v + s * h * v_dot, "com") for s in (1.0, -1.0)
    )
    assert error(ct.accelerations(system, q, v, v_dot, "com"), (ahead - behind) / (2.0 * h)) < 1e-7


def test_leading_axes_and_names():
    system = ct.gallery.four_bar().compile()
    v = np.ones((2, system.nv))
    many = ct.twists(system, np.stack([system.q0, system.q0]), v, "com")
    assert np.array_equal(many[0], ct.twists(system, system.q0, v[0], "com"))
    with pytest.raises(ChoiceError, match="'body', 'spatial', 'com'"):
        ct.twists(system, system.q0, v[0], "mass centre")
