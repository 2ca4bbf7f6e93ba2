"""Loops against Exudyn, which works in absolute coordinates with other integrators: accelerations, and half a second of motion.

Its generalized-alpha method is of order two: with steps of 0.1 ms it is within 2e-7 m of the four-bar's motion.
"""

import numpy as np
import pytest

import cotree as ct

pytest.importorskip("exudyn")

from benchmarks.peers.cases import States, cotree_states
from benchmarks.peers.exudyn_models import ExudynModel

T_END = 0.5


def moving(mech, rate):
    """System, with an admissible starting velocity: random, projected on the loops."""
    system = mech.compile()
    return system, ct.consistent_velocity(system, system.q0, rate * np.random.default_rng(5).normal(size=system.nv))


def at_start(system, v) -> States:
    return cotree_states(system, ct.simulate(system, 1e-6, v=v, output=[0.0]))


LOOPS = {
    "four-bar": ct.gallery.four_bar,
    "three four-bars": lambda: ct.gallery.n_four_bar(3, 0.7),
    "Bennett": ct.gallery.bennett,
    "Bricard": ct.gallery.bricard,
    "Sarrus": ct.gallery.sarrus,
    "spherical": ct.gallery.spherical_four_bar,
}


@pytest.mark.parametrize(("rate", "tolerance"), [(0.0, 1e-11), (2.0, 1e-6)])
@pytest.mark.parametrize("name", LOOPS)
def test_angular_accelerations(name, rate, tolerance):
    """At rest to rounding; in motion to 1e-6, as Exudyn differentiates the constraints numerically along the velocity."""
    system, v = moving(LOOPS[name](), rate)
    model = ExudynModel(system.mechanism, at_start(system, v))
    v_dot = ct.forward_dynamics(system, system.q0, v).v_dot
    ours = ct.accelerations(system, system.q0, v, v_dot, "spatial")[1:, :3]
    order = [system.body_names.index(body) for body in system.mechanism.bodies]
    assert np.abs(ours).max() > 0.1
    assert np.abs(model.start_accelerations() - ours[order]).max() < tolerance * max(1.0, np.abs(ours).max())


def distance(name, steps):
    """Largest distance of joint points and mass centres from a tight run of ours, at six times in half a second."""
    system, v = moving(getattr(ct.gallery, name)(), 1.0)
    model = ExudynModel(system.mechanism, at_start(system, v))
    _, theirs = model.run(model.settings("alpha", steps, T_END))
    run = ct.simulate(system, T_END, v=v, rtol=1e-11, atol=1e-11, output=np.linspace(0.0, T_END, len(theirs.c)))
    ours = cotree_states(system, run)
    assert len(theirs.c) == 6
    assert np.abs(ours.c[-1] - ours.c[0]).max() > 0.05  # it did move
    return np.linalg.norm(theirs.watched(system.mechanism) - ours.watched(system.mechanism), axis=2).max()


def test_motion_of_the_four_bar():
    coarse, fine = distance("four_bar", 500), distance("four_bar", 5000)
    assert fine < 2e-7
    assert 80 < coarse / fine < 120  # order two: it is Exudyn's error that is seen


def test_motion_of_bricards_linkage():
    """Redundant rows, mobile only by its dimensions."""
    assert distance("bricard", 1000) < 1e-5
