"""Joints of the tree: hinge, slide, ball and free joints, welds for bodies without any.

Several joints of one body are in series, with massless bodies between them. Everything is described in the world frame,
at the reference: anchors and axes are MuJoCo's own there.
"""

from __future__ import annotations

from typing import Any

from cotree.io.mjcf.bodies import body_pose
from cotree.io.mjcf.compiling import mujoco
from cotree.io.mjcf.naming import Names, fresh
from cotree.io.native.error_paths import located
from cotree.model.joints import Free, Joint, Prismatic, Revolute, Spherical, Weld
from cotree.model.mechanism import Mechanism

FREE, BALL, SLIDE, HINGE = range(4)
FAR = 1e9  # ranges beyond this are none


def add_joints(mech: Mechanism, model: Any, data: Any, names: Names, floating: bool | None) -> None:
    """From each body's parent to the body."""
    for k in range(1, model.nbody):
        body, inner = names.bodies[k], names.bodies[model.body_parentid[k]]
        first = int(model.body_jntadr[k])
        own = range(first, first + int(model.body_jntnum[k]))
        if not own:
            top = inner == "ground" and floating
            taken = {*names.joints, *names.equalities, *mech.joints}
            name = fresh(f"{body} {'free' if top else 'weld'}", taken)
            mech.joint(name, inner, body, Free() if top else Weld())
        for j in own:
            outer = body
            if j != own[-1]:
                outer = fresh(f"{body} after {names.joints[j]}", {*names.bodies, *mech.bodies})
                mech.body(outer, 0.0, pose=body_pose(data, k))
            with located(f"joint {names.joints[j]!r}"):
                mech.joint(names.joints[j], inner, outer, _joint(model, data, j, floating))
            inner = outer


def _joint(model: Any, data: Any, j: int, floating: bool | None) -> Joint:
    point, axis = tuple(data.xanchor[j].tolist()), tuple(data.xaxis[j].tolist())
    kind = model.jnt_type[j]
    if kind == HINGE:
        return Revolute(point, axis)
    if kind == SLIDE:
        return Prismatic(axis, point=point)
    if kind == BALL:
        return Spherical(point)
    return Weld() if floating is False else Free()


def zeros(model: Any, data: Any, names: Names) -> dict[str, float]:
    """MuJoCo's coordinates of hinges and slides in the reference, where the mechanism's are zero."""
    one = [j for j in range(model.njnt) if model.jnt_type[j] in (HINGE, SLIDE)]
    return {names.joints[j]: float(data.qpos[model.jnt_qposadr[j]]) for j in one}


def add_passive(mech: Mechanism, model: Any, names: Names, zero: dict[str, float]) -> None:
    """Springs of hinges and slides, dampers of all joints; those of a ball or a free body are the same in all directions."""
    bits = mujoco().mjtDisableBit
    sprung, damped = (not model.opt.disableflags & int(b) for b in (bits.mjDSBL_SPRING, bits.mjDSBL_DAMPER))
    for j, name in enumerate(names.joints):
        if mech.joints[name].joint.dof == 0:  # a free body held fast
            continue
        adr = int(model.jnt_dofadr[j])
        stiffness, damping = float(model.jnt_stiffness[j]), float(model.dof_damping[adr])
        if sprung and stiffness and name in zero:
            rest = float(model.qpos_spring[model.jnt_qposadr[j]]) - zero[name]
            mech.joint_spring(f"{name} spring", name, stiffness, rest)
        if damped and damping and name in zero:
            mech.joint_damper(f"{name} damping", name, damping)
        elif damped and damping:
            for suffix in mech.joints[name].joint.coordinate_names():
                mech.joint_damper(f"{name} damping {suffix[1:]}", name, damping, suffix[1:])


def add_armature(mech: Mechanism, model: Any, names: Names) -> None:
    """Inertia of rotors of hinges, slides and balls, which MuJoCo adds to the diagonal of the mass matrix."""
    for j, name in enumerate(names.joints):
        inertia = float(model.dof_armature[int(model.jnt_dofadr[j])])
        if not inertia or model.jnt_type[j] == FREE:
            continue
        if model.jnt_type[j] != BALL:
            mech.joint_inertia(f"{name} armature", name, inertia)
            continue
        for suffix in mech.joints[name].joint.coordinate_names():
            mech.joint_inertia(f"{name} armature {suffix[1:]}", name, inertia, coordinate=suffix[1:])


def add_limits(mech: Mechanism, model: Any, names: Names, zero: dict[str, float]) -> None:
    """Stops of hinges and slides."""
    for j, name in enumerate(names.joints):
        if model.jnt_limited[j] and name in zero:
            low, high = (float(x) for x in model.jnt_range[j])
            with located(f"joint {name!r}"):
                lower = None if low <= -FAR else low - zero[name]
                upper = None if high >= FAR else high - zero[name]
                mech.limit(name, lower, upper)


def add_friction(mech: Mechanism, model: Any, names: Names) -> None:
    """Dry friction of hinges and slides; that of balls and free bodies is left out."""
    for j, name in enumerate(names.joints):
        loss = float(model.dof_frictionloss[int(model.jnt_dofadr[j])])
        if loss > 0.0 and model.jnt_type[j] in (HINGE, SLIDE):
            mech.friction(name, loss)
