"""Closed mechanisms of the literature and random ones, as plain data that can be moved, shuffled and perturbed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import cotree as ct
from cotree.gallery.linkages import bennett_axes, bricard_axes
from cotree.gallery.parallel_robots import stewart_legs
from cotree.gallery.reg_spherical_four_bar import reg_axes
from tests.random_mechanisms import BodyData, JointData, TreeData, direction, direction_across, pose, random_rotation

X, Y, Z = np.eye(3)
GROUND = "ground"


class Sketch:
    """Joints one by one; the bodies follow: mass centre amid the joints, a box's inertia."""

    def __init__(self, gravity: Any = (0.0, -9.81, 0.0)) -> None:
        self.gravity = np.array(gravity, dtype=float)
        self.joints: list[JointData] = []

    def joint(
        self,
        name: str,
        kind: str,
        inner: str,
        outer: str,
        point: Any,
        axis: Any = Z,
        other: Any = None,
        pitch: float = 0.0,
    ) -> None:
        e = np.array(axis, dtype=float)
        across = (
            direction_across(np.random.default_rng(len(self.joints)), e) if other is None else np.array(other, float)
        )
        self.joints.append(JointData(name, kind, inner, outer, np.array(point, dtype=float), e, across, pitch))

    def data(self) -> TreeData:
        names = dict.fromkeys(n for j in self.joints for n in (j.inner, j.outer) if n != GROUND)
        bodies = []
        for k, name in enumerate(names):
            middle = np.mean([j.point for j in self.joints if name in (j.inner, j.outer)], axis=0)
            com, inertia = middle + np.array([0.02, 0.01 * (k % 7), -0.03]), np.diag([0.1, 0.12, 0.15 + 0.01 * (k % 7)])
            bodies.append(BodyData(name, 1.0 + 0.1 * (k % 7), com, inertia))
        return TreeData(self.gravity, tuple(bodies), tuple(self.joints))


def single_loop(joints: Sequence[tuple[Any, ...]]) -> TreeData:
    """Bodies b0, b1, ... and joints j0, j1, ... from ground round to ground; each joint (kind, point, axis, ...)."""
    sketch = Sketch()
    names = [GROUND, *(f"b{i}" for i in range(len(joints) - 1)), GROUND]
    for i, (kind, *where) in enumerate(joints):
        sketch.joint(f"j{i}", kind, names[i], names[i + 1], *where)
    return sketch.data()


def revolutes(axes: Iterable[tuple[Any, Any]]) -> TreeData:
    """A single loop of revolutes, (point, axis) each."""
    return single_loop([("Revolute", point, axis) for point, axis in axes])


# -- planar --------------------------------------------------------------------------------------------------


def planar_loop(points: Sequence[tuple[float, float]], kind: str = "Revolute") -> TreeData:
    """Parallel revolutes through points of the plane."""
    return revolutes(((x, y, 0.0), Z) for x, y in points)


def four_bar() -> TreeData:
    """The planar four-bar of the design's example: 1 dof."""
    return planar_loop([(0, 0), (0.6, 0.8), (2.4, 1.4), (2.5, 0)])


def five_bar() -> TreeData:
    """Planar five-bar: 2 dof."""
    return planar_loop([(0, 0), (-0.5, 1), (0.6, 2), (1.7, 1.1), (1, 0)])


def flat_parallelogram() -> TreeData:
    """Parallelogram with all joints on a line, where the antiparallelogram branches off."""
    return planar_loop([(0, 0), (1, 0), (3, 0), (2, 0)])


def triangle(collinear: bool = False) -> TreeData:
    """Three parallel revolutes: rigid; on a line shaky, that is rigid with a velocity."""
    return planar_loop([(0, 0), (1, 0), (2, 0) if collinear else (1.5, 1)])


def slider_crank(elbow: str = "Revolute") -> TreeData:
    """Planar slider-crank, 1 dof, whose coupler and slider may be joined by a ball or universal joint as well."""
    joints = [("Revolute", (0, 0, 0), Z), ("Revolute", (0.3, 0.4, 0), Z), (elbow, (1.2, 0.1, 0), Z, X)]
    return single_loop([*joints, ("Prismatic", (1.2, 0.1, 0), X)])


def double_parallelogram() -> TreeData:
    """Three equal cranks on one coupler [Reg Fig. 3]: 1 dof that is owed to their lengths."""
    sketch = Sketch()
    for i in range(3):
        sketch.joint(f"A{i}", "Revolute", GROUND, f"crank{i}", (i, 0, 0))
        sketch.joint(f"B{i}", "Revolute", f"crank{i}", "coupler", (i + 0.3, 1, 0))
    return sketch.data()


def ladder(n: int) -> TreeData:
    """n planar parallelograms side by side, each with its own coupler: 1 dof."""
    sketch = Sketch()
    for i in range(n + 1):
        sketch.joint(f"A{i}", "Revolute", GROUND, f"crank{i}", (i, 0, 0))
    for i in range(n):
        sketch.joint(f"B{i}", "Revolute", f"crank{i}", f"coupler{i}", (i + 0.2, 1, 0))
        sketch.joint(f"C{i}", "Revolute", f"coupler{i}", f"crank{i + 1}", (i + 1.2, 1, 0))
    return sketch.data()


# -- spherical -----------------------------------------------------------------------------------------------


def spherical_four_bar() -> TreeData:
    """Four axes through the origin: 1 dof."""
    axes = [(1, 0, 0.2), (0.9, 0.5, 0.6), (0.2, 1, 0.3), (-0.4, 0.9, 0.1)]
    return revolutes((a, a) for a in axes)


REG_U_BAR = np.array([[0.193497, 0.461041, 0.798547, -0.335146, 0.0], [-0.461041, 0.193497, 0.335146, 0.798547, 0.0]])


def reg_spherical(flat: bool = False) -> TreeData:
    """The spherical four-bar of [Reg 7.1], with its joints 1 to 4 as j0 to j3; `ct.gallery.reg_four_bar` tells its geometry."""
    return revolutes(reg_axes(flat))


def reg_jacobian(q1: float, q2: float) -> np.ndarray:
    """H(q) as printed in [Reg 7.1]; its columns are those of joints 1, 4 and 2 in this order."""
    s1, c1, s2, c2 = np.sin(q1), np.cos(q1), np.sin(q2), np.cos(q2)
    cm, cp, sm = np.cos(q1 - q2), np.cos(q1 + q2), np.sin(q1 - q2)
    r2, r3, r6 = np.sqrt([2.0, 3.0, 6.0])
    a = r2 / 27 * (1 - 4 * r3 * s1 + c2 * (5 + r3 * s1) - (r3 + 9 * s1) * s2 + c1 * (-4 + 7 * c2 + 7 * r3 * s2))
    b = -r2 / 27 * (-r3 + 4 * r3 * c1 + r3 * cm + r3 * c2 + 4 * r3 * cp + 12 * s1 - 3 * sm - 3 * s2)
    c = -r2 / 9 * (-1 + 4 * c1 + cm + c2 + 4 * cp + 4 * r3 * s1 - r3 * sm - r3 * s2)
    d = r3 + 5 * r3 * c2 - 3 * s2 + c1 * (-4 * r3 + 7 * r3 * c2 + 21 * s2) + 3 * s1 * (-4 + c2 - 3 * r3 * s2)
    return np.array(
        [
            [r2 / 9 * (r3 * s2 - 1 - 5 * c2), a, -r2 / 3],
            [(r6 * (c2 - 1) - 3 * r2 * s2) / 9, b, -np.sqrt(2 / 3)],
            [r2 / 3 * (c2 - 1 - r3 * s2), c, -r2],
            [r2 / 9 * (r3 * (1 + 5 * c2) - 3 * s2), -r2 / 27 * d, np.sqrt(2 / 3)],
            [0.0, 0.0, 0.0],
        ]
    )


# -- spatial single loops ------------------------------------------------------------------------------------


def sarrus() -> TreeData:
    """Sarrus' six-bar: the plate b2 goes straight up and down. j2 and j3 are its joints."""
    axes = [((1, 0, 0), Y), ((1.5, 0, 0.5), Y), ((1, 0, 1.1), Y), ((0, 1, 1.1), X), ((0, 1.5, 0.5), X), ((0, 1, 0), X)]
    return revolutes(axes)


def bennett(a: float = 1.0, b: float = 1.5, alpha: float = 0.6, angle: float = 1.0) -> TreeData:
    """Bennett's linkage: opposite links alike, sin(alpha)/a = sin(beta)/b. 1 dof where the count says -2."""
    return revolutes(bennett_axes(a, b, alpha, angle))


def bricard() -> TreeData:
    """Bricard's trihedral 6R on the edges of a cube: 1 dof where the count says 0."""
    return revolutes(bricard_axes())


def viviani() -> TreeData:
    """Ball-jointed arm a and cylindrical arm b, joined by a ball joint where its sphere and cylinder touch from inside.

    The joint's path is Viviani's curve, drawn at its double point. There the velocities of both arms lie in one plane;
    everywhere else three rows are needed. 2 dof: along the curve, and the spin of arm a.
    """
    p = (2.0, 0.0, 0.0)
    return single_loop([("Spherical", (0, 0, 0)), ("Spherical", p), ("Cylindrical", (1.0, 0.0, 0.5), Z)])


def helical_jacks() -> TreeData:
    """A nut on two screws of different pitch on one axis: locked, though it fits again after some turns."""
    return single_loop([("Helical", (0, 0, 0), Z, X, 0.2), ("Helical", (0, 0, 0.3), Z, X, 0.3)])


# -- parallel manipulators -----------------------------------------------------------------------------------


def prrr3() -> TreeData:
    """3-PRRR [Reg 7.2]: three legs, each a prismatic and three revolutes along one of three directions; 3 dof."""
    sketch = Sketch()
    for i in range(3):
        e, f, g = np.eye(3)[[i, (i + 1) % 3, (i + 2) % 3]]
        points = [-1.2 * f, -1.2 * f + 0.3 * g, -0.6 * f + 0.5 * g, -0.3 * f]
        bodies = [GROUND, *(f"leg{i}{k}" for k in range(3)), "platform"]
        for k, kind in enumerate(("Prismatic", "Revolute", "Revolute", "Revolute")):
            sketch.joint(f"J{i}{k}", kind, bodies[k], bodies[k + 1], points[k], e)
    return sketch.data()


def _around(i: int, radius: float, height: float) -> np.ndarray:
    a = 2 * np.pi * i / 3 + 0.2
    return np.array([radius * np.cos(a), radius * np.sin(a), height])


def upu3() -> TreeData:
    """3-UPU in Tsai's translational geometry: outer axes parallel, inner axes parallel in each leg; 3 dof."""
    sketch = Sketch((0, 0, -9.81))
    for i in range(3):
        A, B = _around(i, 2.0, 0.0), _around(i, 1.0, 2.0)
        tangent = np.cross(Z, A) / 2.0
        across = np.cross(tangent, B - A)
        sketch.joint(f"U{i}", "Universal", GROUND, f"lower{i}", A, tangent, across)
        sketch.joint(f"P{i}", "Prismatic", f"lower{i}", f"upper{i}", 0.5 * (A + B), B - A)
        sketch.joint(f"V{i}", "Universal", f"upper{i}", "platform", B, across, tangent)
    return sketch.data()


def stewart() -> TreeData:
    """Gough-Stewart platform of the gallery, 6-UPS, knocked out of its symmetry: 6 dof."""
    sketch, rng = Sketch((0, 0, -9.81)), np.random.default_rng(3)
    for i, (A, B) in enumerate(stewart_legs(), 1):
        A, B = A + 0.05 * rng.normal(size=3), B + 0.05 * rng.normal(size=3)
        side = direction_across(rng, (B - A) / np.linalg.norm(B - A))
        sketch.joint(f"base{i}", "Universal", GROUND, f"lower{i}", A, side, np.cross(B - A, side))
        sketch.joint(f"leg{i}", "Prismatic", f"lower{i}", f"upper{i}", 0.5 * (A + B), B - A)
        sketch.joint(f"ball{i}", "Spherical", f"upper{i}", "platform", B)
    return sketch.data()


def delta(rods: bool = False) -> TreeData:
    """Delta robot, 3 dof: with pairs of parallel rods (universal and ball joints), or its equivalent 3-RUU."""
    sketch = Sketch((0, 0, 9.81))
    for i in range(3):
        A, E, B = _around(i, 1.0, 0.0), _around(i, 1.6, 0.4), _around(i, 0.4, 1.4)
        tangent = np.cross(Z, A)
        across = np.cross(tangent, B - E)
        sketch.joint(f"R{i}", "Revolute", GROUND, f"arm{i}", A, tangent)
        for k in (-1, 1) if rods else (0,):
            side, last = 0.15 * k * tangent, "Spherical" if rods else "Universal"
            sketch.joint(f"U{i}{k}", "Universal", f"arm{i}", f"rod{i}{k}", E + side, tangent, across)
            sketch.joint(f"V{i}{k}", last, f"rod{i}{k}", "platform", B + side, across, tangent)
    return sketch.data()


# -- random --------------------------------------------------------------------------------------------------

FAMILIES = ("planar", "spherical", "schoenflies", "spatial")


def random_chain(
    rng: np.random.Generator, family: str, n: int, axis: np.ndarray, centre: np.ndarray
) -> list[tuple[Any, ...]]:
    """n joints (kind, point, axis, other) whose motions stay in a group about an axis or a centre."""
    out: list[tuple[Any, ...]] = []
    for _ in range(n):
        point = np.round(rng.normal(size=3), 3)
        match family:
            case "planar":
                slides = rng.random() < 0.25
                out.append(("Prismatic", point, _across(rng, axis)) if slides else ("Revolute", point, axis))
            case "spherical":
                out.append(("Revolute", centre, direction(rng)))
            case "schoenflies":
                kind = str(rng.choice(["Revolute", "Helical", "Prismatic", "Cylindrical"]))
                out.append((kind, point, direction(rng) if kind == "Prismatic" else axis, None, 0.3))
            case _:
                kind = str(rng.choice(["Revolute", "Universal", "Spherical", "Prismatic"]))
                out.append((kind, point, direction(rng)))
    return out


def _across(rng: np.random.Generator, axis: np.ndarray) -> np.ndarray:
    a = np.cross(axis, direction_across(rng, axis))
    return a / np.linalg.norm(a)


def random_loop(
    rng: np.random.Generator, families: tuple[str, str], cut: str, sizes: tuple[int, int] = (3, 3)
) -> TreeData:
    """Two chains of given families from ground; "cut" joins their ends, its axis at times one of the chains' axes."""
    axes, centre = [direction(rng), direction(rng)], np.round(rng.normal(size=3), 3)
    if rng.random() < 0.5:
        axes[1] = axes[0]
    sketch, ends = Sketch(), []
    for c, family in enumerate(families):
        inner = GROUND
        for i, (kind, *where) in enumerate(random_chain(rng, family, sizes[c], axes[c], centre)):
            sketch.joint(f"j{c}{i}", kind, inner, f"b{c}{i}", *where)
            inner = f"b{c}{i}"
        ends.append(inner)
    axis = axes[0] if rng.random() < 0.5 else direction(rng)
    point = centre if rng.random() < 0.3 else np.round(rng.normal(size=3), 3)
    sketch.joint("cut", cut, *ends, point, axis, None, 0.2 if cut == "Helical" else 0.0)
    return sketch.data()


def random_network(rng: np.random.Generator, family: str, loops: int = 3) -> TreeData:
    """A chain of five joints closed to ground, and chains of three that bridge random bodies of what is there."""
    axis, centre = direction(rng), np.round(rng.normal(size=3), 3)
    sketch, names = Sketch(), [GROUND]
    for n in range(loops):
        size = 5 if n == 0 else 3
        start, end = (GROUND, GROUND) if n == 0 else [str(x) for x in rng.choice(names, 2, replace=False)]
        chain = [start, *(f"b{n}{i}" for i in range(size - 1)), end]
        for i, (kind, *where) in enumerate(random_chain(rng, family, size, axis, centre)):
            sketch.joint(f"j{n}{i}", kind, chain[i], chain[i + 1], *where)
        names += chain[1:-1]
    return sketch.data()


# -- the same mechanism otherwise ----------------------------------------------------------------------------


def displaced(data: TreeData, rng: np.random.Generator, distance: float = 3.0) -> TreeData:
    """Turned and moved as a whole."""
    return data.moved(pose(random_rotation(rng), distance * rng.normal(size=3)))


def perturbed(data: TreeData, rng: np.random.Generator, size: float) -> TreeData:
    """Every point and axis off by a little, as numbers in files are."""
    joints = tuple(
        replace(j, point=j.point + size * rng.normal(size=3), axis=j.axis + size * rng.normal(size=3),
                other=j.other + size * rng.normal(size=3)) for j in data.joints
    )  # fmt: skip
    return replace(data, joints=joints)


def redrawn(data: TreeData, system: ct.System, q: np.ndarray) -> TreeData:
    """The mechanism described as it stands at q; `system`: of these data, bodies told in the world frame."""
    C = dict(zip((GROUND, *system.body_names), ct.poses(system, q), strict=True))
    bodies = tuple(b.moved(C[b.name]) for b in data.bodies)
    joints = []
    for j in data.joints:
        moved = j.moved(C[j.outer])
        if j.kind == "Universal":
            moved = replace(moved, axis=C[j.parent][:3, :3] @ j.axis, other=C[j.child][:3, :3] @ j.other)
        joints.append(moved)
    return TreeData(data.gravity, bodies, tuple(joints))


def reversed_joints(data: TreeData, rng: np.random.Generator) -> TreeData:
    """Some joints with parent and child exchanged; a universal joint's first axis is the parent's."""
    return replace(data, joints=tuple(_reversed(j) if rng.random() < 0.5 else j for j in data.joints))


def _reversed(j: JointData) -> JointData:
    first, second = (j.other, j.axis) if j.kind == "Universal" else (j.axis, j.other)
    return replace(j, backward=not j.backward, axis=first, other=second)


def named(data: TreeData, name: str) -> ct.Mechanism:
    mech = data.mechanism()
    mech.name = name
    return mech


def closed_pose(system: ct.System, rng: np.random.Generator, size: float = 0.3) -> np.ndarray:
    """A closed configuration some way off the reference assembly; the reference itself where nothing else is found."""
    for shrink in (1.0, 0.5, 0.2, 0.05):
        try:
            return ct.assemble(system, ct.displace(system, system.q0, shrink * size * rng.normal(size=system.nv)))
        except ct.errors.AssemblyError:
            continue
    return system.q0.copy()


# name: (builder, rows kept, rows of the cut joints, dof, kind)
CATALOGUE: dict[str, tuple[Any, int, int, int, str]] = {
    "four-bar": (four_bar, 2, 5, 1, "trivial"),
    "five-bar": (five_bar, 2, 5, 2, "trivial"),
    "slider-crank": (slider_crank, 2, 5, 1, "trivial"),
    "slider-crank with a ball": (lambda: slider_crank("Spherical"), 2, 3, 1, "trivial"),
    "slider-crank with a universal": (lambda: slider_crank("Universal"), 2, 4, 1, "trivial"),
    "spherical four-bar": (spherical_four_bar, 2, 5, 1, "trivial"),
    "spherical four-bar of Reg": (reg_spherical, 2, 5, 1, "trivial"),
    "double parallelogram": (double_parallelogram, 4, 10, 1, "paradoxical"),
    "ladder": (lambda: ladder(4), 8, 20, 1, "trivial"),
    "Sarrus": (sarrus, 4, 5, 1, "exceptional"),
    "Bennett": (bennett, 5, 5, 1, "paradoxical"),
    "Bricard": (bricard, 5, 5, 1, "paradoxical"),
    "3-PRRR": (prrr3, 7, 10, 3, "exceptional"),
    "3-UPU": (upu3, 8, 8, 3, "trivial"),
    "Stewart": (stewart, 15, 15, 6, "trivial"),
    "delta": (delta, 8, 8, 3, "trivial"),
    "delta with rods": (lambda: delta(rods=True), 15, 15, 3, "trivial"),
}
