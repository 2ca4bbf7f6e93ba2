"""Features hand over to their neighbours where they end: a rod that slides off another one, by events."""

import numpy as np

import cotree as ct

R = 0.05


def test_a_rod_slides_off_another_one_over_its_round_end():
    mech = ct.Mechanism("slide off")
    slides = ct.Rod((-0.3, 0, 2 * R), (0.5, 0, 2 * R), R)
    body = mech.body("b", 1.0, (0, 0, 2 * R), (50, 50, 50), shape=slides, inertia_about="com")
    mech.joint("plane", mech.ground, body, ct.Planar(point=(0, 0, 0), normal=(0, 1, 0)))
    mech.contact("c", mech.ground, ct.Rod((0, -1, 0), (0, 1, 0), R), body, None)
    run = ct.simulate(mech, 0.7, v={"plane.vx": 0.5}, contact="events", rtol=1e-9, atol=1e-11)
    c = run.contact("c")
    at = np.flatnonzero(c.points["c[4]"].state != "open")
    crossing, end = (c.points[name] for name in ("c[4]", "c[0]"))
    handed = np.flatnonzero((crossing.state == "open") & (end.state != "open"))
    assert len(at) > 0
    assert len(handed) > 0
    assert at.max() < handed.min()
    assert abs(run.t[handed[0]] - 0.6) < 5e-3  # where the axis ends, turned a little
    both = c.normal_force[[at.max(), handed.min()]]
    assert (
        abs(both[0] - both[1] - 0.5**2 / (2 * R)) < 0.05
    )  # the force goes on, less what the round end takes: m v^2 / 2 R
    assert np.abs(c.gap[run.t < 0.6]).max() < 1e-9
    assert np.ptp(run.energy.total if hasattr(run.energy, "total") else run.energy) < 1e-7
