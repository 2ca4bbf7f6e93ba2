"""What a run shows: plots, a bar on the way, and its certificate."""

from types import SimpleNamespace

import numpy as np
import pytest

import cotree as ct
from cotree.integrate import progress as progress_module
from tests.integrate.references import pendulum

WARNING = "do not trust this run"


# -- plots ---------------------------------------------------------------------------------------------------


def verticals(panel, style):
    """Times of the vertical lines of a style."""
    lines = [line for line in panel.get_lines() if line.get_linestyle() == style and len(line.get_xdata()) == 2]
    return [line.get_xdata()[0] for line in lines if line.get_xdata()[0] == line.get_xdata()[1]]


def test_plot(turning, tmp_path):
    pytest.importorskip("matplotlib")
    figure = turning.plot(tmp_path / "run.png")
    assert (tmp_path / "run.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    labels = [axes.get_ylabel().replace("\n", " ") for axes in figure.axes]
    assert labels == ["coordinates [rad]", "energy [J]", "energy balance error [J]", "violation [m, rad, m/s, rad/s]"]
    assert figure.axes[-1].get_xlabel() == "time [s]"
    assert figure.get_suptitle() == "parallelogram: done"
    drawn = {line.get_label(): line.get_ydata() for line in figure.axes[0].get_lines()}
    for k, name in enumerate(turning.system.coordinate_names):
        assert drawn[name].tolist() == turning.q[:, k].tolist()
    names = [text.get_text() for text in figure.axes[1].get_legend().get_texts()]
    assert names == ["kinetic", "potential", "total", "supplied", "dissipated"]
    for panel in figure.axes:
        assert verticals(panel, "--") == [e.t for e in turning.events]
        assert verticals(panel, ":") == [c.t for c in turning.crossings]
    assert len(turning.events) == 1
    assert len(turning.crossings) == 3


def test_plot_of_a_tree_with_lengths(tmp_path):
    """No panel of violations; lengths on an axis of their own; nothing is written unasked."""
    pytest.importorskip("matplotlib")
    mech = ct.Mechanism("slide and swing")
    cart = mech.body("cart", 1.0, (0, 0, 0), (1, 1, 1))
    bob = mech.body("bob", 1.0, (0.3, 0, -1), (0.1, 0.1, 0.1))
    mech.joint("rail", mech.ground, cart, ct.Prismatic((1, 0, 0)))
    mech.joint("hinge", cart, bob, ct.Revolute((0, 0, 0), (0, 1, 0)))
    figure = ct.simulate(mech, 0.5, output=6).plot()
    labels = [axes.get_ylabel().replace("\n", " ") for axes in figure.axes]
    assert labels == ["coordinates [rad]", "energy [J]", "energy balance error [J]", "dashed [m]"]
    assert [line.get_label() for line in figure.axes[3].get_lines()] == ["rail"]
    assert [line.get_label() for line in figure.axes[0].get_lines()] == ["hinge"]
    assert list(tmp_path.iterdir()) == []


# -- progress ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("show", "patience", "seen"), [(True, 0.0, True), (True, 1e9, False), (False, 0.0, False)])
def test_progress_bar(system, monkeypatch, capsys, show, patience, seen):
    monkeypatch.setattr(progress_module, "PATIENCE", patience)
    run = ct.simulate(system, 1.0, output=3, progress=show)
    out, err = capsys.readouterr()
    assert out == ""
    assert ("four-bar: 100%" in err) == seen
    assert ("1/1 s" in err) == seen
    assert bool(err) == seen
    run.resume(2.0, progress=show)
    assert ("four-bar: 100%" in capsys.readouterr().err) == seen


def test_errors_of_the_function_that_shows_progress_say_whose_they_are(system):
    with pytest.raises(ZeroDivisionError) as found:
        ct.simulate(system, 1.0, output=3, progress=lambda t: 1 / 0)
    assert found.value.__notes__[0].startswith("in the function progress= at t = ")


def test_no_bar_where_nobody_watches(system, monkeypatch, capsys):
    monkeypatch.setattr(progress_module, "PATIENCE", 0.0)
    ct.simulate(system, 1.0, output=3)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(progress_module, "watched", lambda: True)
    ct.simulate(system, 1.0, output=3)
    assert "100%" in capsys.readouterr().err


def test_a_bar_after_a_second(monkeypatch, capsys):
    clock = SimpleNamespace(now=10.0)
    monkeypatch.setattr(progress_module, "time", SimpleNamespace(perf_counter=lambda: clock.now))
    bar = progress_module.Progress(True, 2.0, 6.0, "long")
    clock.now = 10.99
    bar.at(3.0)
    assert capsys.readouterr().err == ""
    clock.now = 11.01
    bar.at(4.0)
    bar.close()
    err = capsys.readouterr().err
    assert "long:  50%" in err
    assert "2/4 s" in err


# -- the certificate -----------------------------------------------------------------------------------------


def test_certificate_of_a_damped_driven_loop(turning):
    text, e, s = str(turning).splitlines(), turning.energy, turning.statistics
    assert text[0] == f"parallelogram: done, 0 to 3 s, {s['steps']} steps of dopri5 ({s['rejected']} rejected)"
    assert f"energy {e.total[0]:.6g} J at the start, {e.total[-1]:.6g} J at the end" in text[1]
    assert (
        f"supplied {e.supplied[-1]:.6g} J, dissipated {e.dissipated[-1]:.6g} J, energy balance closes to within"
        in text[1]
    )
    assert e.dissipated[-1] == pytest.approx(0.5 * 3.0**2 * 3.0, rel=1e-6)  # damping w^2 t
    assert np.abs(e.balance).max() < 1e-4
    assert f"loops closed to within {turning.violation.max():.1e} (position), " in text[2]
    assert turning.violation.max() < 1e-12
    passed = [line.strip() for line in text if "passed a singular configuration" in line]
    assert passed == [str(c) for c in turning.crossings]
    times = (np.pi * np.arange(1, 4) - 0.6) / 3.0
    assert [c.t for c in turning.crossings] == pytest.approx(times, abs=1e-8)
    assert f"event 'two radians' at t = {turning.events[0].t:.9g} s" in [line.strip() for line in text]
    assert turning.events[0].t == pytest.approx(2.0 / 3.0, abs=1e-9)
    assert WARNING not in str(turning)


def test_certificate_without_work():
    text = str(ct.simulate(ct.gallery.four_bar(), 1.0))
    assert "largest change" in text
    assert "supplied" not in text
    assert WARNING not in text


def test_runs_not_to_be_trusted():
    """Euler with half a tenth of a second gains energy by the step; the same method with small ones does not."""
    assert WARNING in str(ct.simulate(ct.gallery.four_bar(), 2.0, method="euler", step=0.05))
    assert WARNING in str(ct.simulate(pendulum(), 2.0, [1.0], method="euler", step=0.05))
    assert WARNING not in str(ct.simulate(pendulum(), 2.0, [1.0], method="euler", step=2e-5))


@pytest.mark.parametrize("name", ["four_bar", "bennett", "bricard", "spherical_four_bar", "heavy_top", "three_bar"])
def test_defaults_are_trusted(name):
    assert WARNING not in str(ct.simulate(getattr(ct.gallery, name)(), 3.0))
