"""Equations of motion as functions for SciPy, CasADi and JAX: against differences, and against the package's own answers."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import root

import cotree as ct
from cotree.derivatives.constraints import along_displacements
from cotree.errors import ArgumentError, ChoiceError, ShapeError, StudyWarning


def mixed():
    """Joints with quaternions and with axes that turn, a spring, and a load whose direction matters."""
    mech = ct.Mechanism("mixed")
    a, b = mech.body("a", 2, (0.3, 0, 0), (0.1, 0.2, 0.3)), mech.body("b", 1, (0.8, 0.1, 0), (0.1, 0.1, 0.2))
    c = mech.body("c", 1.5, (1, 1, 0), (0.3, 0.2, 0.2))
    mech.joint("ball", mech.ground, a, ct.Spherical((0, 0, 0)))
    mech.joint("plane", a, b, ct.Planar((0.6, 0, 0), (0, 0, 1)))
    mech.joint("free", mech.ground, c, ct.Free())
    mech.spring("s", b, (0.8, 0.1, 0), c, (1, 1, 0), 50.0, 0.3)
    mech.force("wind", c, (0, 0, 1), (1.1, 1, 0))
    return mech


def five_bar():
    mech = ct.gallery.five_bar()
    mech.joint_spring("left", "A1", 40.0)
    mech.joint_spring("right", "A2", 90.0)
    return mech


def driven():
    mech = ct.gallery.four_bar()
    mech.drive("turning", "A", lambda t: t + 0.1 * np.sin(t))
    return mech


def with_rows_of_the_user():
    """A constraint whose rate depends on the position."""
    mech = ct.Mechanism("sliders")
    for k, name in enumerate("ab"):
        mech.body(name, mass=1.0 + k, com=(0, k, 0), inertia=(0.1, 0.1, 0.1))
        mech.joint(name.upper(), mech.ground, name, ct.Prismatic(axis=(1, 0, 0), point=(0, k, 0)))
    mech.constraint(
        "screw", lambda q, t: [[np.sin(t), -1.0]], residual=lambda q, t: [q[0] * np.sin(t) - q[1]],
        rate=lambda q, t: [-q[0] * np.cos(t)], bias=lambda q, v, t: [q[0] * np.sin(t) - 2 * v[0] * np.cos(t)],
    )  # fmt: skip
    return mech


CASES = {
    "mixed": (mixed, ["wind"]),
    "five-bar": (five_bar, ["A1"]),
    "driven": (driven, ["D"]),
    "user": (with_rows_of_the_user, ["A"]),
}


def differences(f, x):
    return along_displacements(lambda s: f(x + s), len(x), np.ones(len(x)))


@pytest.mark.parametrize("case", CASES)
def test_derivatives_against_differences(case):
    """Quaternions of any length; loops that are open."""
    build, inputs = CASES[case]
    mech, rng, t = build(), np.random.default_rng(3), 0.4
    f = ct.dynamics_function(mech, inputs)
    system, u = f.system, rng.normal(size=len(f.inputs))
    x = f.x0 + 0.03 * rng.normal(size=len(f.x0))
    found = f.jacobian(t, x, u)
    for name, expected in (
        ("dt", differences(lambda s: f(t + s[0], x, u), np.zeros(1))[:, 0]),
        ("dx", differences(lambda y: f(t, y, u), x)), ("du", differences(lambda w: f(t, x, w), u)),
    ):  # fmt: skip
        assert np.abs(getattr(found, name) - expected).max() < 1e-8 * max(1.0, np.abs(expected).max()), name
    y = np.concatenate([x, rng.normal(size=system.n_constraints)])
    rate = rng.normal(size=len(y))
    for index in (1, 2, 3):
        r, J = ct.residual(system, inputs, index), ct.jacobian(system, inputs, index)
        found = J(t, y, rate, u)
        for name, expected in (
            ("dx", differences(lambda z, r=r: r(t, z, rate, u), y)),
            ("dx_dot", differences(lambda z, r=r: r(t, y, z, u), rate)),
            ("du", differences(lambda w, r=r: r(t, y, rate, w), u)),
        ):  # fmt: skip
            assert np.abs(getattr(found, name) - expected).max() < 1e-8 * max(1.0, np.abs(expected).max()), (
                name,
                index,
            )


def test_residual_is_zero_along_a_motion():
    system = five_bar().compile()
    q = ct.assemble(system, {"A1": 0.1, "A2": -0.05})
    v = ct.consistent_velocity(system, q, {"A1": 1.0, "A2": 0.3})
    found = ct.forward_dynamics(system, q, v, ct.dynamics_function(system, ["A1"])._plain.directions(q) @ [2.0])
    x, rate = np.concatenate([q, v, found.multipliers]), np.concatenate([v, found.v_dot, 0 * found.multipliers])
    for index in (1, 2, 3):
        assert np.abs(ct.residual(system, ["A1"], index)(0.0, x, rate, [2.0])).max() < 1e-11


def test_scipy_integrates_the_same_motion():
    mech = five_bar()
    f = ct.dynamics_function(mech)
    q = ct.assemble(f.system, {"A1": 0.2, "A2": -0.1})
    x0 = np.concatenate([q, np.zeros(f.system.nv)])
    found = solve_ivp(f, (0.0, 0.5), x0, method="Radau", jac=f.dx, rtol=1e-7, atol=1e-8)
    run = ct.simulate(f.system, 0.5, q, rtol=1e-10, atol=1e-10)
    assert np.abs(found.y[:, -1] - np.concatenate([run.q[-1], run.v[-1]])).max() < 1e-5


def test_scipy_finds_the_rest_position():
    mech = five_bar()
    r, J = ct.residual(mech, index=3), ct.jacobian(mech, index=3)
    n, free = r.system.nq, np.r_[: r.system.nq, r.system.nq + r.system.nv : len(r.states)]
    at = lambda z: np.concatenate([z[:n], np.zeros(r.system.nv), z[n:]])  # noqa: E731
    rows = np.s_[n:]
    found = root(
        lambda z: r(0.0, at(z))[rows], r.x0[free] + 0.01, jac=lambda z: J(0.0, at(z)).dx[rows][:, free], tol=1e-12
    )
    assert found.success
    assert np.abs(found.x[:n] - ct.equilibrium(mech).q).max() < 1e-7


def test_casadi_takes_derivatives():
    casadi = pytest.importorskip("casadi", reason="the package casadi is not installed")
    f = ct.dynamics_function(five_bar(), ["A1"])
    call = f.to_casadi("five_bar")
    x, u = f.x0 + 0.01 * np.arange(len(f.x0)), np.array([3.0])
    X, U = casadi.MX.sym("x", len(x)), casadi.MX.sym("u", 1)
    y = call(0.0, X, U)
    J = casadi.Function(
        "J", [X, U], [y, casadi.jacobian(y, X), casadi.jacobian(y, U), casadi.gradient(casadi.sumsqr(y), X)]
    )
    value, dx, du, slope = (np.asarray(z) for z in J(x, u))
    expected = f.jacobian(0.0, x, u)
    assert np.abs(value[:, 0] - f(0.0, x, u)).max() == 0.0
    assert np.abs(dx - expected.dx).max() == 0.0
    assert np.abs(du - expected.du).max() == 0.0
    assert np.allclose(slope[:, 0], 2.0 * expected.dx.T @ f(0.0, x, u), rtol=1e-12)
    assert call.name_in() == ["t", "x", "u"]
    assert call.name_out() == ["x_dot"]


def timed_four_bar():
    mech = ct.gallery.four_bar()
    mech.drive("turning", "D", lambda t: 0.1 * np.sin(3.0 * t))
    return mech


@pytest.mark.parametrize("index", [1, 3])
def test_casadi_takes_the_implicit_equations(index):
    """Derivatives by time too, for a driver that is a function of it."""
    casadi = pytest.importorskip("casadi", reason="the package casadi is not installed")
    r = ct.residual(timed_four_bar(), ["A"], index)
    call, n = r.to_casadi("four_bar"), len(r.states)
    x, x_dot, u = r.x0 + 0.01 * np.arange(n), np.linspace(-0.3, 0.4, n), np.array([3.0])
    T, X, R, U = (casadi.MX.sym(name, size) for name, size in (("t", 1), ("x", n), ("r", n), ("u", 1)))
    y = call(T, X, R, U)
    J = casadi.Function("J", [T, X, R, U], [y, *(casadi.jacobian(y, z) for z in (T, X, R, U))])
    value, dt, *others = (np.asarray(z) for z in J(0.3, x, x_dot, u))
    assert np.abs(value[:, 0] - r(0.3, x, x_dot, u)).max() == 0.0
    for found, expected in zip(others, ct.jacobian(r.system, ["A"], index)(0.3, x, x_dot, u), strict=True):
        assert np.abs(found - expected).max() == 0.0
    assert np.abs(dt[:, 0]).max() > 0.01
    h = 1e-3
    ends = [r(0.3 + k * h, x, x_dot, u) for k in (-2, -1, 1, 2)]
    assert np.abs(dt[:, 0] - (8.0 * (ends[2] - ends[1]) - (ends[3] - ends[0])) / (12.0 * h)).max() < 1e-7
    assert call.name_in() == ["t", "x", "x_dot", "u"]


def test_jax_takes_the_implicit_equations():
    jax = pytest.importorskip("jax", reason="the package jax is not installed: 400 MB, so not among those of the tests")
    r = ct.residual(timed_four_bar(), ["A"])
    x, x_dot, u = r.x0, np.linspace(-0.3, 0.4, len(r.x0)), np.array([3.0])
    with jax.enable_x64(True):
        call, expected = r.to_jax(), r.slopes(0.3, x, x_dot, u)
        assert np.abs(jax.jit(call)(0.3, x, x_dot, u) - r(0.3, x, x_dot, u)).max() == 0.0
        assert np.abs(call(0.3, x) - r(0.3, x)).max() == 0.0
        for k in range(4):
            assert np.abs(jax.jacrev(call, k)(0.3, x, x_dot, u) - expected[k]).max() < 1e-12


def test_jax_takes_derivatives():
    jax = pytest.importorskip("jax", reason="the package jax is not installed: 400 MB, so not among those of the tests")
    f = ct.dynamics_function(five_bar(), ["A1"])
    with jax.enable_x64(True):
        call = f.to_jax()
        x, u = f.x0 + 0.01 * np.arange(len(f.x0)), np.array([3.0])
        expected = f.jacobian(0.0, x, u)
        assert np.abs(jax.jit(call)(0.0, x, u) - f(0.0, x, u)).max() == 0.0
        assert np.abs(call(0.0, x) - f(0.0, x)).max() == 0.0
        assert np.abs(jax.jacrev(call, 1)(0.0, x, u) - expected.dx).max() < 1e-12
        assert np.abs(jax.jacfwd(call, 2)(0.0, x, u) - expected.du).max() < 1e-12
        many = jax.vmap(call, (None, 0, None))(0.0, np.array([x, 0.5 * x]), u)
        assert np.abs(many - np.array([f(0.0, x, u), f(0.0, 0.5 * x, u)])).max() == 0.0


def test_jax_with_32_bits_is_refused(monkeypatch):
    """As it is by default; told here by a stand-in, so that the package need not be installed."""
    short = SimpleNamespace(numpy=SimpleNamespace(zeros=lambda n: np.zeros(n, np.float32)))
    monkeypatch.setitem(sys.modules, "jax", short)
    with pytest.raises(ArgumentError, match="JAX computes with 32 bits"):
        ct.dynamics_function(five_bar()).to_jax()


def test_devices_that_are_left_out_are_named():
    mech = ct.gallery.four_bar()
    mech.friction("A", coulomb=0.3)
    for function in (ct.dynamics_function, ct.residual, ct.jacobian):
        with pytest.warns(StudyWarning, match="friction A"):
            function(mech)


def test_wrong_arguments_are_named():
    mech = five_bar()
    f = ct.dynamics_function(mech, ["A1"])
    with pytest.raises(ShapeError, match=r"x is .*; give a vector of 8 finite numbers"):
        f(0.0, [1.0, 2.0])
    with pytest.raises(ShapeError, match=r"u is .*; give a vector of 1 finite numbers"):
        f(0.0, f.x0, [1.0, 2.0])
    with pytest.raises(ChoiceError, match=r"index is 0; give 1 \(accelerations\)"):
        ct.residual(mech, index=0)
    assert repr(f) == "<dynamics of 'five-bar': 8 states, 1 inputs>"
    assert repr(ct.jacobian(mech)) == "<jacobian of 'five-bar', index 1: 10 states, 0 inputs>"
