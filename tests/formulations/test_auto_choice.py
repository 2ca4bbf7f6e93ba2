"""What "auto" stands for: the plan's cost decides beside the size."""

import numpy as np
import pytest

import cotree as ct
from cotree.formulations.choice import divides_call, divides_run, pays
from tests.formulations.test_odca_hubs import planets, plate


def coupled_chain(n):
    """One row that holds all joints of a chain: it is the border of what is divided."""
    mech, body = ct.Mechanism("coupled", gravity=(0, -9.81, 0)), "ground"
    for k in range(n):
        mech.body(f"b{k}", 1.0, (0.3 * k + 0.15, 0, 0), (0.1, 0.1, 0.1))
        mech.joint(f"j{k}", body, f"b{k}", ct.Revolute((0.3 * k, 0, 0), (0, 0, 1)))
        body = f"b{k}"
    mech.coupling("all", {f"j{k}": 1.0 + k % 3 for k in range(n)})
    return mech


@pytest.mark.parametrize(("n", "divided"), [(100, False), (400, True)])
def test_a_row_over_many_bodies(n, divided):
    """A border takes two passes more, for which a short chain is left to matrices."""
    system = coupled_chain(n).compile()
    assert pays(system) == divides_run(system) == divided
    v = ct.consistent_velocity(system, system.q0, np.ones(system.nv))
    found = [ct.forward_dynamics(system, system.q0, v, formulation=f).v_dot for f in ("auto", "odca")]
    assert found[0] == pytest.approx(found[1], abs=1e-7 * np.abs(found[1]).max())


@pytest.mark.parametrize("make", [lambda: ct.gallery.n_four_bar(40), lambda: plate(12), lambda: planets(60)])
def test_others_are_divided(make):
    system = make().compile()
    assert pays(system)
    assert divides_run(system)


def test_many_rows_over_many_bodies_are_left_to_matrices():
    mech = coupled_chain(400)
    for i in range(40):
        mech.coupling(f"more {i}", {f"j{k}": 1.0 + (7 * k + 3 * i) % 5 for k in range(400)})
    assert not divides_run(mech.compile())


def test_small_systems_are_not_asked():
    system = ct.gallery.four_bar().compile()
    assert not divides_call(system)
    assert not any(str(key).startswith("divides") for key in system.cache)
