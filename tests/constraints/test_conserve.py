"""Momentum as a compiled row: against `ct.momentum`, differences, formulations, files, and runs that would lose it."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ConstraintError

AXIS = np.array([0.36, 0.48, 0.8])


def tumbler(quantity=None, value=0.0, gravity=(0, 0, -9.81)):
    """Four bodies in flight, one of them welded, spatial, with joints of several kinds."""
    mech = ct.Mechanism("tumbler", gravity=gravity)
    for k, name in enumerate("abcd"):
        mech.body(name, 1 + 0.5 * k, (0.4 * k, 0.2 * k * k, 0.1), (0.2, 0.25, 0.3))
    mech.joint("flight", "ground", "a", ct.Free())
    mech.joint("ball", "a", "b", ct.Spherical((0.2, 0.1, 0)))
    mech.joint("weld", "b", "c", ct.Weld())
    mech.joint("hinge", "a", "d", ct.Revolute((0.6, 0, 0), (0, 0.6, 0.8)))
    if quantity:
        mech.conserve("kept", quantity, AXIS, value)
    return mech


def along(system, q, v, quantity):
    point = ct.center_of_mass(system, q, v).position
    momentum = ct.momentum(system, q, v, point)
    return AXIS @ (momentum[:3] if quantity == "angular momentum" else momentum[3:])


def states(system):
    rng = np.random.default_rng(11)
    for _ in range(3):
        yield ct.displace(system, system.q0, rng.normal(size=system.nv)), rng.normal(size=system.nv)


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
@pytest.mark.parametrize("quantity", ["angular momentum", "linear momentum"])
def test_row_and_rate(quantity, coordinates):
    """J v - b is the momentum less its value, over one positive number, and eta what keeps J v as it is."""
    system = tumbler(quantity, 2.0).compile(coordinates)
    k, h, factors = system.constraint_names.index("kept"), 1e-5, []
    for q, v in states(system):
        row, b = ct.constraint_jacobian(system, q)[k], ct.theory.constraint_rate(system, q)[k]
        factors += [along(system, q, v, quantity) / (row @ v), 2.0 / b]
        ahead, back = (ct.constraint_jacobian(system, ct.displace(system, q, s * h * v))[k] @ v for s in (1, -1))
        assert ct.constraint_bias(system, q, v)[k] == pytest.approx(-(ahead - back) / (2 * h), abs=1e-6)
    assert factors == pytest.approx([factors[0]] * 6, rel=1e-11)
    assert factors[0] > 0.0


@pytest.mark.parametrize("quantity", ["angular momentum", "linear momentum"])
def test_no_force_where_it_is_conserved(quantity):
    """Gravity changes the linear momentum, so that it is left out there; all formulations agree with the free motion."""
    gravity = (0, 0, -9.81) if quantity == "angular momentum" else (0, 0, 0)
    free, system = tumbler(gravity=gravity).compile(), tumbler(quantity, 2.0, gravity).compile()
    for q, v in states(system):
        want = ct.forward_dynamics(free, q, v).v_dot
        for formulation in ("index1", "projection", "voronets", "odca"):
            found = ct.forward_dynamics(system, q, v, formulation=formulation)
            assert found.v_dot == pytest.approx(want, abs=1e-9)
            assert np.abs(found.multipliers).max() < 1e-9


def test_a_run_keeps_it():
    """Euler steps lose momentum; projected onto the row they do not."""
    v = np.array([1.0, -2.0, 1.5, 0, 0, 1.0, 0.5, -1.0, 0.3, 2.0])
    free = tumbler().compile()
    value = along(free, free.q0, v, "angular momentum")
    lost = ct.simulate(free, 0.5, v=v, step=1e-2, method="euler")
    kept = ct.simulate(tumbler("angular momentum", value).compile(), 0.5, v=v, step=1e-2, method="euler")
    of = [[along(r.system, q, u, "angular momentum") for q, u in zip(r.q, r.v, strict=True)] for r in (lost, kept)]
    assert np.abs(np.array(of[0]) - value).max() > 1e-2
    assert np.abs(np.array(of[1]) - value)[-1] < 1e-12
    assert kept.v[0] == pytest.approx(v, abs=1e-12)  # the start has that momentum already


def test_files_keep_it(tmp_path):
    mech = tumbler("angular momentum", 1.25)
    ct.save(mech, tmp_path / "tumbler.json")
    c = ct.load(tmp_path / "tumbler.json").constraints["kept"]
    assert (c.quantity, c.value, c.axis.tolist()) == ("angular momentum", 1.25, AXIS.tolist())
    assert "conserved quantity 'kept': 1 constraint equation, non-holonomic" in str(mech.compile())


def test_words_for_what_cannot_be():
    with pytest.raises(ConstraintError, match="quantity is 'angular'; choose one of"):
        tumbler("angular")
    mech = ct.Mechanism()
    mech.body("a", 0.0, inertia=(1, 1, 1))
    mech.joint("J", "ground", "a", ct.Spherical())
    mech.conserve("p", "linear momentum", (1, 0, 0), 0.0)
    with pytest.raises(ConstraintError, match="'p': no body that moves has a mass"):
        mech.compile()
    mech = ct.Mechanism()
    mech.body("point", 1.0)
    mech.joint("J", "ground", "point", ct.Translation())
    mech.conserve("L", "angular momentum", (1, 0, 0), 0.0)
    with pytest.raises(ConstraintError, match="no moment of inertia about the axis"):
        mech.compile()


def test_the_satellite_of_geo():
    """The row that the gallery writes out by hand, for a planar mechanism in its own coordinates."""
    from cotree.gallery.satellites import MOMENTUM

    by_hand, mech = ct.gallery.satellite(conserve=True).compile(), ct.gallery.satellite()
    mech.conserve("angular momentum", "angular momentum", (0, 0, 1), MOMENTUM)
    system = mech.compile()
    q, v = mech.q_start + 0.1 * np.sin(np.arange(11)), mech.v_start + 0.1 * np.cos(np.arange(11))
    own, hand = (ct.constraint_jacobian(s, q)[0] for s in (system, by_hand))
    factor = ct.theory.constraint_rate(by_hand, q)[0] / ct.theory.constraint_rate(system, q)[0]
    assert own * factor == pytest.approx(hand, rel=1e-9, abs=1e-9)
    bias = [ct.constraint_bias(s, q, v)[0] for s in (system, by_hand)]
    assert bias[0] * factor == pytest.approx(bias[1], rel=1e-7)
