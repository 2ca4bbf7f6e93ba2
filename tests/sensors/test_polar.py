"""Loads of bearings by their direction, for polar diagrams."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ChoiceError


@pytest.fixture(scope="module")
def run():
    return ct.simulate(ct.gallery.four_bar(), 1.0, output=51)


def test_load_turned_by_hand_into_the_bodies(run):
    """The same from world axes: turned back by the angles of the two bodies, opposite on the parent."""
    pin = run.reaction("B")
    angles = {"child": run.joint("A").angle + run.joint("B").angle, "parent": run.joint("A").angle}
    for on, sign in (("child", 1.0), ("parent", -1.0)):
        direction, size = pin.polar(on)
        z = sign * (pin.force[:, 0] + 1j * pin.force[:, 1]) * np.exp(-1j * angles[on])
        ratio = z / (size * np.exp(1j * direction))
        assert np.abs(ratio) == pytest.approx(1.0, rel=1e-12)
        assert np.ptp(np.unwrap(np.angle(ratio))) < 1e-9  # a fixed angle of the joint frame
    assert size == pytest.approx(pin.magnitude, rel=1e-9)  # a planar load


def test_diagram(run, tmp_path):
    figure = run.reaction("B").polar_plot(tmp_path / "load.png")
    assert (tmp_path / "load.png").stat().st_size > 10_000
    assert [line.get_label() for line in figure.axes[0].lines] == ["on coupler", "on crank"]
    with pytest.raises(ChoiceError, match="on is 'ground'"):
        run.reaction("B").polar("ground")
