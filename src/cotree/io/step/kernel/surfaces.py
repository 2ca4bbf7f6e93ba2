"""Faces of a solid that lie on cylinders, spheres and planes; splines that are nothing else are recognised."""

from __future__ import annotations

from typing import Any

import numpy as np
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepGProp import BRepGProp
from OCP.BRepTools import BRepTools
from OCP.Geom import Geom_CylindricalSurface, Geom_SphericalSurface
from OCP.GeomAbs import GeomAbs_BezierSurface, GeomAbs_BSplineSurface, GeomAbs_Cylinder, GeomAbs_Plane, GeomAbs_Sphere
from OCP.GeomAbs import GeomAbs_SurfaceOfExtrusion as GeomAbs_Extrusion
from OCP.GeomAbs import GeomAbs_SurfaceOfRevolution as GeomAbs_Revolution
from OCP.GeomConvert import GeomConvert_SurfToAnaSurf
from OCP.gp import gp_Pnt, gp_Vec
from OCP.GProp import GProp_GProps
from OCP.TopAbs import TopAbs_REVERSED
from OCP.TopoDS import TopoDS

from cotree.io.step.plain import MM, CylinderFace, SphereFace, Vector

as_face = getattr(TopoDS, "Face_s", None) or TopoDS.Face  # named differently from one version of OCP to the next
GENERAL = (GeomAbs_BSplineSurface, GeomAbs_BezierSurface, GeomAbs_Extrusion, GeomAbs_Revolution)


def round_face(face: Any, outward: float, tolerance: float) -> CylinderFace | SphereFace | None:
    """The face's cylinder or sphere; outward: -1 for a solid that is inside out."""
    surface = BRepAdaptor_Surface(face)
    kind = surface.GetType()
    if kind == GeomAbs_Cylinder:
        return _cylinder(face, surface, surface.Cylinder(), outward)
    if kind == GeomAbs_Sphere:
        return _sphere(face, surface, surface.Sphere(), outward)
    if kind in GENERAL:
        known = _recognised(face, tolerance / MM)
        if isinstance(known, Geom_CylindricalSurface):
            return _cylinder(face, surface, known.Cylinder(), outward)
        if isinstance(known, Geom_SphericalSurface):
            return _sphere(face, surface, known.Sphere(), outward)
    return None


def plane_of(face: Any, outward: float) -> tuple[np.ndarray, np.ndarray] | None:
    """Point [mm] and outward normal of a planar face."""
    surface = BRepAdaptor_Surface(face)
    if surface.GetType() != GeomAbs_Plane:
        return None
    return _at(face, surface, 0.5, 0.5, outward)


def area_of(shape: Any) -> float:
    """Area of faces [mm^2]."""
    properties = GProp_GProps()
    BRepGProp.SurfaceProperties_s(shape, properties, False, False)
    return abs(float(properties.Mass()))


def _recognised(face: Any, tolerance: float) -> Any:
    """The simple surface that a spline is within the tolerance, or None."""
    try:
        convert = GeomConvert_SurfToAnaSurf(BRep_Tool.Surface_s(face))
        return convert.ConvertToAnalytical(tolerance, *BRepTools.UVBounds_s(face))
    except Exception:  # of the kernel: it could not tell
        return None


def _cylinder(face: Any, surface: Any, cylinder: Any, outward: float) -> CylinderFace:
    """Range along the axis from the corners of the face's rectangle of parameters, in which it is linear."""
    at, e = numbers(cylinder.Axis().Location()), numbers(cylinder.Axis().Direction())
    point, normal = _at(face, surface, 0.5, 0.5, outward)
    radial = (point - at) - e * (e @ (point - at))
    along = [float(e @ (_at(face, surface, u, v, outward)[0] - at)) for u in (0.0, 1.0) for v in (0.0, 1.0)]
    return CylinderFace(
        vector(at * MM), vector(e), cylinder.Radius() * MM, min(along) * MM, max(along) * MM, area_of(face) * MM**2,
        bool(normal @ radial > 0.0),
    )  # fmt: skip


def _sphere(face: Any, surface: Any, sphere: Any, outward: float) -> SphereFace:
    center = numbers(sphere.Location())
    point, normal = _at(face, surface, 0.5, 0.5, outward)
    return SphereFace(
        vector(center * MM), sphere.Radius() * MM, area_of(face) * MM**2, bool(normal @ (point - center) > 0.0)
    )


def _at(face: Any, surface: Any, a: float, b: float, outward: float) -> tuple[np.ndarray, np.ndarray]:
    """Point and outward normal (not of length 1) at a fraction of the face's rectangle of parameters."""
    u0, u1, v0, v1 = BRepTools.UVBounds_s(face)
    point, du, dv = gp_Pnt(), gp_Vec(), gp_Vec()
    surface.D1(u0 + a * (u1 - u0), v0 + b * (v1 - v0), point, du, dv)
    sign = -outward if face.Orientation() == TopAbs_REVERSED else outward
    return numbers(point), sign * np.cross(numbers(du), numbers(dv))


def numbers(point: Any) -> np.ndarray:
    """A point or direction of the kernel."""
    return np.array([point.X(), point.Y(), point.Z()])


def vector(values: np.ndarray) -> Vector:
    x, y, z = values.tolist()
    return (x, y, z)
