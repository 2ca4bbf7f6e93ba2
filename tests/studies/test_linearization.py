"""Linearization against published eigenvalues, formulas and simulated oscillations."""

import warnings

import numpy as np
import pytest

import cotree as ct
from cotree.errors import MissingPackageError, ShapeError, StudyError, StudyWarning, UnknownNameError
from cotree.studies.linearization import _without_dots

# Meijaard, Papadopoulos, Ruina and Schwab (2007), equations (5.4) to (5.6): the benchmark bicycle
M0 = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0.0, 76.59734589573222], [0.0, 2.65431523794604]])
C1 = np.array([[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])


@pytest.mark.parametrize("speed", [0.0, 1.0, 3.5, 5.0, 10.0])
def test_bicycle_has_the_published_eigenvalues(speed):
    mech = ct.gallery.bicycle(speed=speed, lean_rate=0.0)
    found = ct.linearize(mech, mech.q_start, mech.v_start)
    stiffness, damping = np.linalg.solve(M0, 9.81 * K0 + speed**2 * K2), np.linalg.solve(M0, speed * C1)
    expected = np.linalg.eigvals(np.block([[np.zeros((2, 2)), np.eye(2)], [-stiffness, -damping]]))
    assert found.A.shape == (10, 10)  # seven positions, three velocities
    assert found.steady
    for x in expected:
        assert np.abs(found.eigenvalues - x).min() < 1e-9 * max(1.0, abs(x))


def test_bicycle_has_the_published_mode_shapes():
    """Lean and steer of weave, capsize and castering are the kernel of the published equations at their eigenvalues."""
    speed = 5.0
    mech = ct.gallery.bicycle(speed=speed, lean_rate=0.0)
    found = ct.linearize(mech, mech.q_start, mech.v_start)
    lean, steer = (found.system.v_index(name) for name in ("ride.wx", "steer"))
    moving = np.flatnonzero(np.abs(found.eigenvalues) > 1e-3)
    assert len(moving) == 4
    for k in moving:
        s = found.eigenvalues[k]
        row = (s**2 * M0 + s * speed * C1 + 9.81 * K0 + speed**2 * K2)[0]
        ratio = row[0] / row[1]  # of steer, about an axis that points up here and down there, to lean
        assert abs(found.modes[steer, k] / found.modes[lean, k] - ratio) < 1e-8 * abs(ratio)


def sprung_four_bar():
    mech = ct.gallery.four_bar()
    mech.gravity = np.zeros(3)
    mech.joint_spring("coil", "A", 50.0)
    return mech


def test_four_bar_with_spring_oscillates_as_simulated():
    mech = sprung_four_bar()
    found = ct.linearize(mech)
    assert found.steady
    assert found.A.shape == (2, 2)
    assert np.abs(found.damping).max() < 1e-12
    system = mech.compile()
    run = ct.simulate(system, 6.0, q={"A": 1e-4}, rtol=1e-11, atol=1e-14, output=0.001)
    angle = run.q[:, system.q_index("A")]
    up = np.flatnonzero((angle[:-1] < 0.0) & (angle[1:] >= 0.0))
    crossing = run.t[up] - angle[up] * (run.t[up + 1] - run.t[up]) / (angle[up + 1] - angle[up])
    period = (crossing[-1] - crossing[0]) / (len(crossing) - 1)
    assert abs(found.frequencies[0] * period - 1.0) < 1e-6


def test_spinning_rotor_splits_its_frequencies():
    """A Campbell diagram: a disk on a sprung gimbal, whirl w^2 J = k +- w spin J_p of a symmetric rotor."""
    J, J_p, k = 0.4, 0.7, 30.0
    for spin in (0.0, 5.0, 20.0):
        mech = ct.Mechanism("rotor", gravity=(0, 0, 0))
        outer, inner = (mech.body(name, 1e-9, (0, 0, 0), (1e-12,) * 3) for name in ("outer", "inner"))
        disk = mech.body("disk", 1.0, (0, 0, 0), (J, J, J_p))
        mech.joint("x", mech.ground, outer, ct.Revolute((0, 0, 0), (1, 0, 0)))
        mech.joint("y", outer, inner, ct.Revolute((0, 0, 0), (0, 1, 0)))
        mech.joint("z", inner, disk, ct.Revolute((0, 0, 0), (0, 0, 1)))
        mech.joint_spring("kx", "x", k)
        mech.joint_spring("ky", "y", k)
        found = ct.linearize(mech, v={"x": 0.0, "y": 0.0, "z": spin}).eigenvalues.imag
        whirl = 0.5 * spin * J_p / J + np.array([1.0, -1.0]) * np.sqrt((0.5 * spin * J_p / J) ** 2 + k / J)
        for w in np.abs(whirl):
            assert np.abs(found - w).min() < 1e-7 * w


def pendulum():
    mech = ct.Mechanism("pendulum")
    rod = mech.body("rod", 2.0, (0, 0, -0.5), (0.1, 0.1, 0.1))
    mech.joint("A", mech.ground, rod, ct.Revolute((0, 0, 0), (0, 1, 0)))
    mech.motor("m", "A", 0.0)
    mech.force("wind", rod, (0, 0, 0), (0, 0, -1))
    return mech


def test_inputs_outputs_and_names():
    def height(q, v):
        return -0.5 * np.cos(q[0]) + v[0]

    found = ct.linearize(pendulum(), inputs=["m", "wind", "A"], outputs=["A", "A.rate", height])
    inertia = 0.1 + 2.0 * 0.25
    assert found.states == ("A", "A.rate")
    assert found.inputs == ("m", "wind.x", "wind.y", "wind.z", "A")
    assert found.outputs == ("A", "A.rate", "height")
    assert np.allclose(found.B[1], np.array([1.0, -1.0, 0.0, 0.0, 1.0]) / inertia, atol=1e-12)
    assert np.allclose(found.C, [[1, 0], [0, 1], [0, 1]], atol=1e-9)
    assert np.allclose(found.frequencies, np.sqrt(2.0 * 9.81 * 0.5 / inertia) / (2 * np.pi))
    assert np.abs(found.modes).max() == 1.0
    assert found.to_scipy().A.shape == (2, 2)
    assert ct.linearize(pendulum()).inputs == ("m",)


def test_errors_name_what_is_wrong(monkeypatch):
    with pytest.raises(UnknownNameError, match="inputs: no motor, load or coordinate 'n'"):
        ct.linearize(pendulum(), inputs=["n"])
    with pytest.raises(UnknownNameError, match="outputs: no coordinate or rate 'B'"):
        ct.linearize(pendulum(), outputs=["B"])
    with pytest.raises(StudyError, match="must return one number"):
        ct.linearize(pendulum(), outputs=[lambda q, v: [1.0, 2.0]])
    monkeypatch.setitem(__import__("sys").modules, "control", None)
    with pytest.raises(MissingPackageError, match="package control is needed"):
        ct.linearize(pendulum()).to_control()


def test_python_control_has_the_same_response_and_names():
    pytest.importorskip("control", reason="the package control is not installed")
    linear = ct.linearize(pendulum(), inputs=["m", "wind"], outputs=["A", "A.rate"])
    there = linear.to_control()
    assert (there.state_labels, there.output_labels) == (["A", "A_rate"], ["A", "A_rate"])  # dots are not allowed there
    assert there.input_labels == ["m", "wind_x", "wind_y", "wind_z"]
    f = np.array([0.0, 0.3, 2.0])
    expected = np.array([there(2j * np.pi * x) for x in f])
    assert np.abs(linear.frequency_response(f).response - expected).max() < 1e-14
    assert _without_dots(["a.b", "a_b", "a.b"]) == ["a_b", "a_b_2", "a_b_3"]
    assert ct.linearize(pendulum(), inputs=[]).to_control().ninputs == 0


def test_frequency_response_of_an_oscillator(tmp_path):
    """One damped degree of freedom, 1 / (k - m w^2 + i c w)."""
    mech = ct.Mechanism("oscillator", gravity=(0, 0, 0))
    mech.joint("x", mech.ground, mech.body("mass", 2.0, (0, 0, 0), (1, 1, 1)), ct.Prismatic(axis=(1, 0, 0)))
    mech.joint_spring("k", "x", 50.0)
    mech.joint_damper("c", "x", 1.5)
    linear = ct.linearize(mech, inputs=["x"], outputs=["x"])
    f = np.linspace(0.0, 5.0, 41)
    found, w = linear.frequency_response(f), 2.0 * np.pi * f
    assert np.allclose(found.response[:, 0, 0], 1.0 / (50.0 - 2.0 * w**2 + 1.5j * w), rtol=1e-12, atol=0)
    assert np.allclose(found.phase[:, 0, 0], -np.unwrap(np.angle(50.0 - 2.0 * w**2 + 1.5j * w)), atol=1e-12)
    assert found.inputs == found.outputs == ("x",)
    usual = linear.frequency_response()
    assert abs(usual.frequencies[np.argmax(usual.magnitude)] - np.sqrt(25.0 - 2 * (1.5 / 4) ** 2) / (2 * np.pi)) < 0.02
    usual.plot(tmp_path / "bode.png")
    assert (tmp_path / "bode.png").stat().st_size > 1000


def test_frequency_response_of_a_driven_four_bar():
    """The steady oscillation of a simulated four-bar under a small torque."""
    mech = sprung_four_bar()
    mech.joint_damper("oil", "A", 8.0)
    linear = ct.linearize(mech, inputs=["A"], outputs=["A"])
    f, size = 0.7, 1e-3
    expected = linear.frequency_response([f]).response[0, 0, 0] * size
    mech.motor("m", "A", lambda t: size * np.cos(2.0 * np.pi * f * t))
    run = ct.simulate(mech, 20.0, rtol=1e-10, atol=1e-13, output=0.01)
    late, angle = run.t > 12.0, run.joint("A").angle
    phases = np.exp(2j * np.pi * f * run.t[late])
    fit = np.linalg.lstsq(np.column_stack([phases.real, -phases.imag]), angle[late], rcond=None)[0]
    assert abs(fit[0] + 1j * fit[1] - expected) < 1e-3 * abs(expected)


def test_frequency_response_refuses_what_has_no_answer():
    with pytest.raises(StudyError, match="no inputs to respond to"):
        ct.linearize(sprung_four_bar()).frequency_response()
    linear = ct.linearize(pendulum())
    with pytest.raises(ShapeError, match="frequencies: give a list of numbers in Hz"):
        linear.frequency_response([-1.0])
    with pytest.raises(StudyError, match="nothing limits the amplitude"):
        linear.frequency_response([linear.frequencies[0]])


@pytest.mark.parametrize("how", [{}, {"coordinates": "absolute"}])
def test_rest_of_a_mechanism_whose_start_moves_is_warned_of(how):
    mech = ct.gallery.slider_crank()
    with pytest.warns(StudyWarning, match=r"about rest, although its start moves \(v_start\)") as caught:
        linear = ct.linearize(mech.compile(**how))
    assert len(caught) == 1
    assert not linear.v.any()


@pytest.mark.parametrize("v", [{}, {"O": 1.0}, [0.0, 0.0, 0.0]])
def test_velocities_that_are_given_are_not(v):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ct.linearize(ct.gallery.slider_crank(), v=v)
        ct.linearize(ct.gallery.four_bar())
        ct.linearize(ct.gallery.pendulum_chain(2))  # v_start of zeros
