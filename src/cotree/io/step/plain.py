"""What the CAD kernel found in a STEP file, as plain numbers in SI units and the world frame.

The kernel runs in a process of its own (a broken file can bring it down), so this is also the form of its answer.
"""

from __future__ import annotations

import msgspec

Vector = tuple[float, float, float]
MM = 1e-3  # the kernel converts every file to millimetres


class CylinderFace(msgspec.Struct, frozen=True):
    """A face on a circular cylinder: axis through `point`, from `low` to `high` along it; convex: a shaft, not a hole."""

    point: Vector
    axis: Vector
    radius: float
    low: float
    high: float
    area: float
    convex: bool


class SphereFace(msgspec.Struct, frozen=True):
    """A face on a sphere; convex: a ball, not a socket."""

    center: Vector
    radius: float
    area: float
    convex: bool


class SolidData(msgspec.Struct, frozen=True):
    """A solid: volume [m^3], its centre [m], second moments of volume about it [m^5], bounding box, and its round faces."""

    path: tuple[str, ...]  # names of the assemblies that it is in, then its own
    volume: float
    centre: Vector
    moments: tuple[Vector, Vector, Vector]  # the inertia tensor for the density 1
    low: Vector
    high: Vector
    closed: bool  # a skin with a hole in it has no volume
    colour: Vector | None
    cylinders: list[CylinderFace]
    spheres: list[SphereFace]
    mesh: str | None = None


class Touch(msgspec.Struct, frozen=True):
    """Planar faces of the solids number `first` and `second` that touch; normal: out of the first."""

    first: int
    second: int
    normal: Vector
    area: float


class FileData(msgspec.Struct, frozen=True):
    """Everything of a file."""

    solids: list[SolidData]
    touches: list[Touch]


class Job(msgspec.Struct, frozen=True):
    """What the kernel is to do, and where the answer goes."""

    file: str
    answer: str
    tolerance: float
    meshes: str | None
    search: list[str]  # where Python finds modules


class Answer(msgspec.Struct, frozen=True):
    """The data, or what is wrong with the file."""

    data: FileData | None = None
    trouble: str = ""
