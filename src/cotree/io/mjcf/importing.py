"""MJCF files to mechanisms, through MuJoCo's own reader and compiler."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from cotree.errors import CotreeError, ModelWarning
from cotree.io.mjcf.actuators import add_actuators
from cotree.io.mjcf.bodies import add_bodies
from cotree.io.mjcf.closing import reference
from cotree.io.mjcf.compiling import compiled, mujoco
from cotree.io.mjcf.equalities import add_equalities
from cotree.io.mjcf.guarding import gather, is_text
from cotree.io.mjcf.imported import Imported
from cotree.io.mjcf.joints import add_armature, add_joints, add_passive, zeros
from cotree.io.mjcf.naming import names_of
from cotree.io.mjcf.notes import check_armature, left_out, remarks
from cotree.io.mjcf.tendons import add_springs
from cotree.io.native.error_paths import located
from cotree.io.paths import path_of
from cotree.io.xml.elements import read_bytes
from cotree.model.checks import choice, flag, flag_or_none
from cotree.model.mechanism import Mechanism


def read_mjcf(
    path_or_text: str | Path, *, limits: bool = False, floating: bool | None = None, armature: str = "keep"
) -> Mechanism:
    """The mechanism of an MJCF model; see `import_mjcf`."""
    return import_mjcf(path_or_text, limits=limits, floating=floating, armature=armature).mechanism


def import_mjcf(
    path_or_text: str | Path, *, limits: bool = False, floating: bool | None = None, armature: str = "keep"
) -> Imported:
    """The mechanism of an MJCF model (a file, or its text), with what it was made of.

    It is described where MuJoCo has qpos0, or at the nearest configuration at which its equalities hold, and compiled with the
    file's tree unless told otherwise. limits: whether ranges of joints become stops. floating: True frees bodies that are fast
    to the world, False holds those that are free. armature: "keep" makes it inertia of joints, "ignore" leaves it out with a
    warning, "error" refuses it.
    Meshes need not be there but for inertia.
    """
    choice(armature, ("keep", "ignore", "error"), "armature")
    limits, floating = flag(limits, "limits"), flag_or_none(floating, "floating")
    if is_text(path_or_text):
        data, folder, place = str(path_or_text).encode(), Path(), "MJCF"
    else:
        file = path_of(path_or_text, "import_mjcf(path_or_text)")
        place, folder = file.name, file.parent
        with located(place):
            data = read_bytes(file)
    with located(place):
        found = _imported(data, folder, limits, floating, armature)
    for note in found.left_out:
        warnings.warn(f"{place}: {note}", ModelWarning, stacklevel=2)
    return found


def _imported(data: bytes, folder: Path, limits: bool, floating: bool | None, armature: str) -> Imported:
    sources = gather(data, folder)
    tables = compiled(sources, folder)
    model, names = tables.model, names_of(tables.model)
    if armature == "error":
        check_armature(model, names)
    state = reference(model, lambda e: f"equality {names.equalities[e]!r}")
    mech = Mechanism(_model_name(model), _gravity(model))
    zero = zeros(model, state, names)
    add_bodies(mech, tables, state, names)
    add_joints(mech, model, state, names, floating)
    add_passive(mech, model, names, zero)
    if armature == "keep":
        add_armature(mech, model, names)
    tendons = add_springs(mech, model, names)
    key = _start_key(model)
    omitted = add_actuators(mech, model, names, zero, key)
    closing = add_equalities(mech, model, state, names, zero)
    mech.preferred_cut = closing
    found = Imported(
        mech, tables, names, np.array(state.qpos), zero, closing,
        tuple(left_out(model, names, sources.missing, tendons, omitted.acting, armature == "keep")),
        (*remarks(model, names, omitted.waiting, limits), *(f"MuJoCo warns: {text}" for text in tables.warnings)),
    )  # fmt: skip
    mech.notes = (*found.left_out, *found.remarks)
    if limits:
        found.with_limits()
    if key is not None:
        _put_start(found, key)
    return found


def _model_name(model: Any) -> str:
    name = model.names[: model.names.index(b"\0")].decode(errors="replace")
    return "" if name == "MuJoCo Model" else name


def _gravity(model: Any) -> Any:
    off = model.opt.disableflags & int(mujoco().mjtDisableBit.mjDSBL_GRAVITY)
    return np.zeros(3) if off else np.array(model.opt.gravity)


def _start_key(model: Any) -> int | None:
    """The keyframe "home", or the first."""
    return max(mujoco().mj_name2id(model, mujoco().mjtObj.mjOBJ_KEY, "home"), 0) if model.nkey else None


def _put_start(found: Imported, key: int) -> None:
    """The coordinates of a keyframe as the mechanism's start; it is closed when a simulation begins."""
    try:
        system = found.mechanism.compile()
    except CotreeError:  # a mechanism that compiles in other ways only has no start that would be known here
        return
    found.mechanism.q_start = found.coordinates(system, found.model.key_qpos[key])
