"""A method and a formulation written outside the package: one value each, registered under a name, and they run."""

import sys
from importlib import reload

import numpy as np
import pytest

import cotree as ct
from cotree.engine.entry import entry
from cotree.engine.kernel import kernel
from cotree.engine.vectors import copy
from cotree.formulations import acceleration
from cotree.formulations.contract import FORMULATIONS, Formulation
from cotree.formulations.problem import problem_t, terms_of
from cotree.integrate import methods
from cotree.integrate.law_states import put_stage_states, work_of
from cotree.integrate.methods import registered as all_methods
from cotree.integrate.methods.contract import METHODS, NO_ERROR, Method
from cotree.integrate.records import now, run_t, slopes_of, tableau_of, trial
from cotree.kinematics.configuration import move
from cotree.system.views import open_tables


@entry(run_t)
def symplectic_euler(run, h, _, __, ___):
    """v+ = v + h v_dot, q+ = q exp(h v+)."""
    here, there, tables = now(run), trial(run), open_tables(run.problem.system)
    for j in range(here.v.size):
        there.v[j] = here.v[j] + h * here.v_dot[j]
    move(tables.links, tables.dofs, here.q, h * there.v, there.q)
    copy(work_of(run)[3], slopes_of(run).w[0])
    put_stage_states(run, h, tableau_of(run)[1], 1)
    return 0


@kernel
def saddle(M, J, f, eta, tolerance, v_dot, lam):
    """The saddle-point system as a whole; rows must be independent."""
    n, m = M.shape[0], J.shape[0]
    K, x = np.zeros((n + m, n + m)), np.zeros(n + m)
    K[:n, :n], K[n:, :n], K[:n, n:] = M, J, J.T
    x[:n], x[n:] = f, eta
    x = np.linalg.solve(K, x)
    v_dot[:], lam[:] = x[:n], x[n:]
    return m


@entry(problem_t)
def by_saddle(p, t, _, __, v_dot):
    e = terms_of(p)
    return saddle(e.M, e.J, e.f, e.eta, 0.0, v_dot, e.lam)


@pytest.fixture
def registered(monkeypatch):
    one = np.zeros(1)
    method = Method(one[None], np.ones(1), one, order=1, error=NO_ERROR, step=symplectic_euler, errors=None)
    monkeypatch.setitem(METHODS, "symplectic", method)
    monkeypatch.setitem(
        FORMULATIONS, "saddle", Formulation(acceleration.terms, acceleration.positions, by_saddle, saddle)
    )


@pytest.mark.parametrize("make", [ct.gallery.heavy_top, ct.gallery.four_bar], ids=["top", "four-bar"])
def test_a_method_of_ones_own(registered, make):
    exact = ct.simulate(make(), 0.04, output=2)
    runs = [ct.simulate(make(), 0.04, method="symplectic", step=h, output=2) for h in (4e-4, 2e-4, 1e-4)]
    errors = [np.abs(run.poses()[-1] - exact.poses()[-1]).max() for run in runs]
    assert {run.status for run in runs} == {"done"}
    assert [run.statistics["evaluations"] for run in runs] == [100, 200, 400]
    assert np.log2(errors[1] / errors[2]) == pytest.approx(1.0, abs=0.1)
    assert errors[2] < 1e-2


def test_a_formulation_of_ones_own(registered):
    system = ct.gallery.four_bar().compile()
    v = ct.consistent_velocity(system, system.q0, np.ones(system.nv))
    found, usual = (ct.forward_dynamics(system, system.q0, v, formulation=f) for f in ("saddle", "projection"))
    assert np.abs(found.v_dot - usual.v_dot).max() < 1e-11 * np.abs(usual.v_dot).max()
    assert np.abs(found.multipliers - usual.multipliers).max() < 1e-11 * np.abs(usual.multipliers).max()
    runs = [ct.simulate(system, 0.5, v=v, formulation=f, output=6) for f in ("saddle", "index1")]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-8


def test_names_that_are_not_registered_are_refused():
    with pytest.raises(ct.errors.ChoiceError, match="saddle"):
        ct.simulate(ct.gallery.four_bar(), 0.1, formulation="saddle")
    with pytest.raises(ct.errors.ChoiceError, match="symplectic"):
        ct.simulate(ct.gallery.four_bar(), 0.1, method="symplectic", step=1e-3)


def test_files_that_hold_a_method_are_found_where_they_lie(tmp_path, monkeypatch):
    """No other file names them."""
    text = "from cotree.integrate.methods.contract import METHODS\nMETHODS['of a file'] = METHODS['midpoint']\n"
    (tmp_path / "of_a_file.py").write_text(text)
    monkeypatch.setattr(methods, "__path__", [*methods.__path__, str(tmp_path)])
    monkeypatch.setitem(METHODS, "of a file", METHODS["euler"])  # taken away again behind the test
    monkeypatch.delitem(sys.modules, "cotree.integrate.methods.of_a_file", raising=False)
    reload(all_methods)
    runs = [ct.simulate(ct.gallery.four_bar(), 0.1, step=0.01, method=name) for name in ("of a file", "midpoint")]
    assert np.array_equal(runs[0].q, runs[1].q)
