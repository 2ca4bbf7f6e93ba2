"""Poses, twists and accelerations of the bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.engine.kernel import kernel
from cotree.engine.vectors import all_finite
from cotree.kinematics.sweep import accelerate_links, move_all, place_all
from cotree.lie import se3
from cotree.lie.storage import pose, put_pose_of, put_twist, twist, vec
from cotree.lie.vec3 import add, cross
from cotree.model.checks import choice
from cotree.system.arguments import coordinates, not_finite, of_systems, velocities
from cotree.system.batches import Batch
from cotree.system.families import Doors
from cotree.system.members import members_of
from cotree.system.system import System
from cotree.system.views import open_tables

Array = NDArray[np.float64]
COM = "com"
FRAMES = ("body", "spatial", COM)


@kernel
def body_pose(body, work, origin):
    """Pose of a body's own frame in the world; `origin`: where the sweep's origin is."""
    R, p = se3.compose(pose(work[body.link].C), pose(body.frame))
    return (R, add(p, origin))


@kernel
def _put_poses(tables, q, out):
    shift = place_all(tables, q)
    origin = add(shift, vec(tables.world[0].origin))
    for k in range(tables.bodies.size):
        put_pose_of(out[k], body_pose(tables.bodies[k], tables.work, origin))


@kernel
def _poses(here, q, out):
    _put_poses(open_tables(here), q, out)
    return all_finite(q) and all_finite(out.ravel())


@Batch
def _many_poses(tables, values, q, v, w, out):
    """Poses by rows of 16."""
    _put_poses(tables, q, out.reshape((tables.bodies.size, 4, 4)))
    return 0


@kernel
def to_world(X, origin):
    """A spatial twist about the sweep's origin, about the world's."""
    return (X[0], add(X[1], cross(origin, X[0])))


@kernel
def _put_twists(tables, q, v, v_dot, in_body, twists, accelerations):
    shift = move_all(tables, q, v)
    origin = add(shift, vec(tables.world[0].origin))
    accelerate_links(tables, v_dot)
    for k in range(tables.bodies.size):
        V, A = twist(tables.work[tables.bodies[k].link].V), twist(tables.work[tables.bodies[k].link].a)
        if in_body:
            C = body_pose(tables.bodies[k], tables.work, (0.0, 0.0, 0.0))
            put_twist(twists[k], se3.Ad_inv(C, V))
            put_twist(accelerations[k], se3.Ad_inv(C, A))
        else:
            put_twist(twists[k], to_world(V, origin))
            put_twist(accelerations[k], to_world(A, origin))


@kernel
def _twists(here, q, v, v_dot, in_body, twists, accelerations):
    _put_twists(open_tables(here), q, v, v_dot, in_body, twists, accelerations)
    good = all_finite(q) and all_finite(v) and all_finite(v_dot)
    return good and all_finite(twists.ravel()) and all_finite(accelerations.ravel())


@Batch
def _many_twists(tables, values, q, v, v_dot, out):
    """Twists and accelerations, twelve numbers a body; values: whether in the body's axes."""
    both = out.reshape((2, tables.bodies.size, 6))
    _put_twists(tables, q, v, v_dot, values[0, 0] != 0.0, both[0], both[1])
    return 0


@of_systems(Doors("q"))
def poses(system: System, q: ArrayLike) -> Array:
    """Compute the displacement of each body from the reference assembly.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (..., nq)
        Coordinates of one state or of many.

    Returns
    -------
    ndarray of shape (..., n_bodies + 1, 4, 4)
        One pose per body, ground first. For a body with a frame of its own, the pose of
        that frame. [Geo (11)]

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> ct.poses(system, system.q0).shape
    (4, 4, 4)
    """
    many = members_of(system, q=q)
    if many is not None:
        return _many_poses(system, many, (len(system.bodies), 4, 4), lambda q: poses(system, q))
    q = coordinates(system, q)
    out = np.empty((len(system.bodies), 4, 4))
    if not _poses(system.here, q, out):
        not_finite(system, "poses", q=q)
    return out


@of_systems(Doors("q", "v"))
def twists(system: System, q: ArrayLike, v: ArrayLike, frame: str = "body") -> Array:
    """Compute the twists of the bodies.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (..., nq)
        Coordinates of one state or of many.
    v : array_like of shape (..., nv)
        Velocities.
    frame : str, optional
        "body" [Geo (15)]; "spatial", about the world's origin; or "com", in the body's axes
        with the velocity of its mass centre [Geo (39)].

    Returns
    -------
    ndarray of shape (..., n_bodies + 1, 6)
        Angular, then linear velocity; ground first.

    Raises
    ------
    ChoiceError
        For another frame.

    Examples
    --------
    >>> system = ct.gallery.pendulum_chain(2).compile()
    >>> ct.twists(system, system.q0, [1.0, 0.0]).shape
    (3, 6)
    """
    if choice(frame, FRAMES, "frame") == COM:
        return at_centres(system, _both(system, q, v, None, "body")[0])
    return _both(system, q, v, None, frame)[0]


@of_systems(Doors("q", "v", "v_dot"))
def accelerations(system: System, q: ArrayLike, v: ArrayLike, v_dot: ArrayLike, frame: str = "body") -> Array:
    """Compute the time derivatives of the bodies' twists.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (..., nq)
        Coordinates of one state or of many.
    v : array_like of shape (..., nv)
        Velocities.
    v_dot : array_like of shape (..., nv)
        Accelerations.
    frame : str, optional
        "body", "spatial" or "com", as for `twists`.

    Returns
    -------
    ndarray of shape (..., n_bodies + 1, 6)
        Angular, then linear part; ground first. [Geo (28)]

    Examples
    --------
    >>> system = ct.gallery.pendulum_chain(1).compile()
    >>> ct.accelerations(system, [0.0], [0.0], [2.0]).shape
    (2, 6)
    """
    if choice(frame, FRAMES, "frame") == COM:
        return at_centres(system, _both(system, q, v, v_dot, "body")[1])
    return _both(system, q, v, v_dot, frame)[1]


def at_centres(system: System, X: Array) -> Array:
    """Body twists, or their derivatives, moved to the mass centres, which rest in the bodies' frames."""
    centres = np.array([np.zeros(3), *(system.mechanism.bodies[name].properties.com for name in system.body_names)])
    return np.concatenate([X[..., :3], X[..., 3:] + np.cross(X[..., :3], centres)], axis=-1)


def _both(system: System, q: Any, v: Any, v_dot: Any, frame: str) -> tuple[Array, Array]:
    in_body = is_body(frame)
    many = members_of(system, q=q, v=v, v_dot=v_dot)
    if many is not None:
        both = _many_twists(
            system,
            many,
            (2, len(system.bodies), 6),
            lambda q, v, v_dot: np.array(_both(system, q, v, v_dot, frame)),
            np.full((1, 3), float(in_body)),
        )
        return both[..., 0, :, :], both[..., 1, :, :]
    q, v, v_dot = coordinates(system, q), velocities(system, v), velocities(system, v_dot, "v_dot")
    V, A = np.empty((len(system.bodies), 6)), np.empty((len(system.bodies), 6))
    if not _twists(system.here, q, v, v_dot, in_body, V, A):
        not_finite(system, "twists and accelerations", q=q, v=v, v_dot=v_dot)
    return V, A


def is_body(frame: str) -> bool:
    """Whether "body" rather than "spatial" is asked for."""
    return choice(frame, ("body", "spatial"), "frame") == "body"
