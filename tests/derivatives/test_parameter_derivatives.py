"""Derivatives by the numbers of a mechanism against differences of mechanisms that have other numbers."""

from dataclasses import replace

import numpy as np
import pytest

import cotree as ct
from cotree.derivatives.parameters.changes import parameter_changes
from cotree.derivatives.parameters.seeds import directions_of
from cotree.errors import ArgumentError, InertiaError, UnknownNameError
from tests import closed_mechanisms
from tests.derivatives.differences import slope
from tests.random_mechanisms import error

TOLERANCE = 1e-9


def loaded_four_bar():
    """Planar, with springs, loads, motors, and forces across whichever joint is cut."""
    mech = ct.gallery.four_bar()
    names = list(mech.bodies)
    mech.spring("line", "ground", (0.2, 2.0, 0.1), names[1], (1.5, 1.1, 0.0), stiffness=40.0, length=0.7, damping=1.5)
    mech.spring("slack", names[0], (0.3, 0.3, 0.0), names[2], (2.4, 0.6, 0.0), stiffness=15.0)
    mech.force("push", names[1], (3.0, -2.0, 0.5), point=(1.4, 1.0, 0.0))
    mech.torque("twist", names[2], (0.1, 0.2, 1.5), frame="body")
    joints = list(mech.joints)
    mech.joint_spring("coil", joints[0], stiffness=7.0, rest=0.2)
    mech.nonlinear_joint_spring("curve", joints[0], [(-1.0, -3.0), (0.0, 0.5), (1.0, 4.0)], rest=0.1)
    mech.joint_damper("oil", joints[2], damping=0.8)
    mech.motor("motor", joints[1], 2.5)
    return mech


def spatial_tree(rotor=True):
    """A branched tree of joints of several kinds, with bodies described in frames of their own."""
    mech = ct.Mechanism("tree", gravity=(0.3, -1.0, -9.0))
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = ct.lie.exp_so3((0.3, -0.2, 0.5)), (0.1, 0.4, 0.2)
    a = mech.body("a", mass=2.0, com=(0.2, 0.1, 0.0), inertia=(0.2, 0.3, 0.25), pose=pose)
    tensor = [[0.2, 0.02, 0.0], [0.02, 0.25, 0.01], [0.0, 0.01, 0.3]]
    b = mech.body("b", mass=1.5, com=(0.9, 0.3, 0.2), inertia=tensor)
    c = mech.body("c", mass=1.0, com=(1.4, 0.1, 0.6), inertia=(0.1, 0.12, 0.09))
    d = mech.body("d", mass=0.7, com=(0.4, 1.0, 0.3), inertia=(0.05, 0.06, 0.07))
    e = mech.body("e", mass=0.3, com=(0.5, 1.1, 0.3), inertia=(0.06, 0.06, 0.06))
    mech.joint("A", mech.ground, a, ct.Revolute((0.0, 0.1, 0.0), (0.2, 0.3, 1.0)))
    mech.joint("B", b, a, ct.Cylindrical((0.5, 0.2, 0.1), (1.0, 0.2, -0.3)))
    mech.joint("C", b, c, ct.Spherical((1.1, 0.2, 0.3)))
    mech.joint("D", a, d, ct.Prismatic(axis=(0.1, 1.0, 0.2), point=(0.2, 0.7, 0.1)))
    mech.joint("W", d, e, ct.Weld())
    mech.spring("line", c, (1.2, 0.2, 0.5), e, (0.6, 1.0, 0.2), stiffness=20.0, length=0.4, damping=0.6)
    if rotor:
        mech.joint_inertia("rotor", "A", inertia=0.01, ratio=5.0)
    return mech


CASES = {
    "four_bar": (loaded_four_bar, {}),
    "four_bar cut elsewhere": (loaded_four_bar, {"cut": ["C"]}),
    "four_bar absolute": (ct.gallery.four_bar, {"coordinates": "absolute"}),
    "spatial tree": (spatial_tree, {}),
    "spatial tree absolute": (lambda: spatial_tree(rotor=False), {"coordinates": "absolute"}),
    "stewart": (lambda: closed_mechanisms.stewart().mechanism(), {}),
    "second kind": (lambda: _second_kind(), {}),
}


def _second_kind():
    mech = spatial_tree()
    for name in ("B", "C"):
        c = mech.joints[name]
        mech.joints[name] = ct.model.Connection(
            name, c.parent, c.child, type(c.joint)(**_places(c.joint), coordinates="second")
        )
    return mech


def _places(joint):
    return {name: getattr(joint, name) for name in joint.places}


def planar(name):
    """Parameters that leave a planar loop one: no axis, no point out of the plane (which would make no difference)."""
    return ".axis" not in name


def chosen(mech, count=40):
    """A choice of all parameters that kernels know, spread evenly, in any case one of each word."""
    names = [n for n in ct.parameters(mech) if planar(n) or mech.name == "tree"]
    return sorted({*names[:: max(1, len(names) // count)], *{n.split(".", 1)[1]: n for n in names}.values()})


def state(system, seed=0):
    rng = np.random.default_rng(seed)
    q = ct.assemble(system, ct.displace(system, system.q0, 0.1 * rng.normal(size=system.nv)))
    return q, ct.consistent_velocity(system, q, rng.normal(size=system.nv)), rng.normal(size=system.nv)


def same_rows(other, system):
    """Which combinations of the rows of a loop are kept is a choice of the compiler: here the same one."""
    cuts = other.cuts.copy()
    for field in ("select", "on_a", "kept"):
        cuts[field] = system.cuts[field]
    return replace(other, cuts=cuts)


@pytest.mark.parametrize("case", CASES)
def test_by_differences(case):
    """Every term with the state, the acceleration and the multipliers held; and the acceleration of a tree."""
    build, options = CASES[case]
    mech = build()
    system = mech.compile(tolerance=0.0, **options)
    q, v, a = state(system)
    lam = np.random.default_rng(1).normal(size=system.n_constraints)
    names, values = chosen(mech), ct.parameters(mech)
    d = directions_of(system, names)
    found = parameter_changes(system, q, v, a, lam, 0.0, d)

    def terms(name, s):
        other = ct.with_parameters(mech, {name: values[name] + s}).compile(
            tolerance=0.0, **{**options, "cut": None if options.get("coordinates") else list(system.cut_joints)}
        )
        assert other.n_constraints == system.n_constraints
        other = same_rows(other, system)
        J = ct.constraint_jacobian(other, q)
        return np.concatenate(
            [
                ct.inverse_dynamics(other, q, v, a) + J.T @ lam,
                J @ a - ct.constraint_bias(other, q, v),
                J @ v - ct.theory.constraint_rate(other, q),
                ct.constraint_residual(other, q),
            ]
        )

    size = np.abs(terms(names[0], 0.0)).max()
    for k, name in enumerate(names):
        expected = slope(lambda s, name=name: terms(name, s), 4e-3)
        mine = np.concatenate([part[:, k] for part in found])
        assert np.abs(mine - expected).max() < TOLERANCE * max(size, np.abs(expected).max()), name


@pytest.mark.parametrize("case", ["four_bar", "spatial tree", "stewart"])
def test_forward_dynamics(case):
    """v_dot at a state that the changed mechanism allows too: masses and forces, which move no joint."""
    build, options = CASES[case]
    mech = build()
    system = mech.compile(**options)
    q, v, tau = state(system)
    names = [n for n in chosen(mech) if ".point" not in n and ".axis" not in n]
    found, values = ct.parameter_derivatives(system, q, v, names, tau), ct.parameters(mech)
    for k, name in enumerate(names):

        def answer(s, name=name):
            other = ct.with_parameters(mech, {name: values[name] + s}).compile(cut=list(system.cut_joints))
            other = same_rows(other, system)
            f = ct.forward_dynamics(other, q, v, tau)
            return np.append(f.v_dot, f.multipliers)

        expected = slope(answer, 2e-3)
        mine = np.append(found.v_dot[:, k], found.multipliers[:, k])
        assert error(mine, expected) < 1e-8, name


def test_names():
    mech = loaded_four_bar()
    mech.limit("A", lower=-1.0, upper=2.0, name="stop")
    mech.lock("D", at=0.5, name="latch")
    known = ct.parameters(mech)
    assert (known["stop.upper"], known["latch.at"], known["motor.torque"]) == (2.0, 0.5, 2.5)
    changed = ct.with_parameters(mech, {n: x + 0.01 for n, x in known.items()})
    assert all(abs(x - known[n] - 0.01) < 1e-12 for n, x in ct.parameters(changed).items())
    assert ct.parameters(mech) == known
    assert ct.parameters(mech.compile()) == known
    with pytest.raises(UnknownNameError, match=r"did you mean 'coil.stiffness'"):
        ct.with_parameters(mech, {"coil.stifness": 1.0})
    with pytest.raises(ArgumentError, match="as a dict"):
        ct.with_parameters(mech, ["crank.mass"])
    with pytest.raises(ArgumentError, match="a mechanism or a system is needed"):
        ct.parameters("four_bar")
    with pytest.raises(InertiaError):
        ct.with_parameters(mech, {"crank.inertia.zz": 50.0})


def test_unknown_closed_forms():
    """What moves joints is refused where a force or a row depends on poses in a way that is not known here."""
    mech = ct.gallery.four_bar()
    mech.constraint("mine", lambda q: q[0] - q[1], rows=1)
    system = mech.compile()
    with pytest.raises(ArgumentError, match="'mine', a function of yours"):
        ct.parameter_derivatives(system, system.q0, parameters=["B.point.x"])
