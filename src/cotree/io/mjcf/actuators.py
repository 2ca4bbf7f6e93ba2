"""Actuators of hinges and slides: motors, and servos as controllers; all others by name.

MuJoCo's force of an actuator with a fixed gain and an affine bias is G u + b0 + b1 g q + b2 g v for the control u and the
gear g, and acts on the joint g times. With a control that stays it is a `PID` without an integral.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.io.mjcf.compiling import mujoco
from cotree.io.mjcf.joints import HINGE, SLIDE
from cotree.io.mjcf.naming import Names, fresh
from cotree.model.mechanism import Mechanism
from cotree.model.pid import PID

Array = NDArray[np.float64]


@dataclass
class Omitted:
    """Actuators that a mechanism does not have: those that act from the start on, and those that wait for a control."""

    acting: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)


def add_actuators(mech: Mechanism, model: Any, names: Names, zero: dict[str, float], key: int | None) -> Omitted:
    """Motors and controllers with the control of a keyframe; zero: MuJoCo's coordinates where the mechanism's are zero."""
    omitted, control = Omitted(), controls(model, key)
    for a, name in enumerate(names.actuators):
        joint, acts = _joint_of(model, a), _acts(model, a, control, key)
        law: Array | PID | None = None
        if joint is not None and _is_affine(model, a):
            own = float(control[_address(model, a)])
            law = _law(model, a, joint, zero[names.joints[joint]], own) if acts else np.zeros(())
        if joint is None or law is None:
            (omitted.acting if acts else omitted.waiting).append(name)
            continue
        taken = {*mech.joint_forces, *mech.loads, *mech.springs}
        mech.motor(fresh(name, taken), names.joints[joint], law)
    return omitted


def controls(model: Any, key: int | None) -> Array:
    """Those of a keyframe, or zero, within their ranges."""
    given = np.zeros(model.nu) if key is None else np.array(model.key_ctrl[key])
    if model.opt.disableflags & int(mujoco().mjtDisableBit.mjDSBL_CLAMPCTRL):
        return given
    low, high = np.array(model.actuator_ctrlrange).reshape(-1, 2).T
    return np.where(np.asarray(model.actuator_ctrllimited, bool), np.clip(given, low, high), given)


def _address(model: Any, a: int) -> int:
    """Row of an actuator's first control, which has several in later versions of MuJoCo."""
    return int(model.actuator_ctrladr[a]) if hasattr(model, "actuator_ctrladr") else a


def _joint_of(model: Any, a: int) -> int | None:
    """The hinge or slide on which it acts."""
    kinds, j = mujoco().mjtTrn, int(model.actuator_trnid[a, 0])
    on_joint = int(model.actuator_trntype[a]) in (int(kinds.mjTRN_JOINT), int(kinds.mjTRN_JOINTINPARENT))
    return j if on_joint and model.jnt_type[j] in (HINGE, SLIDE) else None


def _is_affine(model: Any, a: int) -> bool:
    """Whether its force is affine in the coordinate and its rate, at once, with a control that stays."""
    mj = mujoco()
    plain = int(model.actuator_gaintype[a]) == int(mj.mjtGain.mjGAIN_FIXED)
    biased = int(model.actuator_biastype[a]) in (int(mj.mjtBias.mjBIAS_NONE), int(mj.mjtBias.mjBIAS_AFFINE))
    late = int(model.actuator_dyntype[a]) != int(mj.mjtDyn.mjDYN_NONE) or _delayed(model, a)
    return plain and biased and not late


def _delayed(model: Any, a: int) -> bool:
    return bool(np.any(getattr(model, "actuator_delay", np.zeros(model.nu))[a]))


def _acts(model: Any, a: int, control: Array, key: int | None) -> bool:
    """Whether it has a force from the start on, with the controls given."""
    mj, group = mujoco(), int(model.actuator_group[a])
    if model.opt.disableflags & int(mj.mjtDisableBit.mjDSBL_ACTUATION):
        return False
    if 0 <= group < 31 and model.opt.disableactuator & (1 << group):
        return False
    kind = int(model.actuator_biastype[a])
    affine = kind == int(mj.mjtBias.mjBIAS_AFFINE) and model.actuator_biasprm[a, :3].any()
    other = kind not in (int(mj.mjtBias.mjBIAS_NONE), int(mj.mjtBias.mjBIAS_AFFINE))
    active = key is not None and model.na and model.key_act[key].any()
    return bool(affine or other or active or control[_address(model, a)])


def _law(model: Any, a: int, joint: int, zero: float, control: float) -> Array | PID | None:
    """Torque of an actuator with an affine force: a number, or a controller; None where it is neither."""
    gear, bias = float(model.actuator_gear[a, 0]), np.zeros(3)
    if int(model.actuator_biastype[a]) == int(mujoco().mjtBias.mjBIAS_AFFINE):
        bias = np.array(model.actuator_biasprm[a, :3])
    kp, kd = -gear * gear * bias[1:]
    start = gear * (float(model.actuator_gainprm[a, 0]) * control + bias[0] + gear * bias[1] * zero)
    limits = _limits(model, a, joint, gear)
    if limits is None or not limits[0] < limits[1]:
        return None
    if not kp and not kd:
        return np.array(np.clip(start, *limits))
    if start and not kp:  # the speed that is asked for is not zero
        return None
    bounded = limits if np.isfinite(limits).all() else None
    return PID(float(start / kp) if kp else 0.0, float(kp), 0.0, float(kd), limits=bounded)


def _limits(model: Any, a: int, joint: int, gear: float) -> tuple[float, float] | None:
    """Lowest and highest torque on the joint; None where other actuators of the joint share its range."""
    low, high = -np.inf, np.inf
    if model.actuator_forcelimited[a]:
        low, high = sorted(gear * float(x) for x in model.actuator_forcerange[a])
    if model.jnt_actfrclimited[joint]:
        alone = [_joint_of(model, b) for b in range(len(model.actuator_trntype))].count(joint) == 1
        if not alone or model.jnt_actgravcomp[joint]:
            return None
        low, high = max(low, float(model.jnt_actfrcrange[joint, 0])), min(high, float(model.jnt_actfrcrange[joint, 1]))
    return float(low), float(high)
