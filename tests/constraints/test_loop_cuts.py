"""The regularization report: the same rows as the system, explained, and what every other cut would keep."""

import numpy as np
import pytest

import cotree as ct
from tests.closed_mechanisms import CATALOGUE, four_bar, prrr3, sarrus


@pytest.mark.parametrize("name", CATALOGUE)
@pytest.mark.parametrize("options", [{}, {"coordinates": "absolute"}], ids=str)
def test_report_is_of_the_system(name, options):
    system = CATALOGUE[name][0]().compile(**options)
    report = ct.regularization(system)
    assert [c.chosen.joint for c in report.loops] == [r.joint for r in system.loop_rows]
    for loop, rows in zip(report.loops, system.loop_rows, strict=True):
        cut = loop.chosen
        assert len(cut.kept) == rows.kept
        assert len(cut.kept) + len(cut.dropped) == cut.full == rows.full
        assert np.abs(cut.B - rows.space).max(initial=0.0) == 0.0
        assert cut.joint in loop.joints


@pytest.mark.parametrize("name", ["four-bar", "Sarrus", "3-PRRR", "Bennett", "spherical four-bar"])
def test_singular_values_tell_the_rows(name):
    """W B of a joint that is a group has as many singular values that do not vanish as rows are kept, and U spans its image."""
    for loop in ct.regularization(CATALOGUE[name][0]().compile()).loops:
        for cut in loop.cuts:
            assert np.count_nonzero(cut.singular_values > 1e-7) == len(cut.kept) == cut.U.shape[1]
            image = cut.W @ cut.B
            assert np.abs(image - cut.U @ (cut.U.T @ image)).max() < 1e-12


@pytest.mark.parametrize("name", ["four-bar", "Sarrus", "3-PRRR", "Bricard"])
def test_other_cuts_keep_what_compile_keeps_there(name):
    """A second route: the mechanism compiled with that joint cut."""
    data = CATALOGUE[name][0]()
    (loop, *others) = ct.regularization(data.compile()).loops
    for cut in loop.cuts if not others else ():
        system = data.compile(cut=[cut.joint])
        assert [(r.joint, r.kept) for r in system.loop_rows] == [(cut.joint, len(cut.kept))]


def test_words():
    cut = ct.regularization(four_bar().compile()).loops[0].chosen
    assert cut.kept == ("translation along (1, 0, 0)", "translation along (0, 1, 0)")
    assert set(cut.dropped) == {"rotation about (1, 0, 0)", "rotation about (0, 1, 0)", "translation along (0, 0, 1)"}
    assert str(cut.side_a.kind) == "planar"
    text = str(ct.regularization(sarrus().compile()))
    assert "4 of 5 constraint equations of loops are kept" in text
    assert "drops rotation about (0, 0, 1)" in text
    assert "elsewhere:" in text
    report = ct.regularization(prrr3().compile())
    assert (report.kept, report.full) == (7, 10)
    assert "<pre" in report._repr_html_()


def test_no_loops():
    mech = ct.Mechanism("pendulum")
    mech.body("b", 1.0, (1, 0, 0), (1, 1, 1))
    mech.joint("A", mech.ground, "b", ct.Revolute((0, 0, 0), (0, 1, 0)))
    assert str(ct.regularization(mech)) == "pendulum: no loops"
