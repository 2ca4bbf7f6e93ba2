"""The same joint twice under two names."""

import warnings

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ModelWarning
from tests.model.builders import four_bar


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
def test_the_same_joint_twice(coordinates):
    mech = ct.Mechanism("door")
    mech.body("leaf", 1.0, (0.5, 0, 0), (1, 1, 1))
    mech.joint("hinge", "ground", "leaf", ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.joint("again", "leaf", "ground", ct.Revolute((0, 0, 0), (0, 0, 1)))
    with pytest.warns(ModelWarning, match="'hinge' and 'again' are the same Revolute between 'leaf' and 'ground'"):
        mech.compile(coordinates=coordinates)


def test_joints_that_differ():
    mech = four_bar()
    frames = {"frame_parent": np.eye(4), "frame_child": np.eye(4)}
    mech.body("leaf", 1.0, (0.5, 0, 0), (1, 1, 1))
    mech.joint("low", "ground", "leaf", ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.joint("high", "ground", "leaf", ct.Revolute((0, 0, 1), (0, 0, 1)))
    mech.joint("pin", "ground", "leaf", ct.Cylindrical((0, 0, 0), (0, 0, 1)))
    mech.joint("framed", "ground", "leaf", ct.Revolute(**frames))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ModelWarning)
        mech.compile()
    mech.joint("framed too", "ground", "leaf", ct.Revolute(**frames))
    with pytest.warns(ModelWarning, match="'framed' and 'framed too'"):
        mech.compile()
