"""An elastic belt around two pulleys that turn with joints: it is longer by x = radius_a angle_a - radius_b angle_b.

Both strands are tight, so that it pulls back either way: the force stiffness x + damping dx/dt is a torque -radius_a times it
along joint a and radius_b times it along joint b. With a backlash x counts from its sides.
"""

from typing import Any

import numpy as np

from cotree.dynamics.elements import put_effort, put_scalar
from cotree.engine.kernel import kernel
from cotree.lie.mat3 import mul_vec
from cotree.lie.storage import pose, vec
from cotree.lie.vec3 import scale
from cotree.model.force_elements import Belt
from cotree.system.force_kinds import ForceBuilder, ForceKind, force_energy, force_power, force_wrenches, register

belt_t = np.dtype(
    [
        ("piece", "i8"), ("link_a", "i8"), ("link_b", "i8"), ("iq_a", "i8"), ("iq_b", "i8"), ("iv_a", "i8"), ("iv_b", "i8"),
        ("axis_a", "f8", 3), ("axis_b", "f8", 3), ("radius_a", "f8"), ("radius_b", "f8"), ("stiffness", "f8"),
        ("damping", "f8"), ("slack", "f8"),
    ],
    align=True,
)  # fmt: skip
NONE = (0.0, 0.0, 0.0)


@kernel
def stretch(x, q):
    """By how much it is longer on one side."""
    d = x.radius_a * q[x.iq_a] - x.radius_b * q[x.iq_b]
    return d - min(max(d, -x.slack), x.slack)


@kernel
def stretch_rate(x, v):
    return x.radius_a * v[x.iv_a] - x.radius_b * v[x.iv_b]


@force_wrenches(belt_t)
def wrenches(x, base, s, values, q, v):
    pull = x.stiffness * stretch(x, q) + x.damping * stretch_rate(x, v)
    a, b = mul_vec(pose(s.work[x.link_a].C)[0], vec(x.axis_a)), mul_vec(pose(s.work[x.link_b].C)[0], vec(x.axis_b))
    put_effort(s, x.piece, (scale(-x.radius_a * pull, a), NONE))
    put_effort(s, x.piece + 1, (scale(x.radius_b * pull, b), NONE))
    put_scalar(s, x.piece + 1, pull)


@force_energy(belt_t)
def energy(x, base, s, values, q):
    d = stretch(x, q)
    return (0.5 * x.stiffness * d * d,)


@force_power(belt_t)
def power(x, base, s, values, v):
    d = stretch_rate(x, v)
    return (0.0, x.damping * d * d)


def fill(f: Belt, x: Any, build: ForceBuilder) -> None:
    for side, joint in (("a", f.joint_a), ("b", f.joint_b)):
        turning = build.turning(joint, f"belt {f.name!r}")
        x[f"link_{side}"], x[f"iq_{side}"], x[f"iv_{side}"] = turning.link, turning.iq, turning.iv
        x[f"axis_{side}"] = turning.axis
        build.between(*turning.bodies)
    x["radius_a"], x["radius_b"], x["stiffness"], x["damping"] = f.radius_a, f.radius_b, f.stiffness, f.damping
    x["slack"] = 0.5 * f.backlash


KIND = register(ForceKind(Belt, belt_t, wrenches, energy, power, fill))
