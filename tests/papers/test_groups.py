"""What the studies of [Lie] share: the same start on both groups, gaps of joints, pictures of boxes."""

import matplotlib as mpl
import numpy as np
import pytest

import cotree as ct
from cotree.papers.groups import GROUPS, gap, on_group, panels, run_on_groups, said, worst
from cotree.papers.sketch import corners, from_above, in_space

mpl.use("Agg")


@pytest.mark.parametrize("name", ["heavy_top", "spherical_double_pendulum", "floating_bodies", "three_bar"])
def test_the_same_start_on_both_groups(name):
    mech = getattr(ct.gallery, name)()
    own = mech.compile()
    for group in GROUPS:
        system, v = on_group(mech, group)
        V, wanted = ct.twists(system, system.q0, v, "spatial"), ct.twists(own, mech.q_start, mech.v_start, "spatial")
        np.testing.assert_allclose(V[1:], [wanted[own.row_of(n)] for n in system.body_names], atol=1e-12)


def test_gap_of_a_joint():
    """Moved apart by hand: the distance, whatever the bodies' turns."""
    mech = ct.gallery.spherical_double_pendulum()
    runs = run_on_groups(mech, 2e-3, 1e-3, output=3)
    run = runs["SE(3)"]
    assert gap(run, "joint2").max() < 1e-7  # drifts
    run.q[1, 11:14] += (0.03, 0.0, 0.04)  # place of the second body
    assert gap(run, "joint2")[1] == pytest.approx(0.05, abs=1e-7)
    assert gap(run, "joint1").max() < 1e-12


def test_words_and_pictures():
    assert worst({"a": np.array([1.0, -3.0])}) == {"a": 3.0}
    assert said({"a": 1.5, "b": 2e-9}, "m") == "1.5e+00 m on a and 2.0e-09 m on b"
    figure = panels(np.arange(3.0), {"SE(3)": np.zeros(3), "SO(3)×R³": np.ones(3)}, "x [m]")
    assert [ax.get_title() for ax in figure.axes] == ["a) SE(3)", "b) SO(3)×R³"]


def test_boxes_drawn():
    mech = ct.gallery.three_bar()
    system = mech.compile()
    found = corners(system, mech.q_start)
    assert list(found) == ["bar1", "bar2"]
    np.testing.assert_allclose(found["bar1"].mean(axis=0), system_centre(system, "bar1"), atol=1e-15)
    assert np.ptp(found["bar1"][:, 2]) == pytest.approx(0.05)
    figure = in_space(system, mech.q_start, {"here": (0.0, 0.0, 0.0)})
    ax = figure.add_subplot()
    from_above(ax, system, mech.q_start)
    area = [0.5 * abs(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])) for x, y in (p.get_xy().T for p in ax.patches)]
    assert area == pytest.approx([0.02, 0.02])
    mpl.pyplot.close(figure)


def system_centre(system, body):
    return ct.poses(system, system.q0)[system.row_of(body), :3, 3]
