"""Random trees of bodies and joints: plain data in the world frame, from which mechanisms are made.

The same tree can be described in several ways (moved, shuffled, with body frames, with joints turned round), which is
what the tests compare. Lengths are multiples of 2^-12, so that a displacement by whole metres is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import cotree as ct

JOINTS = (
    "Revolute", "Prismatic", "Helical", "Cylindrical", "Universal", "Spherical", "Planar", "PlanarTranslation",
    "Translation", "Schoenflies", "Free", "Weld",
)  # fmt: skip
ONE_DOF = ("Revolute", "Prismatic", "Helical")
PLAIN = (*ONE_DOF, "Universal")  # joints whose only coordinates have rates equal to the velocities
BEYOND_MASSLESS = (
    "Revolute",
    "Universal",
    "Spherical",
)  # these, behind a one-dof joint, leave no motion without inertia
COORDINATES = ("group", "second", "first", "cayley", "quaternion")
GRID = 2.0**-12
ANGLES = (0.0, 1e-12, 1e-6, 1e-3, 0.7, 2.0, np.pi - 1e-9, np.pi, np.pi + 1e-7, 2 * np.pi + 1e-3, 7.5)
ANGLES_OF_FIRST_KIND = tuple(a for a in ANGLES if abs(a - 2 * np.pi) > 0.1)  # dexp is singular at 2 pi


# -- the data ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BodyData:
    """Mass properties in the world frame; `frame`: pose of the frame in which they are told (None: the world)."""

    name: str
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    frame: np.ndarray | None = None

    @property
    def pose(self) -> np.ndarray:
        return np.eye(4) if self.frame is None else self.frame

    def told(self, point: np.ndarray) -> np.ndarray:
        """A world point of the reference assembly in the frame of the body's data."""
        R, p = self.pose[:3, :3], self.pose[:3, 3]
        return R.T @ (np.asarray(point) - p)

    def add_to(self, mech: ct.Mechanism) -> None:
        R = self.pose[:3, :3]
        mech.body(self.name, self.mass, self.told(self.com), R.T @ self.inertia @ R, pose=self.frame)

    def moved(self, T: np.ndarray) -> BodyData:
        R = T[:3, :3]
        frame = None if self.frame is None else T @ self.frame
        return replace(self, com=act(T, self.com), inertia=R @ self.inertia @ R.T, frame=frame)


@dataclass(frozen=True)
class JointData:
    """A joint that leads outward from body `inner` to body `outer`; backward: the user's parent is the outer one.

    told: pose of the frame in which point and axes are told, by way of frame_parent or frame_child or both (None: the
    world). other: second axis of a universal joint, direction x of planar ones.
    """

    name: str
    kind: str
    inner: str
    outer: str
    point: np.ndarray
    axis: np.ndarray
    other: np.ndarray
    pitch: float = 0.0
    coordinates: str = "auto"
    backward: bool = False
    told: np.ndarray | None = None
    sides: str = "both"

    @property
    def parent(self) -> str:
        return self.outer if self.backward else self.inner

    @property
    def child(self) -> str:
        return self.inner if self.backward else self.outer

    def joint(self, frames: dict[str, np.ndarray]) -> Any:
        """The joint of the catalogue; `frames`: reference poses of the bodies' frames."""
        G = np.eye(4) if self.told is None else self.told
        R = G[:3, :3].T
        point, axis, other = R @ (self.point - G[:3, 3]), R @ self.axis, R @ self.other
        where: dict[str, Any] = {} if self.kind in PLAIN or self.kind == "Weld" else {"coordinates": self.coordinates}
        if self.told is not None and self.sides in ("parent", "both"):
            where["frame_parent"] = seen_from(frames[self.parent], G)
        if self.told is not None and self.sides in ("child", "both"):
            where["frame_child"] = seen_from(frames[self.child], G)
        return {
            "Revolute": lambda: ct.Revolute(point, axis, **where),
            "Prismatic": lambda: ct.Prismatic(axis, point=point, **where),
            "Helical": lambda: ct.Helical(point, axis, self.pitch, **where),
            "Cylindrical": lambda: ct.Cylindrical(point, axis, **where),
            "Universal": lambda: ct.Universal(point, axis, other, **where),
            "Spherical": lambda: ct.Spherical(point, **where),
            "Planar": lambda: ct.Planar(point, axis, other, **where),
            "PlanarTranslation": lambda: ct.PlanarTranslation(axis, other, **where),
            "Translation": lambda: ct.Translation(**where),
            "Schoenflies": lambda: ct.Schoenflies(axis, point=point, **where),
            "Free": lambda: ct.Free(**where),
            "Weld": lambda: ct.Weld(**where),
        }[self.kind]()

    def turned(self) -> JointData:
        """The same joint with the user's parent and child exchanged; each axis of a universal joint stays on its body."""
        axis, other = (self.other, self.axis) if self.kind == "Universal" else (self.axis, self.other)
        return replace(self, backward=not self.backward, axis=axis, other=other)

    def moved(self, T: np.ndarray) -> JointData:
        R = T[:3, :3]
        told = None if self.told is None else T @ self.told
        return replace(self, point=act(T, self.point), axis=R @ self.axis, other=R @ self.other, told=told)


@dataclass(frozen=True)
class TreeData:
    """Bodies and joints; the i-th joint leads to the i-th body unless shuffled."""

    gravity: np.ndarray
    bodies: tuple[BodyData, ...]
    joints: tuple[JointData, ...]

    def frames(self) -> dict[str, np.ndarray]:
        """Reference pose of each body's own frame."""
        return {"ground": np.eye(4), **{b.name: b.pose for b in self.bodies}}

    def mechanism(self) -> ct.Mechanism:
        mech = ct.Mechanism("tree", gravity=self.gravity)
        frames = self.frames()
        for body in self.bodies:
            body.add_to(mech)
        for j in self.joints:
            mech.joint(j.name, j.parent, j.child, j.joint(frames))
        return mech

    def compile(self, **options: Any) -> ct.System:
        return self.mechanism().compile(**options)

    def body(self, name: str) -> BodyData:
        return next(b for b in self.bodies if b.name == name)

    # -- the same tree described otherwise

    def moved(self, T: np.ndarray) -> TreeData:
        """Everything displaced by T, gravity turned with it."""
        bodies, joints = tuple(b.moved(T) for b in self.bodies), tuple(j.moved(T) for j in self.joints)
        return TreeData(T[:3, :3] @ self.gravity, bodies, joints)

    def shuffled(self, rng: np.random.Generator) -> TreeData:
        """Bodies and joints in another order."""
        bodies = tuple(self.bodies[i] for i in rng.permutation(len(self.bodies)))
        joints = tuple(self.joints[i] for i in rng.permutation(len(self.joints)))
        return replace(self, bodies=bodies, joints=joints)

    def framed(self, rng: np.random.Generator) -> TreeData:
        """Each body told in a frame of its own, near its mass centre."""
        bodies = tuple(replace(b, frame=pose(random_rotation(rng), b.com + grid(rng, 0.3))) for b in self.bodies)
        return replace(self, bodies=bodies)

    def unframed(self) -> TreeData:
        """Each body told in the world frame."""
        return replace(self, bodies=tuple(replace(b, frame=None) for b in self.bodies))

    def told_locally(self, rng: np.random.Generator) -> TreeData:
        """Each joint told in frames on both of its bodies."""
        joints = tuple(
            replace(j, told=pose(random_rotation(rng), j.point + grid(rng, 0.2)), sides="both") for j in self.joints
        )
        return replace(self, joints=joints)

    def turned(self) -> TreeData:
        """Parents and children exchanged in every joint."""
        return replace(self, joints=tuple(j.turned() for j in self.joints))

    def with_joints(self, **changes: Any) -> TreeData:
        """Every joint with some fields changed."""
        return replace(self, joints=tuple(replace(j, **changes) for j in self.joints))


# -- drawing them --------------------------------------------------------------------------------------------


def pose(R: np.ndarray | None = None, p: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
    C = np.eye(4)
    C[:3, :3], C[:3, 3] = np.eye(3) if R is None else R, p
    return C


def inverse(C: np.ndarray) -> np.ndarray:
    R = C[:3, :3].T
    return pose(R, -R @ C[:3, 3])


def seen_from(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """A^-1 B; the difference of the positions first, which far from the origin keeps the digits."""
    R = A[:3, :3].T
    return pose(R @ B[:3, :3], R @ (B[:3, 3] - A[:3, 3]))


def act(C: np.ndarray, x: Any) -> np.ndarray:
    return C[:3, :3] @ np.asarray(x, dtype=float) + C[:3, 3]


def grid(rng: np.random.Generator, scale: float) -> np.ndarray:
    """Random vector of multiples of 2^-12 metres."""
    return np.round(rng.normal(size=3) * scale / GRID) * GRID


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    return Rotation.random(None, rng).as_matrix()


def direction(rng: np.random.Generator) -> np.ndarray:
    a = rng.normal(size=3)
    return a / np.linalg.norm(a)


def direction_across(rng: np.random.Generator, axis: np.ndarray) -> np.ndarray:
    """Direction well away from a given one."""
    while True:
        b = direction(rng)
        if np.linalg.norm(np.cross(axis, b)) > 0.5:
            return b


def random_inertia(rng: np.random.Generator, mass: float) -> np.ndarray:
    """Tensor of a box of random size and attitude."""
    a, b, c = rng.uniform(0.2, 0.6, 3) ** 2
    R = random_rotation(rng)
    return mass * R @ np.diag([b + c, a + c, a + b]) @ R.T


def random_body(rng: np.random.Generator, name: str, place: np.ndarray, massless: bool, framed: bool) -> BodyData:
    mass = 0.0 if massless else rng.uniform(0.5, 2.0)
    frame = pose(random_rotation(rng), place + grid(rng, 0.2)) if framed else None
    return BodyData(name, mass, place + grid(rng, 0.2), random_inertia(rng, mass), frame)


def random_joint(
    rng: np.random.Generator, kind: str, ends: tuple[str, str], point: np.ndarray, coordinates: Sequence[str], **shares
) -> JointData:
    axis = direction(rng)
    kinds = [c for c in getattr(ct, kind).kinds if c in coordinates] or [getattr(ct, kind).kinds[0]]
    return JointData(
        name=f"joint {ends[1]}", kind=kind, inner=ends[0], outer=ends[1], point=point, axis=axis,
        other=direction_across(rng, axis), pitch=rng.normal() * 0.3, coordinates=str(rng.choice(kinds)),
        backward=bool(rng.random() < shares["backward"]),
        told=pose(random_rotation(rng), point + grid(rng, 0.2)) if rng.random() < shares["told"] else None,
        sides=str(rng.choice(["parent", "child", "both"])),
    )  # fmt: skip


def random_tree(
    rng: np.random.Generator,
    n: int,
    joints: Sequence[str] = JOINTS,
    coordinates: Sequence[str] = COORDINATES,
    root: str | None = None,
    backward: float = 0.4,
    framed: float = 0.4,
    told: float = 0.3,
    massless: float = 0.15,
    branching: float = 0.4,
) -> TreeData:
    """n bodies b0, b1, ...; shares of joints against the tree, of body frames, of joint frames, of massless bodies and of
    bodies that do not hang from the one before. `root`: the joint of b0, from which all others then hang."""
    names, places, bodies, links = ["ground"], [np.zeros(3)], list[BodyData](), list[JointData]()
    beyond = [k for k in joints if k in BEYOND_MASSLESS]
    after_massless = False
    for i in range(n):
        first = 1 if root and i else 0
        at = i if after_massless or rng.random() > branching else int(rng.integers(first, i + 1))
        kind = root if root and i == 0 else str(rng.choice(beyond if after_massless else joints))
        light = kind in (*ONE_DOF, "Weld") and bool(beyond) and not after_massless and i < n - 1
        light = light and rng.random() < massless
        if i and bodies[at - 1].mass == 0.0 and at != i and at > 0:
            at = i  # a massless body carries the next one only
        place = places[at] + grid(rng, 0.5)
        point = np.round((0.5 * (places[at] + place) + 0.1 * rng.normal(size=3)) / GRID) * GRID
        bodies.append(random_body(rng, f"b{i}", place, light, bool(rng.random() < framed)))
        ends = (names[at], f"b{i}")
        links.append(random_joint(rng, kind, ends, point, coordinates, backward=backward, told=told))
        names.append(f"b{i}")
        places.append(place)
        after_massless = light and kind != "Weld"
    return TreeData(9.81 * direction(rng), tuple(bodies), tuple(links))


def random_chain(rng: np.random.Generator, n: int, joints: Sequence[str] = PLAIN, **options: Any) -> TreeData:
    return random_tree(rng, n, joints, branching=0.0, **options)


# -- states --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class State:
    """A configuration, velocities, accelerations and joint forces."""

    q: np.ndarray
    v: np.ndarray
    v_dot: np.ndarray
    tau: np.ndarray


def dofs_of(system: ct.System, joint: str) -> list[int]:
    """Places in v of a joint's coordinates."""
    names = system.coordinate_names
    return [i for i, name in enumerate(names) if name == joint or name.startswith(joint + ".")]


def random_angle(rng: np.random.Generator, choices: Sequence[float]) -> float:
    """One of the angles at which the code branches, or any other; never near an odd multiple of pi/2."""
    angle = np.pi / 2
    while abs(np.cos(angle)) < 0.3:
        angle = rng.choice(choices) if rng.random() < 0.5 else rng.uniform(0.0, 3.0)
    return float(angle * rng.choice([-1.0, 1.0]))


def random_step(rng: np.random.Generator, system: ct.System, choices: Sequence[float] = ANGLES) -> np.ndarray:
    """Displacement from the reference assembly in velocity coordinates."""
    step = rng.normal(size=system.nv) * 0.5
    for name, connection in system.mechanism.joints.items():
        joint, own = connection.joint, dofs_of(system, name)
        turns = [d for d, i in zip(own, joint.free, strict=True) if i < 3]
        some = [a for a in choices if joint.kind != "first" or a in ANGLES_OF_FIRST_KIND]
        if len(turns) == 3 and joint.kind != "second":
            step[turns] = random_angle(rng, some) * direction(rng)
        else:
            step[turns] = [random_angle(rng, some) for _ in turns]
    return step


def random_state(rng: np.random.Generator, system: ct.System, choices: Sequence[float] = ANGLES) -> State:
    q = ct.displace(system, system.q0, random_step(rng, system, choices))
    return State(q, rng.normal(size=system.nv), rng.normal(size=system.nv), 5.0 * rng.normal(size=system.nv))


def by_name(system: ct.System, other: ct.System, x: np.ndarray) -> np.ndarray:
    """Velocity coordinates x of `other` in the order of `system`."""
    place = {name: i for i, name in enumerate(other.coordinate_names)}
    return np.array([x[place[name]] for name in system.coordinate_names])


# -- measures ------------------------------------------------------------------------------------------------


def error(a: Any, b: Any) -> float:
    """Largest difference, relative to the largest entry of the reference b; absolute where that is below one."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    assert a.shape == b.shape
    if a.size == 0:
        return 0.0
    return float(np.abs(a - b).max() / max(1.0, np.abs(b).max()))


def relative_error(a: Any, b: Any, scale: float = 0.0) -> float:
    """Norm of the difference relative to that of the reference b, or to `scale` where that is larger."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    assert a.shape == b.shape
    size = max(float(np.linalg.norm(b)), scale)
    return float(np.linalg.norm(a - b)) / size if size > 0.0 else float(np.linalg.norm(a))


def derivative(f: Any, h: float = 1e-2) -> Any:
    """df/ds at s = 0 by central differences of order six."""
    one, two, three = (np.asarray(f(k * h)) - np.asarray(f(-k * h)) for k in (1, 2, 3))
    return (45.0 * one - 9.0 * two + three) / (60.0 * h)


# -- for property tests --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A drawn tree with the generator of its states."""

    tree: TreeData
    system: ct.System
    state: State
    rng: np.random.Generator

    def a_body(self) -> str:
        return str(self.rng.choice(self.system.body_names))


def make_case(seed: int, n: int, group: str = "SE3", choices: Sequence[float] = ANGLES, **options: Any) -> Case:
    """Tree, system and state of a seed; trees without a dof become a pendulum's."""
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, n, **options)
    if all(j.kind == "Weld" for j in tree.joints):
        tree = random_tree(rng, n, **{**options, "joints": ("Revolute",), "root": None})
    system = tree.compile(group=group)
    return Case(tree, system, random_state(rng, system, choices), rng)


def cases(max_bodies: int = 8, groups: Sequence[str] = ("SE3", "SO3xR3"), **options: Any) -> st.SearchStrategy[Case]:
    """Drawn by seed and size, so that a failure shrinks to few bodies."""
    return st.builds(
        lambda n, group, seed: make_case(seed, n, group, **options),
        st.integers(1, max_bodies), st.sampled_from(list(groups)), st.integers(0, 2**32 - 1),
    )  # fmt: skip
