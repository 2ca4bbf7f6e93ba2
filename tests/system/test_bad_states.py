"""q, v, tau, accelerations and points of the wrong shape or with NaN and infinity in them: each call refuses them."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ChoiceError, NotFiniteError, ShapeError, UnknownNameError
from tests.model.builders import NUMBERS_THAT_ARE_NONE, refused, spoiled

JOINTS = {
    "turn": ct.Revolute((0, 0, 0), (0, 0, 1)),
    "slide": ct.Prismatic((1, 2, 2)),
    "screw": ct.Helical((1, 0, 0), (0, 1, 0), 0.1),
    "sleeve": ct.Cylindrical((0, 1, 0), (1, 0, 0)),
    "cross": ct.Universal((1, 1, 0)),
    "ball": ct.Spherical((0, 1, 1)),
    "table": ct.Planar((0, 0, 1)),
    "shift": ct.PlanarTranslation((1, 1, 1)),
    "carry": ct.Translation(),
    "scara": ct.Schoenflies((0, 1, 0)),
    "float": ct.Free(),
    "axes": ct.Spherical((1, 0, 1), coordinates="second"),
    "vector": ct.Spherical((0, 0, 2), coordinates="first"),
    "cayley": ct.Free(coordinates="cayley"),
    "euler": ct.Spherical((2, 0, 1), coordinates="quaternion"),
}


def tree():
    """Each joint once: a body on a massless one, a chain, and branches."""
    mech, names = ct.Mechanism("zoo"), ["ground"]
    rng = np.random.default_rng(5)
    for k, (name, joint) in enumerate(JOINTS.items()):
        mass = 0.0 if name == "turn" else 1.0
        mech.body(f"body of {name}", mass, rng.normal(size=3), (0, 0, 0) if name == "turn" else (1, 1.2, 0.9))
        mech.joint(name, names[k if k in (0, 1) else rng.integers(0, k)], f"body of {name}", joint)
        names.append(f"body of {name}")
    return mech


SYSTEM = tree().compile()
Q = ct.displace(SYSTEM, SYSTEM.q0, np.linspace(-0.5, 0.5, SYSTEM.nv))
V = np.linspace(0.3, -0.7, SYSTEM.nv)
LAST = SYSTEM.body_names[-1]
OF_Q = {
    "poses": ct.poses,
    "spatial_jacobian": lambda s, q: ct.spatial_jacobian(s, q, LAST),
    "body_jacobian": lambda s, q: ct.body_jacobian(s, q, LAST),
    "jacobian_partials": lambda s, q: ct.theory.jacobian_partials(s, q, LAST),
    "jacobian_second_partials": lambda s, q: ct.theory.jacobian_second_partials(s, q, LAST),
    "mass_matrix": ct.mass_matrix,
    "christoffel": ct.theory.christoffel,
}
OF_Q_V = {
    "forward_dynamics": lambda s, q, v: ct.forward_dynamics(s, q, v),
    "inverse_dynamics": lambda s, q, v: ct.inverse_dynamics(s, q, v),
    "coriolis_matrix": ct.theory.coriolis_matrix,
    "energy": ct.energy,
    "momentum": ct.momentum,
    "center_of_mass": ct.center_of_mass,
    "twists": ct.twists,
    "accelerations": lambda s, q, v: ct.accelerations(s, q, v, None),
    "jacobian_derivative": lambda s, q, v: ct.jacobian_derivative(s, q, v, LAST),
}
SLOW = ("jacobian_second_partials", "christoffel", "jacobian_partials")
CALLS = {**{n: lambda s, q, v, f=f: f(s, q) for n, f in OF_Q.items()}, **OF_Q_V}


def places(n, name):
    """All entries, or some for the costly calls."""
    return range(0, n, 7) if name in SLOW else range(n)


def joint_of_entry(system, k):
    """Name of the joint of an entry of q, found by moving only that joint."""
    for name in JOINTS:
        v = np.array([0.1 * (c == name or c.startswith(name + ".")) for c in system.coordinate_names])
        if ct.displace(system, system.q0, v)[k] != system.q0[k]:
            return name
    raise LookupError(k)


def test_the_system_has_everything():
    assert SYSTEM.nq > SYSTEM.nv > 35
    assert all(np.all(np.isfinite(f(SYSTEM, Q))) for f in OF_Q.values())
    assert np.all(np.isfinite(ct.forward_dynamics(SYSTEM, Q, V).v_dot))


@pytest.mark.parametrize("bad", NUMBERS_THAT_ARE_NONE)
@pytest.mark.parametrize("name", CALLS)
def test_no_nan_or_infinity_in_q(name, bad):
    for k in places(SYSTEM.nq, name):
        with refused(NotFiniteError, "q of system 'zoo'", f"entry {k} ", "finite"):
            CALLS[name](SYSTEM, spoiled(Q, k, bad), V)


@pytest.mark.parametrize("bad", NUMBERS_THAT_ARE_NONE)
@pytest.mark.parametrize("name", OF_Q_V)
def test_no_nan_or_infinity_in_v(name, bad):
    for k in places(SYSTEM.nv, name):
        with refused(NotFiniteError, "v of system 'zoo'", f"entry {k} ", repr(SYSTEM.coordinate_names[k])):
            OF_Q_V[name](SYSTEM, Q, spoiled(V, k, bad))


@pytest.mark.parametrize("bad", NUMBERS_THAT_ARE_NONE)
def test_no_nan_or_infinity_in_forces_and_accelerations(bad):
    for k in range(SYSTEM.nv):
        x, place = spoiled(V, k, bad), (f"entry {k} ", repr(SYSTEM.coordinate_names[k]))
        with refused(NotFiniteError, "tau of system 'zoo'", *place):
            ct.forward_dynamics(SYSTEM, Q, V, x)
        with refused(NotFiniteError, "v_dot of system 'zoo'", *place):
            ct.inverse_dynamics(SYSTEM, Q, V, x)
        with refused(NotFiniteError, "v_dot of system 'zoo'", *place):
            ct.accelerations(SYSTEM, Q, V, x)


@pytest.mark.parametrize("bad", NUMBERS_THAT_ARE_NONE)
def test_no_nan_or_infinity_in_a_step(bad):
    for k in range(SYSTEM.nq):
        with refused(NotFiniteError, "q of system 'zoo'", f"entry {k} "):
            ct.displace(SYSTEM, spoiled(Q, k, bad), V)
        with refused(NotFiniteError, "q of system 'zoo'", f"entry {k} "):
            ct.normalize(SYSTEM, spoiled(Q, k, bad))
    for k in range(SYSTEM.nv):
        with refused(NotFiniteError, "step of system 'zoo'", f"entry {k} "):
            ct.displace(SYSTEM, Q, spoiled(V, k, bad))
        with refused(NotFiniteError, "v of system 'zoo'", f"entry {k} "):
            ct.theory.coordinate_rates(SYSTEM, Q, spoiled(V, k, bad))


@pytest.mark.parametrize("k", range(SYSTEM.nq))
def test_the_message_names_the_joint(k):
    """Entries of the body-frame velocities move all of a joint's coordinates, so that its entries can be told."""
    with refused(NotFiniteError, repr(joint_of_entry(SYSTEM, k))):
        ct.poses(SYSTEM, spoiled(Q, k, np.nan))


@pytest.mark.parametrize("bad", NUMBERS_THAT_ARE_NONE)
def test_no_nan_or_infinity_in_a_point(bad):
    with refused(NotFiniteError, "point", "finite"):
        ct.momentum(SYSTEM, Q, V, point=(0, bad, 0))
    with refused(NotFiniteError, "point", "finite"):
        ct.forward_dynamics(SYSTEM, Q, V).reaction("turn", (0, bad, 0))


@pytest.mark.parametrize("point", [(1, 2), 3.0, "home", np.eye(3)])
def test_points_are_vectors(point):
    with refused(ShapeError, "point must be 3 numbers"):
        ct.momentum(SYSTEM, Q, V, point=point)
    with refused(ShapeError, "point must be 3 numbers"):
        ct.forward_dynamics(SYSTEM, Q, V).reaction("turn", point)


WRONG_SHAPES = [lambda n: np.zeros(n - 1), lambda n: np.zeros(n + 1), lambda n: np.zeros((n, 1)), lambda n: np.zeros(0),
                lambda n: np.zeros((2, n + 1)), lambda n: 0.0]  # fmt: skip
NO_NUMBERS = [lambda n: "q", lambda n: ["a"] * n, lambda n: [None] * n, lambda n: np.full(n, 1j), lambda n: [[1], [1, 2]],
              lambda n: object(), lambda n: ["0.5"] * n]  # fmt: skip


@pytest.mark.parametrize("name", [*CALLS, "coordinate_rates", "displace"])
def test_wrong_shapes(name):
    call = CALLS.get(name) or getattr(ct.theory if name in ct.theory.__all__ else ct, name)
    for make in WRONG_SHAPES:
        with refused(ShapeError, "q of system 'zoo'", f"must have {SYSTEM.nq} entries", "system.q0", "system.q_names"):
            call(SYSTEM, make(SYSTEM.nq), V)
    for make in [*NO_NUMBERS, lambda n: None]:
        with refused(ShapeError, "q of system 'zoo'", f"must be {SYSTEM.nq} numbers"):
            call(SYSTEM, make(SYSTEM.nq), V)
    if name in OF_Q:
        return
    for make in WRONG_SHAPES:
        with refused(ShapeError, "of system 'zoo'", f"must have {SYSTEM.nv} entries"):
            call(SYSTEM, Q, make(SYSTEM.nv))
    for make in NO_NUMBERS:
        with refused(ShapeError, "of system 'zoo'", f"must be {SYSTEM.nv} numbers"):
            call(SYSTEM, Q, make(SYSTEM.nv))


def test_wrong_shapes_of_forces_and_accelerations():
    for make in WRONG_SHAPES:
        with refused(ShapeError, "tau of system 'zoo'"):
            ct.forward_dynamics(SYSTEM, Q, V, make(SYSTEM.nv))
        with refused(ShapeError, "v_dot of system 'zoo'"):
            ct.inverse_dynamics(SYSTEM, Q, V, make(SYSTEM.nv))
        with refused(ShapeError, "v_dot of system 'zoo'"):
            ct.accelerations(SYSTEM, Q, V, make(SYSTEM.nv))


def test_whatever_holds_the_numbers_is_taken():
    expected = ct.forward_dynamics(SYSTEM, Q, V).v_dot
    twice = np.repeat(Q, 2)
    for q in (list(Q), tuple(Q), twice[::2], Q.astype(object), Q.reshape(-1, 1)[:, 0]):
        assert np.array_equal(ct.forward_dynamics(SYSTEM, q, list(V)).v_dot, expected)
    assert np.array_equal(ct.poses(SYSTEM, np.zeros(SYSTEM.nq, int) + 1), ct.poses(SYSTEM, np.ones(SYSTEM.nq)))


def test_arguments_are_not_changed():
    q, v, tau = Q.copy(), V.copy(), V.copy()
    for call in CALLS.values():
        call(SYSTEM, q, v)
    ct.forward_dynamics(SYSTEM, q, v, tau)
    assert np.array_equal(q, Q)
    assert np.array_equal(v, V)
    assert np.array_equal(tau, V)


def test_numbers_too_large_are_told():
    with refused(NotFiniteError, "'zoo'", "too large"):
        ct.forward_dynamics(SYSTEM, Q, V * 1e200)
    assert np.all(np.isfinite(ct.forward_dynamics(SYSTEM, Q, V * 1e100).v_dot))


# -- choices -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("frame", ["world", None, "Body", 1])
def test_unknown_frames(frame):
    for call in (
        lambda: ct.twists(SYSTEM, Q, V, frame),
        lambda: ct.accelerations(SYSTEM, Q, V, V, frame),
        lambda: ct.jacobian_derivative(SYSTEM, Q, V, LAST, frame),
        lambda: ct.theory.jacobian_partials(SYSTEM, Q, LAST, frame),
        lambda: ct.theory.jacobian_second_partials(SYSTEM, Q, LAST, frame),
    ):
        with refused(ChoiceError, "frame", repr(frame), "'body', 'spatial'"):
            call()


@pytest.mark.parametrize("form", ["bracket", None])
def test_unknown_forms(form):
    with refused(ChoiceError, "form", repr(form), "'brackets', 'binet'"):
        ct.theory.christoffel(SYSTEM, Q, form)


def test_choices_are_value_errors():
    assert issubclass(ChoiceError, ValueError)


def test_unknown_reactions():
    found = ct.forward_dynamics(SYSTEM, Q, V)
    with refused(UnknownNameError, "'tun'", "did you mean 'turn'?"):
        found.reaction("tun")
    with refused(UnknownNameError, "1"):
        found.reaction(1)
    assert found.reaction("turn").shape == (6,)


def test_forces_impulses_and_steps_by_name():
    """What is not named is zero; states by name are told which function finds the rest of them."""
    mech = ct.Mechanism("arm", gravity=(0, -9.81, 0))
    mech.body("upper", 1.0, (0.5, 0, 0), (0.1, 0.1, 0.1))
    mech.body("lower", 1.0, (1.5, 0, 0), (0.1, 0.2, 0.3))
    mech.joint("shoulder", "ground", "upper", ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.joint("wrist", "upper", "lower", ct.Spherical((1, 0, 0)))
    system = mech.compile()
    q, tau = system.q0, np.zeros(4)
    shoulder, wrist = [0], [1, 2, 3]
    for named, place, value in (({"shoulder": 2.0}, shoulder, 2.0), ({"wrist": [1, 2, 3]}, wrist, [1, 2, 3])):
        force = tau.copy()
        force[place] = value
        found, expected = (ct.forward_dynamics(system, q, None, x) for x in (named, force))
        assert np.array_equal(found.v_dot, expected.v_dot)
        assert np.array_equal(ct.displace(system, q, named), ct.displace(system, q, force))
        a, b = (ct.forward_dynamics_derivatives(system, q, None, x) for x in (named, force))
        assert np.array_equal(a.dq, b.dq)
    with refused(UnknownNameError, "no coordinate 'elbow'", "'shoulder'"):
        ct.forward_dynamics(system, q, None, {"elbow": 1.0})
    with refused(ShapeError, "tau['wrist'] of system 'arm' is 1.0; give 3 numbers"):
        ct.forward_dynamics(system, q, None, {"wrist": 1.0})
    with refused(ShapeError, "q of system 'arm' is given by names", "ct.assemble(system, {...})"):
        ct.poses(system, {"shoulder": 1.0})
    with refused(ShapeError, "v of system 'arm' is given by names", "ct.consistent_velocity"):
        ct.energy(system, q, {"shoulder": 1.0})


@pytest.mark.parametrize(("given", "advised"), [({"q": [1.0]}, True), ({"v": [1.0]}, False), ({"tau": [1.0]}, False)])
def test_a_valid_configuration_is_advised_for_coordinates_only(given, advised):
    system = ct.gallery.four_bar().compile()
    with pytest.raises(ct.errors.ShapeError, match="must have 3 entries") as found:
        ct.forward_dynamics(system, **{"q": system.q0, **given})
    assert ("system.q0 is a valid q" in str(found.value)) == advised
