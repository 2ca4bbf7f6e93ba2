"""Plots of runs whose topology changes: jumps are vertical, what happens is told, phases are tinted."""

from itertools import pairwise

import numpy as np
import pytest

import cotree as ct
from cotree.view.jumps import histories
from cotree.view.switch_marks import FEW, LISTED
from tests.io.switching import braked_pendulum, locked_arm, locked_loop
from tests.model.builders import pendulum

pytest.importorskip("matplotlib")


def bouncing(t_end, restitution=0.5):
    mech = pendulum("bouncing")
    mech.limit("pivot", upper=1.0, restitution=restitution)
    return ct.simulate(mech, t_end, output=50)


def verticals(panel):
    """Times of the lines drawn through."""
    lines = [line.get_xdata() for line in panel.get_lines() if line.get_linestyle() == "-"]
    return [x[0] for x in lines if len(x) == 2 and x[0] == x[1]]


def test_histories_hold_the_states_about_each_switch():
    run = locked_arm()
    h = histories(run)
    assert len(h.t) == len(run.t) + 2 * len(run.switches)
    assert (np.diff(h.t) >= 0).all()
    for s in run.switches:
        k = int(np.argmax(h.t == s.t))
        assert np.array_equal(h.v[k], s.v_before)
        assert np.array_equal(h.v[k + 1], s.v)
        assert np.array_equal(h.q[k], s.q)
        assert h.lost[k + 1] - h.lost[k] == pytest.approx(s.energy_loss)
        assert h.kinetic[k] - h.kinetic[k + 1] == pytest.approx(s.energy_loss, abs=1e-9)  # nothing is driven
        assert h.potential[k] == h.potential[k + 1]
    own = np.isin(h.t, run.t) & ~np.isin(h.t, [s.t for s in run.switches])
    assert np.isin(run.t, h.t).all()
    assert own.sum() == len(run.t)
    np.testing.assert_allclose(h.kinetic + h.potential + h.lost, h.kinetic[0] + h.potential[0], atol=1e-4)


def test_histories_where_rows_fall_on_switches():
    """A row at the time of a switch has the velocities behind it; of each step both may be there."""
    for output in ("steps", np.linspace(0, 1, 5)):
        mech = pendulum()
        mech.lock("pivot", at=0.5, until=0.75)
        run = ct.simulate(mech, 1.0, output=output)
        h = histories(run)
        assert (np.diff(h.t) >= 0).all()
        at = h.t == 0.5
        assert (h.v[at][0] > 3.0).all()
        assert (h.v[at][-1] == 0.0).all()
        drops = np.diff(h.v[at], axis=0)
        assert (drops <= 0.0).all()
        assert np.count_nonzero(drops) == 1


def test_a_lock_from_the_start_is_a_jump_there():
    mech = ct.gallery.planar_3r()
    mech.lock("J2")
    run = ct.simulate(mech, 0.2, v=[1.0, 2.0, 3.0], output=5)
    h = histories(run)
    assert h.v[0].tolist() == [1.0, 2.0, 3.0]
    assert np.array_equal(h.v[1], run.v[0])
    assert h.v[1, 1] == 0.0
    assert h.lost[:3].tolist() == [0.0, run.switches[0].energy_loss, run.switches[0].energy_loss]


def test_without_switches_nothing_is_put_in():
    run = ct.simulate(pendulum(), 0.2, output=5)
    h = histories(run)
    assert h.v is run.v
    assert len(ct.simulate(pendulum(), 0.2, output=5).plot().axes) == 3


def test_few_switches_are_labelled():
    run = locked_arm()
    figure = run.plot()
    labels = [axes.get_ylabel().replace("\n", " ") for axes in figure.axes]
    assert labels[:4] == ["coordinates [rad]", "velocities [rad/s]", "energy [J]", "energy balance error [J]"]
    assert [text.get_text() for text in figure.axes[0].texts] == ["lock J2 locks", "lock J3 locks", "lock J2 unlocks"]
    drawn = {line.get_label(): line for line in figure.axes[1].get_lines()}
    at = drawn["J2"].get_xdata() == run.switches[0].t
    assert drawn["J2"].get_ydata()[at].tolist() == [run.switches[0].v_before[1], 0.0]
    for panel in figure.axes:
        assert verticals(panel) == [s.t for s in run.switches]
        bands = [p for p in panel.patches if p.get_alpha() == 0.09]
        assert [(p.get_x(), p.get_x() + p.get_width()) for p in bands] == [(p.begin, p.end) for p in run.phases[1:]]
        assert len({p.get_facecolor() for p in bands}) == 3
    assert not figure.legends


def test_events_of_the_user_are_dashed():
    run = locked_arm()
    dashed = [line for line in run.plot().axes[0].get_lines() if line.get_linestyle() == "--"]
    assert [line.get_xdata()[0] for line in dashed] == [e.t for e in run.events if e.name == "seen"]
    assert len(dashed) == 1


def test_energies_show_what_was_dissipated_and_lost():
    run = braked_pendulum()
    panel = run.plot().axes[2]
    names = [text.get_text() for text in panel.get_legend().get_texts()]
    assert names == ["kinetic", "potential", "total", "dissipated", "lost in impacts"]
    lost = panel.get_lines()[4]
    hit = run.switches[0]
    assert lost.get_ydata()[lost.get_xdata() == hit.t].tolist() == [0.0, hit.energy_loss]


def boxes(figure, texts):
    """Where texts are drawn, without the lines that lead to them."""
    from matplotlib.text import Text

    figure.canvas.draw()
    return [Text.get_window_extent(text, figure.canvas.get_renderer()) for text in texts]


def apart(found):
    return all(not a.overlaps(b) for k, a in enumerate(found) for b in found[:k])


@pytest.mark.parametrize("make", [locked_arm, braked_pendulum, locked_loop])
def test_labels_hide_nothing(make):
    """As drawn, no label covers another, nor the title or a curve; in the loop there are six, close together."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = make().plot()
    FigureCanvasAgg(figure)
    top = figure.axes[0]
    found = boxes(figure, [*top.texts, figure._suptitle])
    assert len(found) > 2
    assert apart(found)
    assert all(box.y0 >= top.get_window_extent().y1 for box in found)
    assert all(box.x0 >= 0 and box.x1 <= figure.bbox.x1 for box in found)


def test_many_switches_are_numbered_and_listed():
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    run = bouncing(2.9)
    n = len(run.switches)
    assert FEW < n <= LISTED
    figure = run.plot()
    FigureCanvasAgg(figure)
    listed = [text.get_text() for text in figure.legends[0].get_texts()]
    assert len(listed) == n
    assert listed[0] == f"1  {run.switches[0].t:.4g} s: limit pivot rebounds from its upper stop"
    numbers = figure.axes[0].texts
    spans = [list(map(int, text.get_text().split("-"))) for text in numbers]
    assert [x for span in spans for x in range(span[0], span[-1] + 1)] == list(range(1, n + 1))
    assert apart(boxes(figure, numbers))
    legend = figure.legends[0].get_window_extent(figure.canvas.get_renderer())
    assert legend.x1 <= figure.bbox.x1
    assert legend.y1 <= figure.axes[-1].get_tightbbox(figure.canvas.get_renderer()).y0 + 1.0


def test_very_many_that_are_alike_are_listed_together():
    run = bouncing(6.0, 0.7)
    n, times = len(run.switches), [f"{s.t:.4g}" for s in run.switches]
    assert n > LISTED
    assert [text.get_text() for text in run.plot().legends[0].get_texts()] == [
        f"1-{n - 1}  {times[0]} to {times[-2]} s: limit pivot rebounds from its upper stop",
        f"{n}  {times[-1]} s: limit pivot stays at its upper stop",
    ]


def test_of_very_many_the_first_are_listed():
    mech = pendulum()
    for k in range(LISTED):
        mech.lock("pivot", at=0.1 + 0.02 * k, until=0.11 + 0.02 * k)
    listed = [text.get_text() for text in ct.simulate(mech, 1.0, output=9).plot().legends[0].get_texts()]
    assert len(listed) == LISTED
    assert listed[1] == "2  0.11 s: lock pivot unlocks"
    assert listed[-1] == f"and {LISTED + 1} more"


def test_phases_of_the_same_topology_have_the_same_tint():
    mech = ct.gallery.planar_3r()
    for k in range(2):
        mech.lock("J2", at=0.1 + 0.2 * k, until=0.2 + 0.2 * k)
    figure = ct.simulate(mech, 0.5, output=9).plot()
    bands = [p for p in figure.axes[0].patches if p.get_alpha() == 0.09]
    assert [p.get_facecolor() for p in bands] == [bands[0].get_facecolor()] * 2
    assert all(b.get_x() > a.get_x() for a, b in pairwise(bands))


def test_several_things_at_once_are_told_shortly():
    mech = ct.gallery.planar_3r()
    for name in ("J1", "J2", "J3"):
        mech.lock(name, at=0.2, until=0.4)
    mech.lock("J1", at=0.6)
    mech.lock("J2", at=0.6)
    texts = [text.get_text() for text in ct.simulate(mech, 0.8, output=9).plot().axes[0].texts]
    assert sorted(texts) == ["lock J1 locks and 2 more", "lock J1 locks; lock J2 locks", "lock J1 unlocks and 2 more"]


def test_violations_are_shown_where_there_are_any():
    """Plots of systems with violations keep their panel; a tree that nothing holds inexactly has none."""
    labels = [axes.get_ylabel().replace("\n", " ") for axes in locked_loop().plot().axes]
    assert labels[-1] == "violation [m, rad, m/s, rad/s]"
    labels = [axes.get_ylabel().replace("\n", " ") for axes in braked_pendulum().plot().axes]
    assert labels[-1] == "energy balance error [J]"
