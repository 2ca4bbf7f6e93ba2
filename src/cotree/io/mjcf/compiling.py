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

from cotree.errors import DocumentError
from cotree.io.mjcf.guarding import Sources
from cotree.io.texts import package

TETRAHEDRON = 1e-3 * np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])


@dataclass(frozen=True)
class MeshReference:
    """File of a mesh as the model names it (with its folder), and its scale."""

    path: str
    scale: tuple[float, ...]


@dataclass(frozen=True)
class Compiled:
    """MuJoCo's model, and the meshes of its geoms by number."""

    model: Any
    meshes: dict[int, MeshReference]


def mujoco() -> Any:
    """The package, loaded when it is needed."""
    return package("mujoco", "mjcf")


def compiled(sources: Sources, folder: Path) -> Compiled:
    """The model of a text; `folder` is where its meshes are looked for."""
    spec = _asked(lambda: mujoco().MjSpec.from_string(sources.text, include=sources.includes))
    spec.modelfiledir = str(folder)
    spec.compiler.fusestatic, spec.compiler.discardvisual = 0, 0  # bodies and geoms stay as they are named
    references = {mesh.name: _reference(spec, mesh) for mesh in spec.meshes}
    names = [geom.meshname for geom in spec.geoms]
    _without_pictures(spec)
    model = _asked(spec.compile)
    geoms = {geom.id: references[name] for geom, name in zip(spec.geoms, names, strict=True) if name in references}
    return Compiled(model, geoms)


def _asked(do: Callable[[], Any]) -> Any:
    """What MuJoCo answers; what it complains about in our words."""
    try:
        return do()
    except Exception as error:  # ValueError mostly, and FatalError
        said = "; ".join(line.strip() for line in str(error).splitlines() if line.strip())
        hint = ""
        if "opening file" in said:
            hint = "; the inertia of a body comes from it: put the file there, or give the body an <inertial>"
        if "'distance'" in said:
            hint = "; MuJoCo has none any more: use an equality of a spatial tendon between two sites"
        raise DocumentError(f"MuJoCo cannot read the model: {said}{hint}") from None


def _reference(spec: Any, mesh: Any) -> MeshReference:
    path = str(Path(spec.meshdir) / mesh.file) if mesh.file else mesh.name
    return MeshReference(path, tuple(float(x) for x in mesh.scale))


def _without_pictures(spec: Any) -> None:
    """Trifles in place of files that no inertia comes from."""
    weighed = {geom.meshname for body in spec.bodies for geom in body.geoms if _weighs(spec, body, geom)}
    for mesh in spec.meshes:
        if mesh.file and mesh.name not in weighed:
            mesh.file, mesh.uservert = "", TETRAHEDRON
    for texture in spec.textures:
        texture.file, texture.builtin = "", mujoco().mjtBuiltin.mjBUILTIN_FLAT
        texture.cubefiles = [""] * len(texture.cubefiles)
        texture.width = texture.height = 1
    for field in spec.hfields:
        if field.file:
            field.file, field.nrow, field.ncol, field.userdata = "", 2, 2, np.zeros(4)
    for skin in list(spec.skins):
        spec.delete(skin)


def _weighs(spec: Any, body: Any, geom: Any) -> bool:
    """Whether the mass properties of a body come from a geom."""
    rule, rules = spec.compiler.inertiafromgeom, mujoco().mjtInertiaFromGeom
    if rule == rules.mjINERTIAFROMGEOM_FALSE or (rule == rules.mjINERTIAFROMGEOM_AUTO and body.explicitinertial):
        return False
    low, high = spec.compiler.inertiagrouprange
    has_mass = geom.density != 0.0 if np.isnan(geom.mass) else geom.mass != 0.0
    return bool(low <= geom.group <= high and has_mass)
