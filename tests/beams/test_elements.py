"""The element itself: energy written once more, forces and tangents by differences, frame indifference, files."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ArgumentError, ForceError, InertiaError, ShapeError, UnconnectedError, UnknownNameError

from .rigs import SOFT, cantilever, elastic_energy, exp, logs

REST = (0.1, 0.0, 0.0, 0.0, 0.2, 0.0)


def arc(turn=None):
    """A curved, damped beam on an arm, as drawn or as a whole turned and moved."""
    G = np.eye(4) if turn is None else turn

    def at(x):
        return (G @ (*x, 1.0))[:3]

    mech = ct.Mechanism("arc", gravity=(0, 0, 0))
    R = G[:3, :3]
    arm = mech.body("arm", 1.0, at((0, 0.1, 0)), R @ np.diag((0.1, 0.2, 0.15)) @ R.T)
    mech.joint("A", mech.ground, arm, ct.Revolute(at((0, 0.1, 0)), R @ (0, 0, 1)))
    beam = mech.beam(
        "arc", at((0, 0, 0)), at((1, 1, 0)), SOFT, elements=3, start_on=arm, damping=(0.3, 0.2, 0.1, 0.02, 0.03, 0.04),
        curve=lambda s: at((np.sin(0.5 * np.pi * s), 1 - np.cos(0.5 * np.pi * s), 0)), rest_strain=REST,
        y_axis=R @ (0, 0, 1),
    )  # fmt: skip
    return mech, beam


@pytest.fixture(scope="module")
def moving():
    (mech, beam), rng = arc(), np.random.default_rng(3)
    system = mech.compile()
    q = ct.displace(system, system.q0, 0.3 * rng.standard_normal(system.nv))
    return system, beam, q, rng.standard_normal(system.nv)


def section_frames(system, beam, q):
    at = ct.poses(system, q)
    return [at[system.row_of(n)] @ F for n, F in zip(beam.nodes, beam.elements.frames, strict=True)]


def test_energy_written_once_more(moving):
    system, beam, q, _ = moving
    drawn = logs(section_frames(system, beam, system.q0))
    own = elastic_energy(section_frames(system, beam, q), SOFT, drawn, REST)
    assert ct.energy(system, q).potential == pytest.approx(own, rel=1e-9)


def test_forces_are_the_slope_of_the_energy_and_damping_takes_energy(moving):
    system, _, q, v = moving
    none, h = np.zeros(system.nv), 1e-5
    force = ct.inverse_dynamics(system, q, none, none)
    slope = [
        (
            ct.energy(system, ct.displace(system, q, h * e)).potential
            - ct.energy(system, ct.displace(system, q, -h * e)).potential
        )
        / (2 * h)
        for e in np.eye(system.nv)
    ]
    assert np.abs(force - slope).max() < 1e-6 * np.abs(force).max()
    damping = ct.inverse_dynamics_derivatives(system, q, none, none).dv
    assert np.linalg.eigvalsh(damping + damping.T).min() > -1e-12
    assert v @ damping @ v > 0.01


def test_tangents_are_exact(moving):
    system, _, q, v = moving
    a = np.linspace(-1, 1, system.nv)
    exact, h = ct.inverse_dynamics_derivatives(system, q, v, a), 1e-5

    def along(e):
        return ct.inverse_dynamics(system, ct.displace(system, q, e), v, a)

    by_q = np.array(
        [
            (8 * (along(h * e) - along(-h * e)) - along(2 * h * e) + along(-2 * h * e)) / (12 * h)
            for e in np.eye(system.nv)
        ]
    )
    by_v = np.array(
        [
            (ct.inverse_dynamics(system, q, v + e, a) - ct.inverse_dynamics(system, q, v - e, a)) / 2
            for e in np.eye(system.nv)
        ]
    )
    size = np.abs(by_q).max()
    assert np.abs(exact.dq - by_q.T).max() < 1e-9 * size
    assert np.abs(exact.dv - by_v.T).max() < 1e-11 * size  # quadratic in v: the difference is exact


def test_kinds_with_and_without_slopes_beside_each_other(moving):
    _, _, q, v = moving
    mech, beam = arc()
    mech.bushing("bush", mech.ground, beam.nodes[2], (0.8, 0.4, 0), [5.0] * 6, [0.1] * 6)
    system = mech.compile()
    zero, h = np.zeros(system.nv), 1e-5
    exact = ct.inverse_dynamics_derivatives(system, q, v, zero).dq
    e = np.cos(np.arange(system.nv))
    ahead, back = (ct.inverse_dynamics(system, ct.displace(system, q, s * h * e), v, zero) for s in (1, -1))
    assert np.abs(exact @ e - (ahead - back) / (2 * h)).max() < 1e-7 * np.abs(exact @ e).max()


def test_turned_and_moved_as_a_whole(moving):
    system, _, q, v = moving
    G = exp((0.3, -1.1, 0.7, 2.0, -3.0, 1.0))
    other = arc(G)[0].compile()
    # velocities of free bodies are about the world's origin, in axes that are the world's as assembled
    turn = np.eye(system.nv)
    ad = np.block([[G[:3, :3], np.zeros((3, 3))], [hat(G[:3, 3]) @ G[:3, :3], G[:3, :3]]])
    for k in range(1, system.nv, 6):
        turn[k : k + 6, k : k + 6] = ad
    rng = np.random.default_rng(3)
    there = ct.displace(other, other.q0, turn @ (0.3 * rng.standard_normal(system.nv)))
    here, moved = ct.forward_dynamics(system, q, v).v_dot, ct.forward_dynamics(other, there, turn @ v).v_dot
    assert np.abs(turn @ here - moved).max() < 1e-10 * np.abs(moved).max()
    assert ct.energy(other, there).potential == pytest.approx(ct.energy(system, q).potential, rel=1e-11)


def hat(p):
    return np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])


def test_files_keep_every_digit(moving, tmp_path):
    system, _, q, v = moving
    for name in ("arc.json", "arc.yaml", "arc.toml"):
        ct.save(system.mechanism, tmp_path / name)
        again = ct.load(tmp_path / name).compile()
        assert np.array_equal(ct.forward_dynamics(again, q, v).v_dot, ct.forward_dynamics(system, q, v).v_dot)


def test_relative_and_absolute_coordinates(moving):
    mech, beam = cantilever(3, SOFT, gravity=(0, 0, -1))
    one, two = mech.compile(), mech.compile(coordinates="absolute")
    a = ct.forward_dynamics(one, one.q0, np.zeros(one.nv)).v_dot
    b = ct.forward_dynamics(two, two.q0, np.zeros(two.nv)).v_dot
    for node in beam.nodes:
        row = [f"{node.name}.vz" in s.v_names and s.v_index(f"{node.name}.vz") for s in (one, two)]
        if row[0] is not False:
            assert a[row[0]] == pytest.approx(b[row[1]], abs=1e-9)


def test_a_beam_floats_but_other_bodies_do_not():
    mech = ct.Mechanism("free", gravity=(0, 0, 0))
    mech.beam("beam", (0, 0, 0), (1, 0, 0), SOFT, elements=2)
    assert mech.compile().nv == 18
    mech.body("lost", 1.0, (0, 0, 0), (1, 1, 1))
    with pytest.raises(UnconnectedError, match="lost"):
        mech.compile()


def test_sections():
    steel = {"youngs_modulus": 210e9, "poisson": 0.3, "density": 7850.0}
    square = ct.Section.rectangle(0.1, 0.1, **steel)
    G = 210e9 / 2.6
    assert square.stiffness[3] / (G * 1e-4) == pytest.approx(
        0.14057701, abs=1e-8
    )  # Timoshenko and Goodier, article 109
    assert ct.Section.rectangle(1.0, 1e-3, **steel).stiffness[3] / G == pytest.approx(1e-9 / 3, rel=1e-3)
    assert square.stiffness[1] == pytest.approx(10 * 1.3 / (12 + 11 * 0.3) * G * 0.01)
    flat = ct.Section.rectangle(0.2, 0.1, **steel)
    assert flat.stiffness[5] == pytest.approx(4 * flat.stiffness[4])  # wide along y: stiff about z
    solid, thin = ct.Section.circle(0.05, **steel), ct.Section.tube(0.05, 0.0499, **steel)
    assert solid.stiffness[1] / (G * np.pi * 0.05**2) == pytest.approx(6 * 1.3 / (7 + 6 * 0.3))
    assert thin.stiffness[1] / (G * np.pi * (0.05**2 - 0.0499**2)) == pytest.approx(2 * 1.3 / (4 + 3 * 0.3), rel=1e-4)
    assert solid.inertia[0] == pytest.approx(solid.inertia[1] + solid.inertia[2])
    assert ct.Section([1] * 6, 1.0, (2.0, 0, 0)).inertia == (2.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: ct.Section([1, 1, 1, 0, 1, 1], 1.0), ArgumentError, "positive"),
        (lambda: ct.Section([1] * 6, -1.0), ArgumentError, "negative"),
        (lambda: ct.Section([1] * 6, 1.0, (3, 1, 1)), InertiaError, "sum"),
        (lambda: ct.Section.circle(0.1, youngs_modulus=1, poisson=0.6, density=1), ArgumentError, "poisson"),
        (lambda: ct.Section.tube(0.1, 0.2, youngs_modulus=1, poisson=0.3, density=1), ArgumentError, "inner_radius"),
        (lambda: cantilever(section="steel"), ForceError, "ct.Section"),
        (lambda: cantilever(elements=0), ShapeError, "elements"),
        (lambda: cantilever(damping=-1.0), ForceError, "damping"),
        (lambda: cantilever(rest_strain=(1, 2)), ForceError, "rest_strain"),
        (lambda: cantilever(y_axis=(1, 0, 0)), ShapeError, "y_axis"),
        (lambda: cantilever(curve=lambda s: (s, 0, 1)), ShapeError, "start"),
        (lambda: cantilever(curve=lambda s: (s, 0)), ShapeError, "three finite"),
        (lambda: cantilever(curve=[(0, 0, 0), (1, 0, 0)]), ShapeError, "three points"),
        (lambda: cantilever(curve=[(0, 0, 0), (0, 0, 0), (1, 0, 0)]), ShapeError, "coincide"),
        (lambda: ct.Mechanism().beam_chain("x", ["ground"], [np.eye(4)], [1] * 6), ForceError, "two nodes"),
        (lambda: chain(frames=np.eye(4)), ShapeError, "frames"),
        (lambda: chain(stiffness=[0] * 6), ForceError, "positive"),
    ],
)
def test_refusals(make, error, words):
    with pytest.raises(error, match=words):
        make()


def chain(frames=None, stiffness=(1,) * 6):
    mech = ct.Mechanism()
    body = mech.body("a", 1.0, (0, 0, 0), (1, 1, 1))
    return mech.beam_chain("x", [mech.ground, body], [np.eye(4)] * 2 if frames is None else frames, stiffness)


def test_no_beam_of_that_name():
    mech, _ = cantilever(1, SOFT)
    run = ct.simulate(mech, 1e-3, step=1e-3, method="rk4")
    with pytest.raises(UnknownNameError, match="bean"):
        run.beam("bean")
    with pytest.raises(ArgumentError, match="not between"):
        run.beam("beam").shape(2.0)
