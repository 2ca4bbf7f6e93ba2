"""What an MJCF file says and a mechanism does not: noted, and warned of where it changes the motion."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from cotree.errors import DocumentError
from cotree.io.mjcf.compiling import mujoco
from cotree.io.mjcf.joints import BALL, FREE
from cotree.io.mjcf.naming import Names
from cotree.io.notes import listed

NO_CONTACTS = "contacts are ignored; load(contacts=True) reads them"


def left_out(
    model: Any,
    names: Names,
    missing: Iterable[str],
    tendons: Iterable[str],
    actuators: Iterable[str],
    armature: bool = True,
) -> list[str]:
    """What changes the motion; `missing`: files that were to be included, `tendons`: those that are not said in full,
    `actuators`: those that act and are left out, `armature`: whether that of joints is kept."""
    owner = [names.joints[j] for j in model.dof_jntid]
    lost = (
        np.where(model.jnt_type[model.dof_jntid] == FREE, model.dof_armature, 0.0) if armature else model.dof_armature
    )
    found = [
        listed("armature of free joints" if armature else "armature of joints", _unique(owner, lost), "was ignored"),
        listed(
            "frictionloss of joints",
            _unique(owner, model.dof_frictionloss),
            "is ignored; load(friction=True) keeps that of hinges and slides",
        ),
        listed("springs of ball and free joints", _ball_springs(model, names), "are ignored; use mech.spring"),
        listed("springs and dampers with powers, of joints", _powers(model, names), "are read as linear"),
        listed("armature and damping of actuators", _active(model, names), "are ignored"),
        listed(
            "actuators",
            actuators,
            "act in MuJoCo and are ignored; only motors and servos (position, velocity) of hinge and slide joints are read",
        ),
        listed("tendons", tendons, "are ignored, except for springs between two sites"),
        listed("files", missing, "were to be included but were not found"),
    ]
    if model.opt.density or model.opt.viscosity:
        found.append("the medium (density, viscosity) is not supported and was ignored")
    return [note for note in found if note]


def remarks(model: Any, names: Names, actuators: Iterable[str], limits: bool) -> list[str]:
    """What is left out as such things always are."""
    ranged = [name for j, name in enumerate(names.joints) if model.jnt_limited[j]]
    away = [name for e, name in enumerate(names.equalities) if not model.eq_active0[e]]
    found = [
        listed("actuators", actuators, "are not motors of hinge or slide joints and are ignored"),
        listed("equalities", away, "are not active and are ignored"),
        ""
        if limits
        else listed("limits of joints", ranged, "are ignored; limits=True (--limits) turns them into stops"),
    ]
    if model.ngeom:
        found.append(NO_CONTACTS)
    return [note for note in found if note]


def check_armature(model: Any, names: Names) -> None:
    """Refuse armature where it must not be left out."""
    owner = [names.joints[j] for j in model.dof_jntid]
    found = _unique(owner, model.dof_armature)
    if found:
        raise DocumentError(
            f"joint {found[0]!r} has armature, which armature='error' refuses; load with armature='keep' or 'ignore'"
        )


def _unique(owner: list[str], values: Any) -> list[str]:
    return list(dict.fromkeys(name for name, x in zip(owner, values, strict=True) if x))


def _ball_springs(model: Any, names: Names) -> list[str]:
    if model.opt.disableflags & int(mujoco().mjtDisableBit.mjDSBL_SPRING):
        return []
    return [n for j, n in enumerate(names.joints) if model.jnt_type[j] in (BALL, FREE) and model.jnt_stiffness[j]]


def _powers(model: Any, names: Names) -> list[str]:
    """Of later versions of MuJoCo."""
    stiff, damped = getattr(model, "jnt_stiffnesspoly", None), getattr(model, "dof_dampingpoly", None)
    found = [n for j, n in enumerate(names.joints) if stiff is not None and np.any(stiff[j])]
    owner = [names.joints[j] for j in model.dof_jntid]
    return [*found, *(_unique(owner, np.any(damped, axis=1)) if damped is not None else [])]


def _active(model: Any, names: Names) -> list[str]:
    fields = [getattr(model, f"actuator_{word}", np.zeros(model.nu)) for word in ("armature", "damping")]
    return [name for a, name in enumerate(names.actuators) if any(np.any(field[a]) for field in fields)]
