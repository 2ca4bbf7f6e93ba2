"""What a joint lets pass and what it holds: the motion map H and its orthogonal complement D [DCA (7) to (9), (13)]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.dynamics.reactions import about_world, body_needs
from cotree.errors import UnknownNameError
from cotree.formulations.reactions.wrenches import constraint_wrenches
from cotree.judge import REPORTED
from cotree.kinematics.jacobians import spatial_jacobian
from cotree.model.checks import shown
from cotree.model.mechanism import Connection
from cotree.model.naming import nearest
from cotree.system.arguments import coordinates, of_system, require_finite
from cotree.system.system import System

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class JointSpaces:
    """H (6, d): twists (angular, linear) of the child against the parent that the joint lets pass; D (6, 6 - d): wrenches
    (moment, force) that it can transmit, orthonormal columns with H^T D = 0. World axes, about the world's origin."""

    joint: str
    H: Array
    D: Array


@of_system
def joint_spaces(system: System, q: ArrayLike, joint: str | Connection) -> JointSpaces:
    """Compute the motion map H and its orthogonal complement D of a joint.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    joint : Connection or str
        A joint of the tree or a cut one.

    Returns
    -------
    JointSpaces
        `.H`: V_child - V_parent = H v of the joint, orthonormal for a cut joint; `.D`: the
        transmitted force is D times its measure numbers. [DCA (7), (9), (13)]

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> ct.theory.joint_spaces(system, system.q0, "A").D.shape
    (6, 5)
    """
    q = coordinates(system, q)
    require_finite(system, q=q)
    name = getattr(joint, "name", joint)
    if not isinstance(name, str) or name not in system.joint_names:
        raise UnknownNameError(
            f"joint_spaces: {shown(joint)} is not a joint of system {system.name!r}{nearest(name, system.joint_names)}"
        )
    if name in system.cut_joints:
        D = _orthonormal(_row_wrenches(system, q, name))
        return JointSpaces(name, _complement(D), D)
    H = _columns(system, q, name)
    return JointSpaces(name, H, _complement(_orthonormal(H)))


def _columns(system: System, q: Array, name: str) -> Array:
    """Screws of a joint in the tree, one for each of its velocities."""
    links = system.links[np.array(system.joint_links[name], dtype=int)]
    dofs = [j for row in links for j in range(int(row["iv"]), int(row["iv"] + row["nv"]))]
    own = system.mechanism.joints[name]
    child, parent = (
        np.zeros((6, system.nv)) if body == "ground" else spatial_jacobian(system, q, body)
        for body in (own.child, own.parent)
    )
    return np.asarray((child - parent)[:, sorted(dofs)], dtype=np.float64)


def _row_wrenches(system: System, q: Array, name: str) -> Array:
    """Wrenches of all rows of a cut joint, also of those that regularization leaves out."""
    place = system.cut_joints.index(name)
    counts = [6 - system.mechanism.joints[n].joint.dof for n in system.cut_joints]
    rows = sum(counts) + len(system.extra_rows.names)
    _, origin = body_needs(system, q, np.zeros(system.nv), np.zeros(system.nv))
    found = np.zeros((counts[place], 6))
    for k in range(counts[place]):
        lam = np.zeros(rows)
        lam[sum(counts[:place]) + k] = 1.0
        found[k] = constraint_wrenches(system, q, lam, regularized=False)[0][place]
    return about_world({name: found}, origin)[name].T


def _orthonormal(X: Array) -> Array:
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    return U[:, : np.count_nonzero(s > REPORTED * s.max(initial=0.0))]


def _complement(X: Array) -> Array:
    """Orthonormal columns that are orthogonal to those of X, which are orthonormal."""
    return np.asarray(np.linalg.svd(X)[0][:, X.shape[1] :], dtype=np.float64) if X.size else np.eye(6)[:, X.shape[1] :]
