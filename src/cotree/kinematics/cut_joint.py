"""Across a cut joint: the frames that its two bodies carry, and its coordinates measured between them.

With N = T_a^-1 T_b the relative pose; the rate of a coordinate is a component of Ad_T^-1 (V_b - V_a), the joint's free
direction, T = T_b.
"""

import numpy as np

from cotree.engine.kernel import kernel
from cotree.lie import se3
from cotree.lie.storage import pose, twist


@kernel
def cut_frames(cut, work):
    """(T_a, T_b): the joint frame as each body carries it."""
    A = se3.compose(pose(work[cut.link_a].C), pose(cut.frame_a))
    B = se3.compose(pose(work[cut.link_b].C), pose(cut.frame_b))
    return A, B


@kernel
def unwrapped(angle, near):
    """The angle, up to whole turns, nearest to another one."""
    return angle + 2.0 * np.pi * np.rint((near - angle) / (2.0 * np.pi))


@kernel
def relative(work, a, b):
    """V_b - V_a."""
    return se3.minus(twist(work[b].V), twist(work[a].V))


@kernel
def cut_coordinate(cut, component, work):
    """Angle (of a screw joint with its turns) or displacement along the joint's free direction."""
    A, B = cut_frames(cut, work)
    R, p = se3.compose(se3.inverse(A), B)
    if component >= 3:
        return p[component - 3]
    angle = np.arctan2(R[3] - R[1], R[0] + R[4])
    return angle if cut.pitch == 0.0 else unwrapped(angle, p[2] / cut.pitch)


@kernel
def cut_wrench(cut, component, work):
    """W with W . (V_b - V_a) the coordinate's rate; it moves with b."""
    w, v = np.float64(component < 3), np.float64(component >= 3)
    x, y, z = np.float64(component % 3 == 0), np.float64(component % 3 == 1), np.float64(component % 3 == 2)
    return se3.coAd(cut_frames(cut, work)[1], ((w * x, w * y, w * z), (v * x, v * y, v * z)))


@kernel
def cut_rate(cut, component, work):
    """Rate of the coordinate; the links have moved."""
    return se3.pair(relative(work, cut.link_a, cut.link_b), cut_wrench(cut, component, work))
