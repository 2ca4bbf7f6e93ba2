"""How far cut joints are open, in the entries of Geo Table 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.engine.kernel import kernel
from cotree.kinematics.cut_joint import cut_frames
from cotree.kinematics.sweep import place_all
from cotree.lie import se3
from cotree.lie.storage import put_pose_of
from cotree.screws.joint_gap import LOCAL, entries
from cotree.system.arguments import coordinates, not_finite, of_system
from cotree.system.system import System
from cotree.system.views import open_cuts, open_tables

Array = NDArray[np.float64]


@kernel
def _put_cut_poses(here, q, out):
    """Pose of one frame of each cut joint in the other."""
    tables = open_tables(here)
    place_all(tables, q)
    cuts = open_cuts(here)
    for c in range(cuts.size):
        A, B = cut_frames(cuts[c], tables.work)
        put_pose_of(out[c], se3.compose(se3.inverse(A), B))


@of_system
def joint_gaps(system: System, q: ArrayLike, scope: str = LOCAL) -> dict[str, Array]:
    """Compute the entries of the relative pose that vanish where a cut joint is closed.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    scope : str, optional
        "local" for the entries of Geo Table 1, which vanish for axes in opposite directions
        too; "global" for angles [Geo Remark 4].

    Returns
    -------
    dict of str to ndarray
        By cut joint: 6 - dof entries, of the rotation, then of the position, in the frame
        on the parent.

    See Also
    --------
    constraint_residual : The constraint equations of a run.

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> [float(abs(x).max()) < 1e-12 for x in ct.theory.joint_gaps(system, system.q0).values()]
    [True]
    """
    q, N = coordinates(system, q), np.empty((len(system.cuts), 4, 4))
    _put_cut_poses(system.here, q, N)
    if not np.isfinite(N).all():
        not_finite(system, "joint_gaps", q=q)
    found = {}
    for name, cut, pose in zip(system.cut_joints, system.cuts, N, strict=True):
        slides = tuple(bool(int(cut["translations"]) >> i & 1) for i in range(3))
        axes = (cut["axis_a"], cut["axis_b"]) if cut["universal"] else None
        found[name] = entries(int(cut["rotations"]), slides, float(cut["pitch"]), axes, pose, scope)
    return found
