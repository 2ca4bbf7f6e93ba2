"""Random springs and dampers on a random tree, and what they do, told a second time without the package's forces."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

import cotree as ct
from tests.random_mechanisms import Case, TreeData, act, grid, inverse


@dataclass(frozen=True)
class SpringData:
    """Spring and damper between world points of the reference assembly."""

    name: str
    bodies: tuple[str, str]
    points: tuple[np.ndarray, np.ndarray]
    stiffness: float
    length: float | None
    damping: float

    def moved(self, T: np.ndarray) -> SpringData:
        return replace(self, points=(act(T, self.points[0]), act(T, self.points[1])))


@dataclass(frozen=True)
class JointSpringData:
    """Spring and damper on one coordinate."""

    joint: str
    coordinate: str | None
    stiffness: float
    rest: float
    damping: float

    @property
    def name(self) -> str:
        return self.joint if self.coordinate is None else f"{self.joint}.{self.coordinate}"


@dataclass(frozen=True)
class Loaded:
    """A tree with springs: its system, and their potential and dissipation."""

    tree: TreeData
    system: ct.System
    springs: list[SpringData]
    joint_springs: list[JointSpringData] = field(default_factory=list)

    def ends(self, spring: SpringData, q: np.ndarray) -> list[np.ndarray]:
        """Both points in the world."""
        poses, frames = ct.poses(self.system, q), self.tree.frames()
        pairs = zip(spring.bodies, spring.points, strict=True)
        return [act(poses[self.system.row_of(b)] @ inverse(frames[b]), x) for b, x in pairs]

    def length(self, spring: SpringData, q: np.ndarray) -> float:
        a, b = self.ends(spring, q)
        return float(np.linalg.norm(b - a))

    def length_rate(self, spring: SpringData, q: np.ndarray, v: np.ndarray) -> float:
        (a, b), V = self.ends(spring, q), ct.twists(self.system, q, v, "spatial")
        speeds = []
        for body, x in zip(spring.bodies, (a, b), strict=True):
            W = V[self.system.row_of(body)]
            speeds.append(W[3:] + np.cross(W[:3], x))
        return float((speeds[1] - speeds[0]) @ (b - a) / np.linalg.norm(b - a))

    def relaxed(self, spring: SpringData) -> float:
        a, b = spring.points
        return float(np.linalg.norm(b - a)) if spring.length is None else spring.length

    def coordinate(self, spring: JointSpringData, q: np.ndarray) -> float:
        return float(q[self.system.dofs[self.system.velocity_index(spring.name)]["iq"]])

    def potential(self, q: np.ndarray) -> float:
        """Energy of the springs."""
        line = sum(0.5 * s.stiffness * (self.length(s, q) - self.relaxed(s)) ** 2 for s in self.springs)
        return line + sum(0.5 * s.stiffness * (self.coordinate(s, q) - s.rest) ** 2 for s in self.joint_springs)

    def dissipation(self, q: np.ndarray, v: np.ndarray) -> float:
        """Power that the dampers take."""
        line = sum(s.damping * self.length_rate(s, q, v) ** 2 for s in self.springs)
        return line + sum(s.damping * v[self.system.velocity_index(s.name)] ** 2 for s in self.joint_springs)


def attach(
    tree: TreeData, group: str, springs: list[SpringData], joint_springs: list[JointSpringData] | None = None
) -> Loaded:
    """The tree with these springs."""
    mech, frames, joint_springs = tree.mechanism(), tree.frames(), joint_springs or []
    for s in springs:
        ends = [(b, frames[b][:3, :3].T @ (x - frames[b][:3, 3])) for b, x in zip(s.bodies, s.points, strict=True)]
        mech.spring(s.name, *ends[0], *ends[1], s.stiffness, s.length, s.damping)
    for s in joint_springs:
        mech.joint_spring(f"spring on {s.name}", s.joint, s.stiffness, s.rest, s.coordinate)
        mech.joint_damper(f"damper on {s.name}", s.joint, s.damping, s.coordinate)
    return Loaded(tree, mech.compile(group=group), springs, joint_springs)


def draw_springs(c: Case, n: int, dampers: bool, to_ground: bool) -> list[SpringData]:
    """n line springs between bodies of a case."""
    rng, springs = c.rng, list[SpringData]()
    names = [*(["ground"] if to_ground else []), *(b.name for b in c.tree.bodies)]
    for i in range(n if len(names) > 1 else 0):
        a, b = (str(x) for x in rng.choice(names, 2, replace=False))
        points = (grid(rng, 1.0), grid(rng, 1.0) + 2.0)
        length = None if i % 3 == 0 else float(rng.uniform(0.2, 1.0))
        springs.append(
            SpringData(f"spring {i}", (a, b), points, rng.uniform(5, 50), length, rng.uniform(0.1, 1.0) * dampers)
        )
    return springs


def draw_joint_springs(c: Case, dampers: bool, to_ground: bool) -> list[JointSpringData]:
    """Springs on about half of the coordinates that can have one."""
    rng, found = c.rng, list[JointSpringData]()
    for name, dof in zip(c.system.coordinate_names, c.system.dofs, strict=True):
        if dof["iq"] >= 0 and rng.random() < 0.5 and (to_ground or not name.startswith("joint b0")):
            joint, _, suffix = name.partition(".")
            damping = rng.uniform(0.1, 1.0) * dampers
            found.append(JointSpringData(joint, suffix or None, rng.uniform(1, 9), rng.normal(), damping))
    return found


def with_springs(c: Case, n: int = 3, dampers: bool = True, to_ground: bool = True) -> Loaded:
    """The tree of a case with n line springs and some joint springs; to_ground: whether any of them act on ground."""
    springs = draw_springs(c, n, dampers, to_ground)
    return attach(c.tree, c.system.group, springs, draw_joint_springs(c, dampers, to_ground))
