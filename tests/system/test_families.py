"""Several systems in one call: parameters that differ from member to member, beside a call for each."""

import pickle

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ArgumentError, NotFiniteError, ShapeError
from cotree.system import batches
from tests.random_mechanisms import error

COUNT = 11  # not a multiple of the lanes
ON_LANES = {
    "mass_matrix": lambda s, q, v, w: ct.mass_matrix(s, q),
    "inverse_dynamics": ct.inverse_dynamics,
    "forward_dynamics": lambda *x: ct.forward_dynamics(*x).v_dot,
    "kinetic": lambda s, q, v, w: ct.energy(s, q, v).kinetic,
    "potential": lambda s, q, v, w: ct.energy(s, q, v).potential,
}
ONE_BY_ONE = {
    "poses": lambda s, q, v, w: ct.poses(s, q),
    "twists": lambda s, q, v, w: ct.twists(s, q, v, frame="spatial"),
    "accelerations": ct.accelerations,
    "momentum": lambda s, q, v, w: ct.momentum(s, q, v, point=(0.1, 0.2, 0.3)),
    "mass centre": lambda s, q, v, w: ct.center_of_mass(s, q, v).velocity,
    "spatial_jacobian": lambda s, q, v, w: ct.spatial_jacobian(s, q, "arm 2"),
    "jacobian_derivative": lambda s, q, v, w: ct.jacobian_derivative(s, q, v, body="arm 2"),
    "coriolis_matrix": lambda s, q, v, w: ct.theory.coriolis_matrix(s, q, v),
    "christoffel": lambda s, q, v, w: ct.theory.christoffel(s, q),
    "coordinate_rates": lambda s, q, v, w: ct.theory.coordinate_rates(s, q, v),
    "displace": lambda s, q, v, w: ct.displace(s, q, v),
    "constraint_residual": lambda s, q, v, w: ct.constraint_residual(s, q=q, t=0.1),
    "constraint_bias": lambda s, q, v, w: ct.constraint_bias(s, q, v),
}


def arm(length, mass, stiffness):
    """A turning ball and two arms on it, with springs, a load and a motor."""
    mech = ct.Mechanism("arm", gravity=(0.3, -9.81, 0.2))
    end, last = np.zeros(3), "ground"
    for k, joint in enumerate((ct.Spherical((0.0, 0.0, 0.0)), None, None)):
        to = end + length * np.array([1.0, 0.2 * k, 0.1])
        mech.body(f"arm {k}", mass + 0.1 * k, 0.5 * (end + to), (0.2, 0.3 + 0.01 * length, 0.25))
        mech.joint(f"J{k}", last, f"arm {k}", joint or ct.Revolute(end, (0.0, 0.2, 1.0)))
        end, last = to, f"arm {k}"
    mech.spring("spring", "ground", (1.0, 2.0, 3.0), "arm 2", end, stiffness, 0.5, damping=0.7)
    mech.joint_spring("coil", "J1", 0.1 * stiffness, 0.1)
    mech.force("load", "arm 1", (1.0, mass, 3.0), (0.1, 0.0, 0.0))
    mech.motor("motor", "J2", stiffness / 30.0)
    return mech


def family():
    rng = np.random.default_rng(3)
    ranges = {"length": (0.8, 1.4), "mass": (0.5, 3.0), "stiffness": (10.0, 60.0)}
    return ct.Systems.built(arm, {name: rng.uniform(*ends, COUNT) for name, ends in ranges.items()})


def states(systems, lead):
    rng = np.random.default_rng(5)
    q = rng.normal(size=(*lead, systems.nq))
    q[..., :4] /= np.linalg.norm(q[..., :4], axis=-1, keepdims=True)
    return q, *rng.normal(size=(2, *lead, systems.nv))


def off(function, systems, given):
    """Largest difference from one call for each member."""
    lead = np.broadcast_shapes((len(systems),), *(x.shape[:-1] for x in given))
    whole = [np.broadcast_to(x, (*lead, x.shape[-1])) for x in given]
    one = [function(systems[i[-1]], *(x[i].copy() for x in whole)) for i in np.ndindex(lead)]
    many = function(systems, *given)
    assert many.shape == (*lead, *np.shape(one[0]))
    return error(many.reshape(np.shape(one)), np.array(one))


@pytest.mark.parametrize("lead", [(COUNT,), (3, COUNT), (2, 1), ()])
def test_each_member_has_its_own_parameters(lead):
    systems = family()
    given = states(systems, lead)
    assert systems.tables() is not None or batches.INTERPRETED
    found = {name: off(function, systems, given) for name, function in ON_LANES.items()}
    assert max(found.values()) < 1e-12, found
    found = {name: off(function, systems, given) for name, function in ONE_BY_ONE.items()}
    assert max(found.values()) == 0.0, found


def test_parameters_matter():
    systems = family()
    q, v, w = states(systems, ())
    found = ct.forward_dynamics(systems, q, v, w).v_dot
    assert np.abs(found[1:] - found[0]).max(axis=1).min() > 1e-2


def test_threads_change_nothing(monkeypatch):
    systems = family()
    q, v, w = states(systems, (7, COUNT))
    alone = ct.forward_dynamics(systems, q, v, w).v_dot
    monkeypatch.setattr(batches, "SHARE", 10)
    monkeypatch.setattr(batches, "cores", lambda: 3)
    assert (ct.forward_dynamics(systems, q, v, w).v_dot == alone).all()


def test_members_of_the_result():
    systems = family()
    q, v, w = states(systems, (2, COUNT))
    many = ct.forward_dynamics(systems, q, v, w)
    one = ct.forward_dynamics(systems[4], q[1, 4], v[1, 4], w[1, 4])
    assert error(many[1, 4].reactions["J2"], one.reactions["J2"]) < 1e-12
    assert error(many[1][4].reaction("J1"), one.reaction("J1")) < 1e-12
    assert error(many.reactions["J0"][1, 4], one.reactions["J0"]) < 1e-12
    assert many[1, 4].system is systems[4]


def test_loops_are_solved_one_by_one():
    systems = ct.Systems(ct.gallery.four_bar() for _ in range(3))
    q = np.array([ct.assemble(s, {"A": 0.1 * k}) for k, s in enumerate(systems)])
    many = ct.forward_dynamics(systems, q)
    for k, system in enumerate(systems):
        assert (many.v_dot[k] == ct.forward_dynamics(system, q[k]).v_dot).all()
        assert (many.reactions["C"][k] == ct.forward_dynamics(system, q[k]).reactions["C"]).all()
    assert off(ON_LANES["mass_matrix"], systems, (q, q, q)) < 1e-13
    assert off(lambda s, q, v, w: ct.constraint_jacobian(s, q), systems, (q, q, q)) == 0.0


def test_structures_that_differ_and_functions_are_evaluated_one_by_one():
    bent, law = ct.gallery.pendulum_chain(2), ct.gallery.pendulum_chain(2)
    bent.motor("motor", "J1", 0.4)
    law.motor("law", "J1", lambda t, angle, rate: t - angle)
    for other in (bent, law):
        systems = ct.Systems([ct.gallery.pendulum_chain(2), other])
        q = np.array([[0.1, 0.2], [0.3, 0.4]])
        for function in (ct.inverse_dynamics, lambda s, q, t: ct.forward_dynamics(s, q, t=t).v_dot):
            named = {"t": 0.5}
            many = function(systems, q, **named)
            assert (many[1] == function(systems[1], q[1], **named)).all()
            assert (many[0] == function(systems[0], q[0], **named)).all()
    assert ct.Systems([ct.gallery.pendulum_chain(2), bent]).tables() is None


def test_lanes_may_be_switched_off(monkeypatch):
    systems = family()
    monkeypatch.setenv("COTREE_LANES", "0")
    assert systems.tables() is None
    assert off(ON_LANES["forward_dynamics"], systems, states(systems, (COUNT,))) == 0.0


def test_a_sequence_that_can_be_copied():
    systems = family()
    assert (len(systems), len(systems[2:5]), systems[2:5][1] is systems[3]) == (COUNT, 3, True)
    assert repr(systems).startswith(f"<{COUNT} systems like <System 'arm'")
    other = pickle.loads(pickle.dumps(systems))
    given = states(systems, (COUNT,))
    assert (ct.inverse_dynamics(system=other, q=given[0]) == ct.inverse_dynamics(systems, given[0])).all()


# -- what goes wrong, and where ---------------------------------------------------------------------------------


def test_the_member_that_is_not_finite_is_named():
    systems = family()
    q, v, _ = states(systems, (2, COUNT))
    v[1, 3, 0] = np.nan
    for call in (ct.inverse_dynamics, ct.energy, ct.forward_dynamics, ct.twists):
        with pytest.raises(NotFiniteError, match=r"member \[1, 3\] of the batch: v of system 'arm' is nan"):
            call(systems, q, v)


def test_wrong_members_and_axes():
    with pytest.raises(
        ShapeError, match=r"member 1 of the systems, 'pendulum chain of 3', has nq 3 and nv 3, the first"
    ):
        ct.Systems([ct.gallery.pendulum_chain(2), ct.gallery.pendulum_chain(3)])
    with pytest.raises(ArgumentError, match="there are no systems"):
        ct.Systems([])
    with pytest.raises(ArgumentError, match="member 1 of the systems is 'x'"):
        ct.Systems([ct.gallery.pendulum_chain(2), "x"])
    with pytest.raises(ShapeError, match="of the parameters 'length', 'mass' are 2 and 3; give as many of each"):
        ct.Systems.built(arm, {"length": [1, 2], "mass": [1, 2, 3]})
    systems = ct.Systems(ct.gallery.pendulum_chain(2) for _ in range(3))
    with pytest.raises(ShapeError, match=r"do not fit together: systems \(3,\), q \(4,\)"):
        ct.mass_matrix(systems, np.zeros((4, 2)))
    for wrong in (systems, [systems[0]]):
        with pytest.raises(
            ArgumentError, match=r"linearize was given .* take ct.Systems\(\[...\]\), others one system"
        ):
            ct.linearize(wrong)
    with pytest.raises(ArgumentError, match=r"poses was given .* take ct.Systems\(\[...\]\)"):
        ct.poses([systems[0]], np.zeros(2))
