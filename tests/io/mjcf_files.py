"""MJCF models, random ones too, beside the same model in MuJoCo."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

import cotree as ct
from cotree.io.mjcf import Imported, import_mjcf

MODELS = Path(__file__).resolve().parents[3] / "shared" / "models"  # beside the repository, where it is there
INERTIAL = '<inertial pos="0.1 -0.2 0.3" mass="1.5" diaginertia="0.2 0.3 0.4"/>'


def model(world, rest="", head=""):
    return f"<mujoco>{head}<worldbody>{world}</worldbody>{rest}</mujoco>"


def words(values):
    return " ".join(repr(float(x)) for x in values)


@dataclass(frozen=True)
class Pair:
    """The same model here and there; a system with the file's tree, free bodies with MuJoCo's velocities."""

    imported: Imported
    system: ct.System
    data: mujoco.MjData

    @property
    def model(self):
        return self.imported.model

    def place(self, qpos, qvel):
        """Put both into a state; q and v here."""
        self.data.qpos[:], self.data.qvel[:] = qpos, qvel
        mujoco.mj_forward(self.model, self.data)
        return self.imported.coordinates(self.system, qpos), self.imported.velocities(self.system, qpos, qvel)

    def rates(self, qpos):
        """T in v = T qvel."""
        n = self.model.nv
        return (
            np.array([self.imported.velocities(self.system, qpos, e) for e in np.eye(n)]).reshape(n, self.system.nv).T
        )


def pair_of(path_or_text, group="SO3xR3", **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        imported = import_mjcf(path_or_text, **options)
    system = imported.mechanism.compile(cut=imported.closing, group=group)
    return Pair(imported, system, mujoco.MjData(imported.model))


def random_state(pair, rng, size=1.0):
    """A configuration some way off the reference, and velocities."""
    qpos = np.array(pair.imported.reference)
    mujoco.mj_integratePos(pair.model, qpos, rng.normal(size=pair.model.nv) * size, 1.0)
    return qpos, rng.normal(size=pair.model.nv)


def check_tree(pair, qpos, qvel, tolerance=1e-10):
    """Frames of the bodies, mass matrix, forces of bias, gravity, springs and dampers are MuJoCo's."""
    q, v = pair.place(qpos, qvel)
    poses, names = ct.poses(pair.system, q), pair.imported.names.bodies
    for k, name in enumerate(names):
        C = poses[pair.system.body_rows[name]]
        np.testing.assert_allclose(C[:3, 3], pair.data.xpos[k], atol=tolerance)
        np.testing.assert_allclose(C[:3, :3].ravel(), pair.data.xmat[k], atol=tolerance)
    M, T = np.zeros((pair.model.nv, pair.model.nv)), pair.rates(qpos)
    mujoco.mj_fullM(pair.model, pair.data, M)
    size = np.abs(M).max(initial=1.0)
    np.testing.assert_allclose(T.T @ ct.mass_matrix(pair.system, q) @ T, M, atol=tolerance * size)
    forces = pair.data.qfrc_bias - pair.data.qfrc_passive
    tau = T.T @ ct.inverse_dynamics(pair.system, q, v, np.zeros(pair.system.nv))
    np.testing.assert_allclose(tau, forces, atol=tolerance * max(1.0, np.abs(forces).max(initial=0.0)))


# -- random models --------------------------------------------------------------------------------------------

SEVERAL = (("hinge",), ("slide",), ("ball",), ("hinge", "hinge"), ("slide", "hinge", "slide"), ("slide", "ball"), ())


def random_mjcf(rng, n=None):
    """A tree of n bodies with joints of every kind, several on some, inertia told or from geoms; degrees or radians."""
    n = int(rng.integers(1, 8)) if n is None else n
    degrees = bool(rng.random() < 0.5)
    sequence = "".join(rng.choice(list("xyzXYZ"), 3))
    head = f'<compiler angle="{"degree" if degrees else "radian"}" eulerseq="{sequence}"/>'
    head += f'<option gravity="{words(rng.normal(size=3) * 5)}"/>'
    head += (
        '<default><default class="soft"><joint stiffness="7" damping="0.4"/><geom density="300"/></default></default>'
    )
    children = {k: [] for k in range(-1, n)}
    for k in range(n):
        children[int(rng.integers(-1, k))].append(k)
    world = "".join(_random_body(rng, k, children, degrees, top=True) for k in children[-1])
    return model(world, head=head)


def _random_body(rng, k, children, degrees, top):
    kinds = ("free",) if top and rng.random() < 0.3 else SEVERAL[rng.integers(len(SEVERAL))]
    turn = 180.0 / np.pi if degrees else 1.0
    euler = words(rng.uniform(-3, 3, 3) * turn)
    compensation = f'gravcomp="{rng.random()!r}"' if rng.random() < 0.3 else ""
    inside = "".join(_random_joint(rng, f"j{k}_{i}", kind, turn) for i, kind in enumerate(kinds))
    inside += _random_inertia(rng)
    inside += "".join(_random_body(rng, c, children, degrees, top=False) for c in children[k])
    return f'<body name="b{k}" pos="{words(rng.normal(size=3))}" euler="{euler}" {compensation}>{inside}</body>'


def _random_joint(rng, name, kind, turn):
    more = f' damping="{rng.random()!r}"' if rng.random() < 0.5 else ""
    if kind in ("hinge", "slide"):
        scale = turn if kind == "hinge" else 1.0
        more += f' axis="{words(rng.normal(size=3))}" ref="{rng.normal() * scale!r}"'
        if rng.random() < 0.5:
            more += f' stiffness="{rng.uniform(1, 5)!r}" springref="{rng.normal() * scale!r}"'
        elif rng.random() < 0.5:
            more += ' class="soft"'
    place = "" if kind == "free" else f' pos="{words(rng.normal(size=3))}"'
    return f'<joint name="{name}" type="{kind}"{place}{more}/>'


def _random_inertia(rng):
    if rng.random() < 0.5:
        a, b = rng.uniform(0.2, 1.0, 2)
        moments = (a, b, abs(a - b) + rng.uniform(0.05, 0.95) * (a + b - abs(a - b)))
        quat = words(rng.normal(size=4))
        place = f'pos="{words(rng.normal(size=3))}" quat="{quat}"'
        return f'<inertial {place} mass="{rng.uniform(0.5, 3)!r}" diaginertia="{words(moments)}"/>'
    forms = ('type="box" size="0.1 0.2 0.3"', 'type="capsule" size="0.05" fromto="0 0 0 0.3 0.4 0.5"', 'size="0.2"')
    geoms = [forms[i] for i in rng.integers(0, 3, rng.integers(1, 4))]
    return "".join(f'<geom {form} density="{rng.uniform(200, 900)!r}"/>' for form in geoms)
