"""Contact without slip: balls and thin disks that roll on a plane.

The material point of the body at the contact has the velocity of the surface there: n . (v_b(x) - v_a(x)) = 0 for two
tangents and the normal n. The contact x = c - r u moves over body and surface; u is the normal N for a ball, and for a
disk of axis a the direction in its plane nearest to it, u = (N - (N.a) a) / |N - (N.a) a|.
"""

from typing import Any

import numpy as np

from cotree.constraints.jets import crossed, direction, minus, motion_of, point, put_force_jets, times, unit
from cotree.constraints.row_wrench import force_at, force_rate, put_between, put_rate_between, velocity_at
from cotree.engine.kernel import kernel
from cotree.errors import AxisError
from cotree.judge import PARALLEL
from cotree.lie import se3
from cotree.lie.mat3 import mul_vec
from cotree.lie.storage import pose, twist, vec
from cotree.lie.vec3 import axpy, cross, dot, scale, sub
from cotree.model.constraints import Rolling
from cotree.model.joints import axis_frame
from cotree.system.row_kinds import RowKind, register, row_gaps, row_jets, row_rates, row_wrenches
from cotree.system.rows import RowBuilder

rolling_t = np.dtype(
    [
        ("row", "i8"),
        ("piece", "i8"),
        ("link_a", "i8"),  # the surface
        ("link_b", "i8"),  # what rolls
        ("is_disk", "i8"),
        ("center", "f8", 3),
        ("axis", "f8", 3),
        ("radius", "f8"),
        ("plane_point", "f8", 3),
        ("axes", "f8", 9),  # two tangents and the normal, by rows
    ],
    align=True,
)


@kernel
def surface_direction(r, k, work):
    """Tangents (k = 0, 1) and normal (2) of the plane."""
    return mul_vec(pose(work[r.link_a].C)[0], vec(r.axes[3 * k :]))


@kernel
def contact(r, work):
    """(x, u, s): contact, direction from it to the centre, sine of the disk's lean (1 for a ball)."""
    B = pose(work[r.link_b].C)
    c, N = se3.act(B, vec(r.center)), surface_direction(r, 2, work)
    u, s = N, 1.0
    if r.is_disk:
        a = mul_vec(B[0], vec(r.axis))
        u = cross(a, cross(N, a))
        s = np.sqrt(dot(u, u))
        u = scale(1.0 / s, u)
    return axpy(-r.radius, u, c), u, s


@kernel
def contact_velocity(r, work):
    """dx/dt of the contact as a moving point: dc/dt - r du/dt."""
    x, u, s = contact(r, work)
    Va, Vb = twist(work[r.link_a].V), twist(work[r.link_b].V)
    N = surface_direction(r, 2, work)
    c_dot, N_dot = velocity_at(Vb, axpy(r.radius, u, x)), cross(Va[0], N)
    u_dot = N_dot
    if r.is_disk:
        a = mul_vec(pose(work[r.link_b].C)[0], vec(r.axis))
        a_dot = cross(Vb[0], a)
        g_dot = axpy(-dot(N, a), a_dot, axpy(-dot(N_dot, a) - dot(N, a_dot), a, N_dot))
        u_dot = scale(1.0 / s, axpy(-dot(u, g_dot), u, g_dot))
    return axpy(-r.radius, u_dot, c_dot)


@row_gaps(rolling_t)
def put_gaps(r, base, s, motions, q, g):
    """Height of the lowest point above the plane; the rows of the tangents hold velocities only."""
    p = se3.act(pose(s.work[r.link_a].C), vec(r.plane_point))
    g[base + r.row + 2] = dot(sub(contact(r, s.work)[0], p), surface_direction(r, 2, s.work))


@row_wrenches(rolling_t)
def put_wrenches(r, base, s):
    """Forces at the contact; no point of a disk that lies flat is lowest."""
    x, _, lean = contact(r, s.work)
    for k in range(3):
        put_between(s, base + r.piece + k, force_at(x, surface_direction(r, k, s.work)))
    return lean < 1e-9


@row_rates(rolling_t)
def put_rates(r, base, s):
    x, x_dot = contact(r, s.work)[0], contact_velocity(r, s.work)
    w = twist(s.work[r.link_a].V)[0]
    for k in range(3):
        n = surface_direction(r, k, s.work)
        put_rate_between(s, base + r.piece + k, force_rate(x, n, x_dot, cross(w, n)))


@row_jets(rolling_t)
def put_changes(r, base, s, m, a, out):
    """The contact and the direction of the row, as functions of both links."""
    k, B = int(a[0]) - base - r.piece, pose(s.work[r.link_b].C)
    on_surface, rolls = motion_of(m, 0), motion_of(m, 1)
    u = direction(surface_direction(r, 2, s.work), on_surface)
    if r.is_disk:
        axis = direction(mul_vec(B[0], vec(r.axis)), rolls)
        u = unit(crossed(axis, crossed(u, axis)))
    x = minus(point(se3.act(B, vec(r.center)), rolls), times(r.radius, u))
    put_force_jets(out, x, direction(surface_direction(r, k, s.work), on_surface))


def fill(c: Rolling, x: Any, build: RowBuilder) -> None:
    place = build.place
    x["link_a"], x["link_b"] = place.link(c.surface), place.link(c.body)
    x["center"], x["radius"] = place.point(c.body, c.center), c.radius
    x["plane_point"] = place.point(c.surface, c.plane_point)
    normal = place.direction(c.surface, c.plane_normal)
    x["axes"] = axis_frame(np.zeros(3), normal)[:3, :3].T.ravel()
    if c.axis is not None:
        x["is_disk"], x["axis"] = 1, place.direction(c.body, c.axis)
        if np.linalg.norm(np.cross(x["axis"], normal)) < PARALLEL:
            raise AxisError(
                f"rolling {c.name!r}: the disk lies flat (its axis is parallel to the plane's normal); tilt body "
                f"{c.body!r} "
                "in the reference assembly, or choose another axis"
            )
    for _ in range(3):
        build.row()
        build.between(c.surface, c.body)


UNDEFINED = "the disk lies flat on its plane, so the contact point is not defined; tilt it"
register(RowKind(Rolling, rolling_t, put_gaps, put_wrenches, put_rates, fill, UNDEFINED, put_changes))
