"""The configuration that a mechanism is described in: MuJoCo's qpos0, or the nearest one at which all equalities hold.

Anchors given on one body are put on the other as they are at qpos0, so that most models are closed there. Others (sites,
relative poses, offsets) are closed by Newton's method on MuJoCo's own rows, from qpos0 and then from each keyframe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import AssemblyError
from cotree.io.mjcf.compiling import mujoco
from cotree.judge import CLOSED, ZERO

Array = NDArray[np.float64]
STEPS = 100


def reference(model: Any, name_of: Callable[[int], str]) -> Any:
    """MuJoCo's data, placed in the configuration; `name_of` names an equality in the error."""
    mj, data = mujoco(), mujoco().MjData(model)
    bits, saved = mj.mjtDisableBit, (model.opt.disableflags, model.opt.jacobian)
    try:  # rows of equalities only, and as a full matrix
        model.opt.disableflags |= bits.mjDSBL_CONTACT | bits.mjDSBL_LIMIT | bits.mjDSBL_FRICTIONLOSS
        model.opt.jacobian = mj.mjtJacobian.mjJAC_DENSE
        if np.abs(_gaps(model, data)).max(initial=0.0) <= CLOSED:
            return data
        worst = list[tuple[float, int]]()
        for start in _starts(model):
            data.qpos[:] = start
            gap, row = _close(model, data)
            if gap <= ZERO:
                return data
            worst.append((gap, row))
        gap, row = min(worst)
        raise AssemblyError(
            f"the equalities cannot be closed: {name_of(int(data.efc_id[row]))} stays open by {gap:.3g}; check its "
            f"two ends, or add a keyframe near a closed configuration"
        )
    finally:
        model.opt.disableflags, model.opt.jacobian = saved


def _starts(model: Any) -> Iterator[Array]:
    yield model.qpos0
    yield from model.key_qpos


def _gaps(model: Any, data: Any) -> Array:
    """Residuals of the equalities [m, rad], with MuJoCo's data brought up to date."""
    mj = mujoco()
    for stage in (mj.mj_kinematics, mj.mj_comPos, mj.mj_tendon, mj.mj_makeConstraint):
        stage(model, data)
    return np.array(data.efc_pos[: data.ne])


def _close(model: Any, data: Any) -> tuple[float, int]:
    """Newton's method with the shortest steps, at most half a radian or metre; the largest gap left, and its row."""
    mj, gaps = mujoco(), _gaps(model, data)
    for _ in range(STEPS):
        if not np.abs(gaps).max() > 0.01 * ZERO:  # closed, or lost
            break
        J = np.array(data.efc_J).reshape(-1, model.nv)[: data.ne]
        step = np.linalg.lstsq(J, -gaps, rcond=1e-10)[0]
        step *= min(1.0, 0.5 / max(np.abs(step).max(), 1e-300))
        mj.mj_integratePos(model, data.qpos, step, 1.0)
        gaps, old = _gaps(model, data), np.abs(gaps).max()
        if old <= ZERO and np.abs(gaps).max() >= old:
            break
    sizes = np.nan_to_num(np.abs(gaps), nan=np.inf)
    return float(sizes.max()), int(sizes.argmax())
