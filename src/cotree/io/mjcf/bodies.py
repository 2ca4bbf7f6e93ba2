"""Bodies of a mechanism: MuJoCo's frames and mass properties, and the geoms that shapes can stand for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.io.mjcf.compiling import Compiled, MeshReference, mujoco
from cotree.io.mjcf.naming import Names
from cotree.io.robots.geometry import paint_of
from cotree.model import shapes
from cotree.model.contact_shapes import Plane
from cotree.model.mechanism import Mechanism

Array = NDArray[np.float64]
DEFAULT = (0.5, 0.5, 0.5, 1.0)  # MuJoCo's colour of a geom for which none is given


def pose(position: Any, matrix: Any) -> Array:
    """4x4 from a position and nine numbers."""
    C = np.eye(4)
    C[:3, 3], C[:3, :3] = position, np.reshape(matrix, (3, 3))
    return C


def turned(position: Any, quaternion: Any) -> Array:
    """4x4 from a position and a quaternion."""
    R = np.empty(9)
    mujoco().mju_quat2Mat(R, quaternion)
    return pose(position, R)


def body_pose(data: Any, body: int) -> Array:
    return pose(data.xpos[body], data.xmat[body])


def add_bodies(mech: Mechanism, compiled: Compiled, data: Any, names: Names) -> None:
    """All but the world, described in their own frames where these are in the reference."""
    model = compiled.model
    for k in range(1, model.nbody):
        R = turned(np.zeros(3), model.body_iquat[k])[:3, :3]
        inertia = compiled.tensors.get(k, R @ np.diag(model.body_inertia[k]) @ R.T)
        mech.body(
            names.bodies[k], float(model.body_mass[k]), tuple(model.body_ipos[k].tolist()), inertia,
            body_pose(data, k), shape_of(compiled, k), inertia_about="com",
        )  # fmt: skip
        _add_compensation(mech, names.bodies[k], float(model.body_gravcomp[k]))


def _add_compensation(mech: Mechanism, body: str, share: float) -> None:
    """Gravity compensation: a force at the mass centre that carries a share of the weight."""
    if share and mech.bodies[body].properties.mass and mech.gravity.any():
        mech.force(f"{body} gravcomp", body, -share * mech.bodies[body].properties.mass * mech.gravity)


def shape_of(compiled: Compiled, body: int) -> Any:
    """The shapes of a body as one, or None: of the geoms that touch nothing (pictures), else of all of them."""
    model = compiled.model
    first = int(model.body_geomadr[body])
    found = []
    for g in range(first, first + int(model.body_geomnum[body])):
        paint = _paint(model, g)
        if paint is None:
            continue
        shape = _shape(compiled, g, paint)
        if shape is not None:
            found.append((shape, not model.geom_contype[g] and not model.geom_conaffinity[g]))
    pictures = [shape for shape, picture in found if picture]
    return shapes.alone_or_together(pictures or [shape for shape, _ in found])


def _shape(compiled: Compiled, g: int, paint: dict[str, Any], rounded: bool = False) -> Any:
    """The shape of a geom in the frame of its body; rounded: capsules have their caps."""
    model = compiled.model
    C = turned(model.geom_pos[g], model.geom_quat[g])
    if g in compiled.meshes:
        return _mesh(model, g, C, compiled.meshes[g], paint)
    return _solid(int(model.geom_type[g]), C, model.geom_size[g].tolist(), paint, rounded)


def geom_shape(compiled: Compiled, g: int) -> Any:
    """What a geom touches with, or None: a solid, or a plane."""
    model = compiled.model
    if int(model.geom_type[g]) == int(mujoco().mjtGeom.mjGEOM_PLANE):
        C = turned(model.geom_pos[g], model.geom_quat[g])
        return Plane(C[:3, 3], C[:3, 2])
    return _shape(compiled, g, {}, rounded=True)


def _paint(model: Any, geom: int) -> dict[str, Any] | None:
    """Colour and opacity of a geom, its own or its material's; MuJoCo's default grey is that of the body instead."""
    material = int(model.geom_matid[geom])
    own = tuple(float(x) for x in model.geom_rgba[geom])
    if own != DEFAULT or material < 0:
        return paint_of(None if own == DEFAULT else tuple(round(x, 6) for x in own))
    return paint_of(tuple(round(float(x), 6) for x in model.mat_rgba[material]))


def _mesh(model: Any, geom: int, C: Array, reference: MeshReference, paint: dict[str, Any]) -> Any:
    """MuJoCo moves a mesh to its principal axes; one that is scaled unevenly or mirrored is not one that `Mesh` can show."""
    mesh, even = int(model.geom_dataid[geom]), len(set(reference.scale)) == 1 and reference.scale[0] > 0.0
    if not even or mesh < 0:
        return None
    own = turned(reference.position, reference.quaternion) @ turned(model.mesh_pos[mesh], model.mesh_quat[mesh])
    return shapes.Mesh(reference.path, reference.scale[0], C @ np.linalg.inv(own), **paint)


def _solid(number: int, C: Array, size: list[float], paint: dict[str, Any], rounded: bool = False) -> Any:
    """Sphere, cylinder (a capsule without its caps is one) or box; sizes of MuJoCo are halves."""
    kinds, p, R = mujoco().mjtGeom, tuple(C[:3, 3].tolist()), C[:3, :3]
    kind = kinds(number)
    if kind == kinds.mjGEOM_SPHERE:
        return shapes.Sphere(p, size[0], **paint)
    if kind in (kinds.mjGEOM_CYLINDER, kinds.mjGEOM_CAPSULE):
        a, b = (C[:3, 3] + s * size[1] * R[:, 2] for s in (-1.0, 1.0))
        form = shapes.Rod if rounded and kind == kinds.mjGEOM_CAPSULE else shapes.Cylinder
        return form(tuple(a.tolist()), tuple(b.tolist()), size[0], **paint)
    if kind == kinds.mjGEOM_BOX:
        return shapes.Box(p, tuple(2.0 * x for x in size), None if np.array_equal(R, np.eye(3)) else R, **paint)
    return None
