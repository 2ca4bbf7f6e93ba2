"""What a user writes: mechanisms, bodies, shapes, joints, forces."""

from cotree.model.angles import degrees
from cotree.model.contact_shapes import Hole, Plane, Point, Profile, Slot
from cotree.model.inertia import MassProperties
from cotree.model.joints import (
    Cylindrical,
    Free,
    Helical,
    Joint,
    Planar,
    PlanarTranslation,
    Prismatic,
    Revolute,
    Schoenflies,
    Spherical,
    Translation,
    Universal,
    Weld,
)
from cotree.model.law import Law
from cotree.model.mechanism import Mechanism
from cotree.model.numbers import parameters, with_parameters
from cotree.model.parts import Body, Connection
from cotree.model.pid import PID
from cotree.model.sections import Section
from cotree.model.shapes import Box, Cylinder, Mesh, Rod, Sphere
from cotree.model.time_laws import Harmonic, Polynomial, Steps, Table, Trapezoid

__all__ = [
    "PID", "Body", "Box", "Connection", "Cylinder", "Cylindrical", "Free", "Harmonic", "Helical", "Hole", "Joint",
    "Law", "MassProperties", "Mechanism", "Mesh", "Planar", "PlanarTranslation", "Plane", "Point", "Polynomial",
    "Prismatic", "Profile", "Revolute", "Rod", "Schoenflies", "Section", "Slot", "Sphere", "Spherical", "Steps", "Table",
    "Translation", "Trapezoid", "Universal", "Weld", "degrees", "parameters", "with_parameters",
]  # fmt: skip
