"""Random URDF files, the same file in Pinocchio, and the way from our coordinates to Pinocchio's."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

import cotree as ct
from cotree.io.robots.building import Imported
from cotree.io.urdf import import_urdf
from tests.random_mechanisms import dofs_of, random_rotation

MODELS = Path(__file__).resolve().parents[3] / "shared" / "models"  # beside the repository, where it is there
KEYS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")


def words(values):
    return " ".join(repr(float(x)) for x in values)


def random_inertial(rng):
    a, b = rng.uniform(0.2, 1.0, 2)
    R = random_rotation(rng)
    I = R @ np.diag([a, b, abs(a - b) + rng.uniform(0.05, 0.95) * (a + b - abs(a - b))]) @ R.T
    moments = " ".join(f'{k}="{x!r}"' for k, x in zip(KEYS, I[np.triu_indices(3)].tolist(), strict=True))
    place = f'xyz="{words(rng.normal(size=3))}" rpy="{words(rng.uniform(-4, 4, 3))}"'
    return f'<inertial><origin {place}/><mass value="{rng.uniform(0.5, 3)!r}"/><inertia {moments}/></inertial>'


def random_urdf(rng, n=None, root="base"):
    """A tree of n links below the root with joints of every kind; a fixed link may be without mass."""
    n = int(rng.integers(1, 9)) if n is None else n
    parts = [f'<robot name="random"><link name="{root}">{random_inertial(rng)}</link>']
    for k in range(n):
        kind = str(rng.choice(KINDS))
        bare = kind == "fixed" and rng.random() < 0.5
        parent = root if k == 0 else str(rng.choice([root, *(f"l{i}" for i in range(k))]))
        axis = (0, 0, 1) if kind == "planar" else rng.normal(size=3) * rng.choice([1.0, 5.0])
        axis = np.eye(3)[rng.integers(3)] if kind != "planar" and rng.random() < 0.5 else axis
        if kind == "continuous":  # Pinocchio takes the axis as it is there
            axis = axis / np.linalg.norm(axis)
        place = f'xyz="{words(rng.normal(size=3))}" rpy="{words(rng.uniform(-4, 4, 3))}"'
        limit = '<limit lower="-3" upper="3" effort="10" velocity="2"/>'
        parts.append(f'<link name="l{k}">{"" if bare else random_inertial(rng)}</link>')
        parts.append(
            f'<joint name="j{k}" type="{kind}"><parent link="{parent}"/><child link="l{k}"/><origin {place}/>'
            f'<axis xyz="{words(axis)}"/>{limit}</joint>'
        )
    return "\n".join([*parts, "</robot>"])


INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def robot(*parts):
    return f'<?xml version="1.0"?><!-- a comment --><robot name="r">{"".join(parts)}</robot>'


def link(name, more=""):
    return f'<link name="{name}">{INERTIAL}{more}</link>'


def joint(name, kind, parent, child, more='<axis xyz="0 0 1"/>'):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{more}</joint>'


def two_links(more="", kind="revolute"):
    return robot(link("a"), link("b"), joint("j", kind, "a", "b", more))


def imported(tmp_path, text, **options) -> Imported:
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    return import_urdf(path, **options)


@dataclass(frozen=True)
class Peer:
    """A system and Pinocchio's model of the same tree at one state; `which` picks our velocities in Pinocchio's order."""

    system: ct.System
    model: object
    data: object
    q: np.ndarray
    v: np.ndarray
    q_pin: np.ndarray
    which: np.ndarray


def peer(system, model, rng) -> Peer:
    v, q = rng.normal(size=system.nv), ct.displace(system, system.q0, rng.normal(size=system.nv))
    parts, which = [np.zeros(0)], np.zeros(model.nv, dtype=int)
    for name, joint in list(zip(model.names, model.joints, strict=True))[1:]:
        own = dofs_of(system, name)
        link = system.links[system.dofs[own[0]]["link"]]
        here = q[int(link["iq"]) :]
        order, part = _translated(joint, here)
        which[joint.idx_v : joint.idx_v + joint.nv] = np.array(own)[order]
        parts.append(part)
    return Peer(system, model, model.createData(), q, v, np.concatenate(parts), which)


def _translated(joint, here):
    """Order of the velocities and coordinates of one joint in Pinocchio."""
    if joint.nv == 1:
        return [0], [here[0]] if joint.nq == 1 else [np.cos(here[0]), np.sin(here[0])]
    if joint.nv == 3 and joint.nq == 4 and "Planar" in joint.shortname():
        return [1, 2, 0], [here[1], here[2], np.cos(here[0]), np.sin(here[0])]
    w, x, y, z = here[:4]
    if joint.nv == 3:
        return [0, 1, 2], [x, y, z, w]
    return [3, 4, 5, 0, 1, 2], [*here[4:7], x, y, z, w]


def rpy(angles):
    """By SciPy, not by ours."""
    return Rotation.from_euler("xyz", angles).as_matrix()
