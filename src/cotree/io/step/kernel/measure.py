"""Exact measures of a solid: volume, centre, second moments, bounding box, and its faces on cylinders and spheres."""

from __future__ import annotations

from typing import Any

import numpy as np
from OCP.Bnd import Bnd_Box
from OCP.BRep import BRep_Tool
from OCP.BRepBndLib import BRepBndLib
from OCP.BRepGProp import BRepGProp
from OCP.gp import gp_Pnt
from OCP.GProp import GProp_GProps
from OCP.TopAbs import TopAbs_FACE, TopAbs_SHELL, TopAbs_SOLID

from cotree.io.step.kernel.document import Part, explore
from cotree.io.step.kernel.surfaces import as_face, numbers, round_face, vector
from cotree.io.step.plain import MM, CylinderFace, SolidData, SphereFace

PRECISION = 1e-12  # relative error of the volume under each face


def measured(part: Part, tolerance: float) -> SolidData:
    """The numbers of one solid in SI units."""
    low, high = bounds(part.solid)
    volume, centre, moments = volume_properties(part.solid, 0.5 * (low + high))
    outward = 1.0 if volume >= 0.0 else -1.0  # a solid that is inside out
    found = [round_face(face, outward, tolerance) for face in map(as_face, explore(part.solid, TopAbs_FACE))]
    return SolidData(
        path=part.path,
        volume=abs(volume) * MM**3,
        centre=vector(centre * MM),
        moments=tuple(vector(row) for row in outward * moments * MM**5),  # type: ignore[arg-type]
        low=vector(low * MM),
        high=vector(high * MM),
        closed=part.solid.ShapeType() == TopAbs_SOLID
        and all(map(BRep_Tool.IsClosed_s, explore(part.solid, TopAbs_SHELL))),
        colour=part.colour,
        cylinders=[face for face in found if isinstance(face, CylinderFace)],
        spheres=[face for face in found if isinstance(face, SphereFace)],
    )


def volume_properties(solid: Any, about: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume, centre, second moments about the centre; integrated about a point near, for the digits far from the origin."""
    properties = GProp_GProps(gp_Pnt(*about.tolist()))
    BRepGProp.VolumeProperties_s(solid, properties, PRECISION, False, False)
    inertia = properties.MatrixOfInertia()
    moments = np.array([[inertia.Value(i, j) for j in (1, 2, 3)] for i in (1, 2, 3)])
    return properties.Mass(), numbers(properties.CentreOfMass()), moments


def bounds(shape: Any) -> tuple[np.ndarray, np.ndarray]:
    """Corners of the smallest box along the axes."""
    box = Bnd_Box()
    BRepBndLib.AddOptimal_s(shape, box, False, False)
    box.SetGap(0.0)
    return (np.zeros(3), np.zeros(3)) if box.IsVoid() else (numbers(box.CornerMin()), numbers(box.CornerMax()))
