"""The two ways through contacts come to each other as the step falls."""

from __future__ import annotations

import numpy as np
import pytest

import cotree as ct
from tests.contact.scenes import ball, block
from tests.contact.test_stepping_many import slider_crank


def rolling():
    return ball(height=0.05, friction=0.3, restitution=0.4), 0.8, (0, 2.0, 0, 1.0, 0, 0)


def sliding():
    return block(angle=10, friction=0.3), 1.0, (0, 0, 0, 2.0, 0.5, 0)


def driven():
    """Two corners that hit at once have no single answer: one of them does so first."""
    mech = slider_crank(friction=0.2, restitution=0.0, tilt=1e-3)
    mech.motor("push", "A", 3.0)
    return mech, 0.1, None


@pytest.mark.parametrize("build", [rolling, sliding, driven])
def test_the_distance_of_the_two_routes_falls_with_the_step(build):
    mech, t_end, v = build()
    system = mech.compile() if v is None else mech.compile(group="SO3xR3")
    exact = ct.simulate(system, t_end, v=v, contact="events", output=2)
    assert exact.status == "done", exact.message
    far = []
    for step in (4e-3, 1e-3, 2.5e-4):
        run = ct.simulate(system, t_end, v=v, contact="stepping", step=step, output=2)
        far.append(np.abs(run.q[-1] - exact.q[-1]).max())
    assert far[2] < 0.3 * far[0]
    assert far[2] < 2e-3
