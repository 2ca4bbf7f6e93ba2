"""Small mechanisms that several tests start from, and the check of an error's class and words."""

from contextlib import contextmanager

import numpy as np
import pytest

import cotree as ct

Z = (0, 0, 1)
A, B, C, D = (0, 0, 0), (0.6, 0.8, 0), (2.4, 1.4, 0), (2.5, 0, 0)
NUMBERS_THAT_ARE_NONE = [float("nan"), float("inf"), -float("inf")]


@contextmanager
def refused(error, *words):
    """The block must raise this very class, with all these words in the message."""
    with pytest.raises(error) as caught:
        yield caught
    assert type(caught.value) is error
    for word in words:
        assert word in str(caught.value), str(caught.value)


def spoiled(values, place, bad):
    """A copy with one number replaced."""
    out = np.array(values, dtype=float)
    out[place] = bad
    return out


def four_bar():
    """The four-bar of the design page."""
    mech = ct.Mechanism("four-bar", gravity=(0, -9.81, 0))
    crank = mech.body("crank", mass=1, com=(0.3, 0.4, 0), inertia=(0.1, 0.1, 0.1), shape=ct.Rod(A, B))
    coupler = mech.body("coupler", mass=2, com=(1.5, 1.1, 0), inertia=(0.6, 0.6, 0.6), shape=ct.Rod(B, C))
    rocker = mech.body("rocker", mass=1, com=(2.45, 0.7, 0), inertia=(0.2, 0.2, 0.2), shape=ct.Rod(C, D))
    mech.joint("A", mech.ground, crank, ct.Revolute(point=A, axis=Z))
    mech.joint("B", crank, coupler, ct.Revolute(point=B, axis=Z))
    mech.joint("C", coupler, rocker, ct.Revolute(point=C, axis=Z))
    mech.joint("D", mech.ground, rocker, ct.Revolute(point=D, axis=Z))
    return mech


def pendulum(name="pendulum"):
    """One body `bob` on one revolute joint `pivot`."""
    mech = ct.Mechanism(name)
    mech.body("bob", mass=2, com=(0.5, 0, 0), inertia=(0.1, 0.2, 0.2))
    mech.joint("pivot", "ground", "bob", ct.Revolute(point=(0, 0, 0), axis=(0, 1, 0)))
    return mech
