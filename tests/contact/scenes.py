"""Mechanisms with contacts that several tests run."""

from __future__ import annotations

import numpy as np

import cotree as ct

G = 9.81
FLOOR = ct.Plane((0, 0, 0), (0, 0, 1))


def on_slope(angle: float) -> tuple[float, float, float]:
    """Gravity as seen from a slope, down which x points."""
    a = np.radians(angle)
    return (G * np.sin(a), 0.0, -G * np.cos(a))


def at(position: tuple[float, ...]) -> np.ndarray:
    """Pose of a body's frame there, in world axes."""
    pose = np.eye(4)
    pose[:3, 3] = position
    return pose


def block(angle: float = 0.0, friction: float = 0.4, height: float = 0.0, **more: float) -> ct.Mechanism:
    """A cube of 1 kg above a slope."""
    mech, pose = ct.Mechanism("block", gravity=on_slope(angle)), at((0, 0, 0.1 + height))
    body = mech.body("block", 1.0, (0, 0, 0), (0.01,) * 3, pose, ct.Box((0, 0, 0), (0.2, 0.2, 0.2)))
    mech.joint("free", mech.ground, body, ct.Free())
    mech.contact("floor", mech.ground, FLOOR, body, None, friction=friction, **more)
    return mech


def ball(angle: float = 0.0, height: float = 0.0, gravity: float = 1.0, **more: float) -> ct.Mechanism:
    """A solid ball of 1 kg and radius 0.1 m above a slope."""
    mech, pose = ct.Mechanism("ball", gravity=gravity * np.array(on_slope(angle))), at((0, 0, 0.1 + height))
    body = mech.body("ball", 1.0, (0, 0, 0), (0.004,) * 3, pose, ct.Sphere((0, 0, 0), 0.1))
    mech.joint("free", mech.ground, body, ct.Free())
    mech.contact("floor", mech.ground, FLOOR, body, None, **more)
    return mech
