"""Beams of unit length, mass and bending stiffness, and an element written once more with SciPy."""

from itertools import pairwise

import numpy as np
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

import cotree as ct

STIFF = ct.Section((1e8, 1e8, 1e8, 1.0, 1.0, 1.0), mass=1.0, inertia=(1e-4, 5e-5, 5e-5))
SOFT = ct.Section((100.0, 50.0, 60.0, 0.7, 1.0, 1.5), mass=1.0, inertia=(2e-3, 1e-3, 1e-3))
UP = (0.0, 0.0, 0.0)


def cantilever(elements=8, section=STIFF, force=None, moment=None, gravity=UP, **options):
    """(mechanism, beam) along x, clamped to ground."""
    mech = ct.Mechanism("cantilever", gravity=gravity)
    beam = mech.beam("beam", (0, 0, 0), (1, 0, 0), section, elements=elements, start_on=mech.ground, **options)
    if force is not None:
        mech.force("load", beam.nodes[-1], force)
    if moment is not None:
        mech.torque("moment", beam.nodes[-1], moment)
    return mech, beam


def tip(rest, beam, point=(1.0, 0.0, 0.0)):
    """Where the end of the beam is at rest."""
    return (ct.poses(rest.system, rest.q)[rest.system.row_of(beam.nodes[-1])] @ (*point, 1.0))[:3]


def hat(X):
    w, v = X[:3], X[3:]
    out = np.zeros((4, 4))
    out[:3, :3] = [[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]
    out[:3, 3] = v
    return out


WHERE, WEIGHTS = np.polynomial.legendre.leggauss(10)


def log(C):
    """(w, v) with exp = C: v from the integral of exp(s w) v over s from 0 to 1, by Gauss's formula."""
    w = Rotation.from_matrix(C[:3, :3]).as_rotvec()
    turned = Rotation.from_rotvec(np.outer(0.5 + 0.5 * WHERE, w)).as_matrix()
    return np.append(w, np.linalg.solve(np.einsum("k,kij->ij", 0.5 * WEIGHTS, turned), C[:3, 3]))


def logs(frames):
    """Of each frame seen from the one before."""
    return [log(np.linalg.solve(A, B)) for A, B in pairwise(frames)]


def elastic_energy(frames, section, drawn, rest=(0.0,) * 6):
    """L/2 e . K e of all elements between section frames, from scratch; drawn: `logs` without load."""
    total = 0.0
    EA, GAy, GAz, GJ, EIy, EIz = section.stiffness
    for X, X0 in zip(logs(frames), drawn, strict=True):
        L = np.linalg.norm(X0[3:])
        y, z = 1.0 / (1.0 / GAy + L**2 / (12.0 * EIz)), 1.0 / (1.0 / GAz + L**2 / (12.0 * EIy))
        e = (X - X0) / L - np.roll(rest, 3)
        total += 0.5 * L * e @ (np.array([GJ, EIy, EIz, EA, y, z]) * e)
    return total


def exp(X):
    return expm(hat(np.asarray(X)))
