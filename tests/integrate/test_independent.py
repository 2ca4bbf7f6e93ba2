"""Voronets equations in independent velocities alone: charts of the user's and of the criterion's, and their change."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ChoiceError, SingularError, UnknownNameError


def four_bar():
    system = ct.gallery.four_bar().compile()
    return system, ct.consistent_velocity(system, system.q0, [1.0, 0.0, 0.0])


def slopes(system, q, v2, chart, t):
    r = ct.theory.reduced(system, q, r_padded(system, v2, chart), chart, t)
    return ct.theory.coordinate_rates(system, q, r.v), r.acceleration


def r_padded(system, v2, chart):
    v = np.zeros(system.nv)
    v[[system.v_index(name) for name in chart]] = v2
    return v


def rk4(system, q, v2, chart, h, steps):
    """(q, v2) by the classical method, the equations from `ct.theory.reduced`; coordinates that are plain numbers."""
    for k in range(steps):
        t, K = k * h, []
        for part in (0.0, 0.5, 0.5, 1.0):
            x, u = (q, v2) if not K else (q + part * h * K[-1][0], v2 + part * h * K[-1][1])
            K.append(slopes(system, x, u, chart, t + part * h))
        q, v2 = (y + h / 6 * (K[0][i] + 2 * K[1][i] + 2 * K[2][i] + K[3][i]) for i, y in enumerate((q, v2)))
    return q, v2


@pytest.mark.parametrize("chart", [["A"], ["B"], ["D"]])
def test_step_for_step_as_the_reduced_equations(chart):
    """Off the constraints too, where other charts are other equations: nothing but (q, v2) is carried from step to step."""
    system, v = four_bar()
    run = ct.simulate(system, 0.1, v=v, step=0.02, method="rk4", formulation=ct.Voronets(independent=chart),
                      stabilize="none", output="steps")  # fmt: skip
    k = system.v_index(chart[0])
    q, v2 = rk4(system, system.q0, v[[k]], chart, 0.02, 5)
    assert len(run.t) == 6
    assert run.q[-1] == pytest.approx(q, abs=1e-11)
    assert run.v[-1, k] == pytest.approx(v2[0], abs=1e-11)
    others = ct.simulate(system, 0.1, v=v, step=0.02, method="rk4", formulation="voronets", stabilize="none")
    assert np.abs(others.q[-1] - q).max() > 1e-9


def test_with_constraints_that_depend_on_time():
    mech = ct.gallery.four_bar()
    mech.drive("go", "A", lambda t: 0.5 * np.sin(3 * t))
    mech.body("bob", 1, (0.6, 0.8, 0.5), (0.1, 0.1, 0.1))
    mech.joint("hang", "crank", "bob", ct.Revolute((0.6, 0.8, 0), (1, 0, 0)))
    system = mech.compile()
    run = ct.simulate(system, 0.1, step=0.02, method="rk4", formulation=ct.Voronets(independent=["hang"]),
                      stabilize="none", output="steps")  # fmt: skip
    k = system.v_index("hang")
    q, _ = rk4(system, run.q[0], run.v[0, [k]], ["hang"], 0.02, 5)
    assert run.q[-1] == pytest.approx(q, abs=1e-8)  # rates of the drive by differences
    assert run.velocity_violation.max() < 1e-8


SYSTEMS = {
    "four-bar": lambda: ct.gallery.four_bar().compile(),
    "bricard, redundant rows": lambda: ct.gallery.bricard().compile(),
    "snakeboard, non-holonomic": lambda: ct.gallery.snakeboard().compile(),
    "four-bar on groups": lambda: ct.gallery.four_bar().compile("absolute", group="auto"),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_same_motion_with_admissible_velocities(name):
    """Not stabilized: velocities are exact, whatever the tolerance; positions drift."""
    system = SYSTEMS[name]()
    v = ct.consistent_velocity(system, system.q0, np.linspace(1, 2, system.nv))
    run = ct.simulate(system, 1.0, v=v, formulation=ct.Voronets(independent="auto"), stabilize="none", output=11)
    want = ct.simulate(system, 1.0, v=v, rtol=1e-10, atol=1e-10, output=11)
    off = [np.abs(ct.constraint_jacobian(system, q) @ v).max() for q, v in zip(run.q, run.v, strict=True)]
    assert max(off) < (
        1e-8 if "redundant" in name else 1e-13
    )  # redundant rows contradict each other where loops are open
    assert np.abs(run.poses() - want.poses()).max() < 1e-5
    free = ct.simulate(system, 1.0, v=v, formulation="voronets", stabilize="none", output=11)
    assert free.velocity_violation.max() > 10 * max(off)


def turning(independent, **options):
    """A particle in a plane that moves along a direction which turns with time: at pi/2 along x, where y does not tell how."""
    mech = ct.Mechanism("blade", gravity=(-1, 0, 0))
    mech.body("particle", 1, (0, 0, 0), (1, 1, 1))
    mech.joint("plane", "ground", "particle", ct.PlanarTranslation(normal=(0, 0, 1), x_axis=(1, 0, 0)))
    mech.constraint("blade", jacobian=lambda t: [[np.cos(t), np.sin(t)]], rows=1)
    system = mech.compile()
    v = ct.consistent_velocity(system, system.q0, [1.0, 1.0])
    return ct.simulate(system, 3.0, v=v, formulation=ct.Voronets(independent=independent), **options)


def test_charts_change_where_they_fail():
    auto, want = turning("auto", step=np.pi / 200), turning(None)
    fixed = turning([auto.system.v_names[1]], step=np.pi / 200)
    assert fixed.status == "failed"
    assert "t = 1.55509 s the independent coordinates no longer determine the velocities of the others" in fixed.message
    assert "ct.Voronets(independent='auto')" in fixed.message
    assert auto.status == want.status == "done"
    assert auto.statistics["partitions_changed"] == 2
    assert np.abs(auto.q[-1] - want.q[-1]).max() < 1e-6


@pytest.mark.parametrize("stabilize", ["projection", "partition"])
def test_with_positions_stabilized(stabilize):
    system, v = four_bar()
    run = ct.simulate(system, 2.0, v=v, formulation=ct.Voronets(independent="auto"), stabilize=stabilize)
    want = ct.simulate(system, 2.0, v=v, rtol=1e-10, atol=1e-10)
    assert max(run.violation.max(), run.velocity_violation.max()) < 1e-13
    assert np.abs(run.q - want.q).max() < 1e-6


@pytest.mark.parametrize("chart", [["A"], ["B"], "D"])
def test_accelerations_in_charts_of_ones_own(chart):
    system, v = four_bar()
    want = ct.forward_dynamics(system, system.q0, v)
    found = ct.forward_dynamics(system, system.q0, v, formulation="voronets", independent=chart)
    assert found.v_dot == pytest.approx(want.v_dot, abs=1e-11)
    assert found.multipliers == pytest.approx(want.multipliers, abs=1e-11)


def test_files_keep_the_choice(tmp_path):
    system, v = four_bar()
    run = ct.simulate(system, 0.1, v=v, formulation=ct.Voronets(independent=["A"]), output=3)
    run.save(tmp_path / "run.h5")
    assert ct.load_run(tmp_path / "run.h5").settings.independent == ("A",) == run.settings.independent


def test_words_for_what_cannot_be():
    system, v = four_bar()
    with pytest.raises(ChoiceError, match=r"independent= is an option of formulation=ct\.Voronets, not of 'auto'"):
        ct.simulate(system, 1.0, independent="auto")
    with pytest.raises(ChoiceError, match="not for 'index1'"):
        ct.forward_dynamics(system, system.q0, v, formulation="index1", independent=["A"])
    for options, word in (
        ({"method": "generalized-alpha"}, "method='generalized-alpha'"), ({"stabilize": "baumgarte"}, "stabilize='baumgarte'")
    ):  # fmt: skip
        with pytest.raises(ChoiceError, match=f"independent velocities cannot be combined with {word}"):
            ct.simulate(system, 1.0, formulation=ct.Voronets(independent="auto"), **options)
    with pytest.raises(ChoiceError, match="independent has 2 coordinates, but system 'four-bar' has 1"):
        ct.simulate(system, 1.0, formulation=ct.Voronets(independent=["A", "B"]))
    with pytest.raises(UnknownNameError, match="no coordinate 'E'"):
        ct.simulate(system, 1.0, formulation=ct.Voronets(independent=["E"]))
    mech = ct.gallery.four_bar()
    mech.lock("A", at=0.5)
    with pytest.raises(ChoiceError, match="the constraints are switched"):
        ct.simulate(mech, 1.0, formulation=ct.Voronets(independent=["A"]))
    blade = turning("auto").system
    with pytest.raises(SingularError, match="cannot be the independent coordinates here"):
        ct.forward_dynamics(blade, blade.q0, formulation="voronets", t=np.pi / 2, independent=[blade.v_names[1]])
