"""Small mechanisms with brakes, stops and locks, and what their books must say."""

import numpy as np

import cotree as ct

X, Y, Z = np.eye(3)
TIGHT = {"rtol": 1e-11, "atol": 1e-12}
G = 9.81


def block(mass=2.0, gravity=(0.0, 0.0, 0.0), axis=X):
    """A block on a slide."""
    mech = ct.Mechanism("block", gravity)
    mech.body("block", mass, (0, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("slide", "ground", "block", ct.Prismatic(axis))
    return mech


def wheel(inertia=2.0):
    """A flywheel."""
    mech = ct.Mechanism("flywheel", (0.0, 0.0, 0.0))
    mech.body("wheel", 1.0, (0, 0, 0), (inertia, inertia, inertia))
    mech.joint("axle", "ground", "wheel", ct.Revolute((0, 0, 0), Z))
    return mech


def pendulum(mass=2.0, length=0.5, inertia=0.1):
    """A bar that hangs down at q = 0."""
    mech = ct.Mechanism("pendulum", (0.0, -G, 0.0))
    mech.body("bar", mass, (0, -length, 0), (inertia, inertia, inertia))
    mech.joint("pivot", "ground", "bar", ct.Revolute((0, 0, 0), Z))
    return mech


def arm(lengths=(1.0, 0.7), gravity=(0.0, -G, 0.0), inertia=0.05):
    """Bars in a row along x, joints j1, j2, ..., which turn about z."""
    mech, before, x = ct.Mechanism("arm", gravity), "ground", 0.0
    for k, length in enumerate(lengths, 1):
        mech.body(f"bar{k}", 1.0 + 0.2 * k, (x + 0.5 * length, 0, 0), (inertia, inertia, inertia))
        mech.joint(f"j{k}", before, f"bar{k}", ct.Revolute((x, 0, 0), Z))
        before, x = f"bar{k}", x + length
    return mech


def books_close(run, tolerance=1e-8):
    """The run came to its end and its energy is accounted for."""
    assert run.status == "done", run.message
    scale = max(1.0, float(np.abs(run.energy.total).max()))
    assert np.abs(run.energy.balance).max() < tolerance * scale
    assert (np.diff(run.energy.dissipated) > -1e-12).all()
    assert (np.diff(run.energy.lost) > -1e-12).all()
    assert all(s.energy_loss >= -1e-12 for s in run.switches)


def words(run):
    """(device, what it did) of all switches, in order."""
    return [c for s in run.switches for c in s.changes]


def times(run, what):
    """Times of the switches in which something did `what`."""
    return [s.t for s in run.switches if any(w == what for _, w in s.changes)]


def same_motion(one, two, tolerance):
    """Both runs have the same times and the bodies are at the same places."""
    np.testing.assert_array_equal(one.t, two.t)
    A, B = one.poses(), two.poses()
    for name in one.system.body_names:
        a, b = A[:, one.system.row_of(name)], B[:, two.system.row_of(name)]
        np.testing.assert_allclose(b, a, atol=tolerance)
