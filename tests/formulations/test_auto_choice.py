"""What "auto" stands for: the plan's cost decides beside the size."""

import numpy as np
import pytest

import cotree as ct
from cotree.formulations.choice import divides_call, divides_run, pays
from tests.formulations.test_odca_hubs import planets, plate


def coupled_chain(n):
    """One row that holds all joints of a chain: each body stays a handle until the last is there."""
    mech, body = ct.Mechanism("coupled", gravity=(0, -9.81, 0)), "ground"
    for k in range(n):
        mech.body(f"b{k}", 1.0, (0.3 * k + 0.15, 0, 0), (0.1, 0.1, 0.1))
        mech.joint(f"j{k}", body, f"b{k}", ct.Revolute((0.3 * k, 0, 0), (0, 0, 1)))
        body = f"b{k}"
    mech.coupling("all", {f"j{k}": 1.0 + k % 3 for k in range(n)})
    return mech


def test_a_row_over_many_bodies_is_left_to_matrices():
    system = coupled_chain(150).compile()
    assert not pays(system)
    assert not divides_run(system)
    v = ct.consistent_velocity(system, system.q0, np.ones(system.nv))
    found = [ct.forward_dynamics(system, system.q0, v, formulation=f).v_dot for f in ("auto", "odca")]
    assert found[0] == pytest.approx(found[1], abs=1e-7 * np.abs(found[1]).max())


@pytest.mark.parametrize("make", [lambda: ct.gallery.n_four_bar(40), lambda: plate(12), lambda: planets(60)])
def test_others_are_divided(make):
    system = make().compile()
    assert pays(system)
    assert divides_run(system)


def test_small_systems_are_not_asked():
    system = ct.gallery.four_bar().compile()
    assert not divides_call(system)
    assert not any(str(key).startswith("divides") for key in system.cache)
