"""From the text of an MJCF model to MuJoCo's tables: its own reader and compiler, without the files that only pictures need.

Meshes are read where the inertia of a body comes from them, and must be there then. All others, and textures and height
fields, are replaced by trifles before compiling: the geoms keep their places, and `MeshReference` says what they show.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import DocumentError, UnsafeFileError
from cotree.io.mjcf.guarding import Sources
from cotree.io.native.texts import package
from cotree.model.naming import printable

Array = NDArray[np.float64]
MOST_BYTES = 100 << 20  # of a mesh
TETRAHEDRON = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])


@dataclass(frozen=True)
class MeshReference:
    """File of a mesh as the model names it (with its folder), its scale, and the frame in it (refpos, refquat) that is used."""

    path: str
    scale: tuple[float, ...]
    position: tuple[float, ...]
    quaternion: tuple[float, ...]


@dataclass(frozen=True)
class Compiled:
    """MuJoCo's model, the meshes of its geoms by number, and what MuJoCo has warned of.

    tensors: inertia of bodies by number where the file has it in full, and it stays as it is; some versions of MuJoCo keep but
    six digits of it in its principal axes.
    """

    model: Any
    meshes: dict[int, MeshReference]
    tensors: dict[int, Array]
    warnings: tuple[str, ...]


def mujoco() -> Any:
    """The package, loaded when it is needed."""
    return package("mujoco", "mjcf")


def compiled(sources: Sources, folder: Path) -> Compiled:
    """The model of a text; `folder` is where its meshes are looked for."""
    said = list[str]()
    spec = _call_mujoco(lambda: mujoco().MjSpec.from_string(sources.text, include=sources.includes), said)
    spec.modelfiledir = str(folder)
    spec.compiler.fusestatic, spec.compiler.discardvisual = 0, 0  # bodies and geoms stay as they are named
    references = {mesh.name: _reference(spec, mesh) for mesh in spec.meshes}
    names = [geom.meshname for geom in spec.geoms]
    _without_pictures(spec)
    _check_files(spec, folder)
    model = _call_mujoco(spec.compile, said)
    geoms = {geom.id: references[name] for geom, name in zip(spec.geoms, names, strict=True) if name in references}
    tensors = {body.id: _tensor(body.fullinertia) for body in spec.bodies if _is_told(spec, body)}
    return Compiled(model, geoms, tensors, tuple(said))


def _call_mujoco(do: Callable[[], Any], warned: list[str]) -> Any:
    """What MuJoCo answers; what it complains about in our words, and what it warns of (else it would write a log file)."""
    usual = mujoco().get_mju_user_warning()
    mujoco().set_mju_user_warning(warned.append)
    try:
        return do()
    except Exception as error:  # ValueError mostly, and FatalError
        said = "; ".join(line.strip() for line in str(error).splitlines() if line.strip())[:500]
        hint = ""
        if "opening file" in said:
            hint = "; it defines the inertia of a body: provide the file, or give the body an <inertial>"
        if "'distance'" in said:
            hint = "; MuJoCo no longer has it: use an equality of a spatial tendon between two sites"
        raise DocumentError(f"MuJoCo cannot read the model: {printable(said)}{hint}") from None
    finally:
        mujoco().set_mju_user_warning(usual)


def _reference(spec: Any, mesh: Any) -> MeshReference:
    path = str(Path(spec.meshdir) / mesh.file) if mesh.file else mesh.name
    scale, position, quaternion = (tuple(float(x) for x in v) for v in (mesh.scale, mesh.refpos, mesh.refquat))
    return MeshReference(path, scale, position, quaternion)


def _tensor(full: Any) -> Array:
    xx, yy, zz, xy, xz, yz = (float(x) for x in full)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _is_told(spec: Any, body: Any) -> bool:
    """Whether a body's inertia is in the file in full, and nothing changes it."""
    c, rules = spec.compiler, mujoco().mjtInertiaFromGeom
    changed = c.boundmass or c.boundinertia or c.balanceinertia or c.settotalmass > 0.0
    told = body.explicitinertial and bool(np.isfinite(body.fullinertia).all())
    return told and not changed and c.inertiafromgeom != rules.mjINERTIAFROMGEOM_TRUE


def _without_pictures(spec: Any) -> None:
    """Trifles in place of files that no inertia comes from."""
    weighed = {geom.meshname for body in spec.bodies for geom in body.geoms if _weighs(spec, body, geom)}
    for mesh in spec.meshes:
        if mesh.file and mesh.name not in weighed:
            mesh.file, mesh.uservert, mesh.scale = "", TETRAHEDRON, np.ones(3)
    for texture in spec.textures:
        texture.file, texture.builtin = "", mujoco().mjtBuiltin.mjBUILTIN_FLAT
        texture.cubefiles = [""] * len(texture.cubefiles)
        texture.width = texture.height = 1
    for field in spec.hfields:
        if field.file:
            field.file, field.nrow, field.ncol, field.userdata = "", 2, 2, np.zeros(4)
    for unread in [*spec.skins, *spec.sensors]:
        spec.delete(unread)
    spec.compiler.LRopt.mode = mujoco().mjtLRMode.mjLRMODE_NONE  # else it simulates, for as long as the file says


def _check_files(spec: Any, folder: Path) -> None:
    """Meshes that are read are files, and not too large."""
    for mesh in spec.meshes:
        if not mesh.file:
            continue
        path = folder / spec.meshdir / mesh.file
        if path.exists() and (not path.is_file() or path.stat().st_size > MOST_BYTES):
            raise UnsafeFileError(f"mesh {printable(mesh.file)!r} is not a file, or has more than {MOST_BYTES} bytes")


def _weighs(spec: Any, body: Any, geom: Any) -> bool:
    """Whether the mass properties of a body come from a geom."""
    rule, rules = spec.compiler.inertiafromgeom, mujoco().mjtInertiaFromGeom
    if rule == rules.mjINERTIAFROMGEOM_FALSE or (rule == rules.mjINERTIAFROMGEOM_AUTO and body.explicitinertial):
        return False
    low, high = spec.compiler.inertiagrouprange
    has_mass = geom.density != 0.0 if np.isnan(geom.mass) else geom.mass != 0.0
    return bool(low <= geom.group <= high and has_mass)
