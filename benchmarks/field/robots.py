"""Published robots with closed loops: a leg of Cassie."""

from __future__ import annotations

from pathlib import Path

import cotree as ct
from benchmarks.field.newton_euler import watched_by_newton_euler
from benchmarks.field.problem import Problem

DATA = Path(__file__).parent / "data"
FOOT = ("foot", (-0.0086426, 0.1350231, 0.0318108))
ROD = ("achilles-rod", (-0.2, 0.1, 0.8))


def cassie_leg() -> ct.Mechanism:
    """Eleven bodies; the Achilles rod and the plantar rod close its loops, two springs of the leg are in series with them."""
    return ct.load(DATA / "cassie_leg.model.json")


POINTS = (FOOT, ROD)
SOURCE = (
    "Agility Robotics' Cassie as in MuJoCo Menagerie, agility_cassie/cassie.xml, MIT licence, Copyright (c) 2022 Agility "
    "Robotics (`cassie_leg.LICENSE.txt`)"
)
CHOICES = (
    'The model file holds the left leg in the posture of the source\'s keyframe "home", loops closed, in world axes; '
    "the knee's spring plate, which is fixed to it, is part of the knee. The pelvis is held, motors are off, limits of "
    "joints and contact are left out; masses, inertia, rotors (armature), stiffness and damping are the source's. It "
    "starts at rest."
)
PROBLEMS = (
    Problem(
        "cassie leg", "Left leg of Cassie, pelvis held", (SOURCE,),
        "a robot of industry: two loops, stiff springs, rotors, dampers of very different rates", cassie_leg, 0.4, POINTS,
        lambda t: watched_by_newton_euler(cassie_leg(), POINTS, None, t[-1], t, 1e-11),
        "Newton's and Euler's equations in absolute coordinates, SciPy's DOP853 at 1e-11",
        choices=CHOICES, coordinates="relative", rows=41,
    ),
)  # fmt: skip
